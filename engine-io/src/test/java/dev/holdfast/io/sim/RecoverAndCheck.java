// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

/** What a test does with each crash image. */
@FunctionalInterface
public interface RecoverAndCheck {
    /**
     * Opens what lives on the image's disk, checks all that must hold, and closes it. Marks on that
     * disk what it acknowledges itself, since the disk may be crashed in turn at any point of this.
     * Called by several threads at once if the harness has several.
     *
     * @return a few words for the way that the recovery took; equal ways give equal words
     * @throws Exception as an AssertionError or any other, if something does not hold
     */
    String recoverAndCheck(CrashImage image) throws Exception;
}
