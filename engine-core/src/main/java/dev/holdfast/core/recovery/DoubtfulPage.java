// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import dev.holdfast.CorruptionException;

/**
 * A page that is not what a doublewrite entry says was written, and for which there is no copy.
 * Whether it matters the log knows: the page may be made anew there, or be free.
 *
 * @param looksSound whether a reader would take the page for a good one
 * @param fault what to say of it
 */
record DoubtfulPage(long pageId, boolean looksSound, CorruptionException fault) {}
