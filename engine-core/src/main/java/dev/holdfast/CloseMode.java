// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/** What {@link Engine#close} leaves behind. Commits are safe either way. */
public enum CloseMode {
    /** Dirty pages are written, so that the next open has nothing to recover. */
    CLEAN,
    /** The log alone is flushed: close is quick, the next open recovers. */
    FAST
}
