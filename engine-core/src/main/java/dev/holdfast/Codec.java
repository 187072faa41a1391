// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.util.UUID;

/**
 * Turns values of a type into bytes and back. A codec for keys keeps the order: the bytes of two
 * values compare, unsigned and lexicographic, as the values do. Stateless and safe for many
 * threads. What it throws, a {@link TypedTable} throws on as the cause of a {@link CodecException}.
 *
 * @param <T> the type
 */
public interface Codec<T> {
    /** Four bytes in the order of {@link Integer#compare}. */
    Codec<Integer> INT = new Codecs.IntCodec();

    /** Eight bytes in the order of {@link Long#compare}. */
    Codec<Long> LONG = new Codecs.LongCodec();

    /**
     * UTF-8, in the order of code points; where characters beyond the basic plane are involved,
     * {@link String#compareTo} differs. A string with an unpaired surrogate cannot be encoded.
     */
    Codec<String> STRING = new Codecs.StringCodec();

    /** The bytes themselves: neither direction copies the array. */
    Codec<byte[]> BYTES = new Codecs.BytesCodec();

    /**
     * Sixteen bytes in the order of the hexadecimal text; {@link UUID#compareTo} differs, since it
     * compares signed halves.
     */
    Codec<UUID> UUID = new Codecs.UuidCodec();

    /**
     * Returns the bytes of a value; neither is ever {@code null}.
     *
     * @throws IllegalArgumentException if the value has none
     */
    byte[] encode(T value);

    /**
     * Returns the value of bytes that {@link #encode} made; neither is ever {@code null}.
     *
     * @throws IllegalArgumentException if it made no such bytes
     */
    T decode(byte[] bytes);
}
