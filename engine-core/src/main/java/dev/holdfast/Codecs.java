// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.UUID;

/** The codecs that {@link Codec} offers. */
final class Codecs {
    /*
     * Signed numbers sort as unsigned bytes once their sign bit is flipped and the highest byte
     * comes first. ByteBuffer is big-endian as it comes.
     */

    private Codecs() {}

    private static ByteBuffer exactly(byte[] bytes, int expectedBytes, String type) {
        Objects.requireNonNull(bytes, "bytes");
        if (bytes.length != expectedBytes) {
            throw new IllegalArgumentException(
                    "bytes are no "
                            + type
                            + ": expectedBytes="
                            + expectedBytes
                            + ", foundBytes="
                            + bytes.length);
        }
        return ByteBuffer.wrap(bytes);
    }

    /** See {@link Codec#INT}. */
    static final class IntCodec implements Codec<Integer> {
        @Override
        public byte[] encode(Integer value) {
            Objects.requireNonNull(value, "value");
            return ByteBuffer.allocate(Integer.BYTES).putInt(value ^ Integer.MIN_VALUE).array();
        }

        @Override
        public Integer decode(byte[] bytes) {
            return exactly(bytes, Integer.BYTES, "int").getInt() ^ Integer.MIN_VALUE;
        }
    }

    /** See {@link Codec#LONG}. */
    static final class LongCodec implements Codec<Long> {
        @Override
        public byte[] encode(Long value) {
            Objects.requireNonNull(value, "value");
            return ByteBuffer.allocate(Long.BYTES).putLong(value ^ Long.MIN_VALUE).array();
        }

        @Override
        public Long decode(byte[] bytes) {
            return exactly(bytes, Long.BYTES, "long").getLong() ^ Long.MIN_VALUE;
        }
    }

    /** See {@link Codec#UUID}. */
    static final class UuidCodec implements Codec<UUID> {
        private static final int UUID_BYTES = 2 * Long.BYTES;

        @Override
        public byte[] encode(UUID value) {
            Objects.requireNonNull(value, "value");
            return ByteBuffer.allocate(UUID_BYTES)
                    .putLong(value.getMostSignificantBits())
                    .putLong(value.getLeastSignificantBits())
                    .array();
        }

        @Override
        public UUID decode(byte[] bytes) {
            ByteBuffer buffer = exactly(bytes, UUID_BYTES, "UUID");
            return new UUID(buffer.getLong(), buffer.getLong());
        }
    }

    /** See {@link Codec#STRING}. */
    static final class StringCodec implements Codec<String> {
        @Override
        public byte[] encode(String value) {
            Objects.requireNonNull(value, "value");
            try {
                ByteBuffer encoded =
                        StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(value));
                byte[] bytes = new byte[encoded.remaining()];
                encoded.get(bytes);
                return bytes;
            } catch (CharacterCodingException e) {
                throw new IllegalArgumentException(
                        "string has an unpaired surrogate: length=" + value.length(), e);
            }
        }

        @Override
        public String decode(byte[] bytes) {
            Objects.requireNonNull(bytes, "bytes");
            try {
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes))
                        .toString();
            } catch (CharacterCodingException e) {
                throw new IllegalArgumentException(
                        "bytes are no UTF-8: foundBytes=" + bytes.length, e);
            }
        }
    }

    /** See {@link Codec#BYTES}. */
    static final class BytesCodec implements Codec<byte[]> {
        @Override
        public byte[] encode(byte[] value) {
            return Objects.requireNonNull(value, "value");
        }

        @Override
        public byte[] decode(byte[] bytes) {
            return Objects.requireNonNull(bytes, "bytes");
        }
    }
}
