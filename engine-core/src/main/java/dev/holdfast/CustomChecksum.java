// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.nio.ByteBuffer;

/**
 * A checksum of pages that the host brings, beside those of {@link ChecksumKind}.
 *
 * <p>It is given to an engine by {@link EngineOptions.Builder#customChecksums}, or found as a
 * service of this type by {@link java.util.ServiceLoader}. Pages store its code and files its name,
 * so a store that uses it opens only where it is there. At open it has to prove on a few thousand
 * sums that it gives the same for the same bytes, and another for each changed byte.
 *
 * <p>It is called by any thread, by several at once, while a page is read or about to be written,
 * and other threads may wait for that page: it must neither wait nor call the engine. If it throws
 * while a page is read, that page counts as damaged until it does so no more: {@link
 * CorruptionException}, with a {@link ChecksumException} as its cause. If it throws, or contradicts
 * itself, while a page is written, the engine fails before the page is touched, and nothing is
 * lost.
 */
public interface CustomChecksum {
    /** The lowest code that there is for such a checksum. */
    int CODE_MIN = 16;

    /** The highest. */
    int CODE_MAX = 31;

    /** The most characters of a name. */
    int NAME_LENGTH_MAX = 30;

    /**
     * Returns the code that pages bear, from {@link #CODE_MIN} to {@link #CODE_MAX}: always the
     * same, for stores keep it.
     */
    int code();

    /**
     * Returns the name, for options, files and messages: up to {@link #NAME_LENGTH_MAX} letters A
     * to Z, digits, {@code -} and {@code _}; always the same.
     */
    String name();

    /**
     * Returns the checksum of the buffer's remaining bytes.
     *
     * @param bytes a direct buffer that cannot be written; it is this call's alone, its position
     *     may be moved, and after the call it must not be used
     */
    int compute(ByteBuffer bytes);
}
