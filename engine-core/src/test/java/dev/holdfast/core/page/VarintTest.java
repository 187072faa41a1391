// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** If this failed, records of redo and of tree pages would be read as other than was written. */
final class VarintTest {
    @ParameterizedTest
    @ValueSource(
            ints = {
                0,
                1,
                127,
                128,
                300,
                16_383,
                16_384,
                2_097_151,
                2_097_152,
                268_435_455,
                268_435_456,
                Integer.MAX_VALUE,
                Integer.MIN_VALUE,
                -1
            })
    void givenAnyValue_whenWritten_thenItIsReadAndItsLengthFollowsFromIt(int value) {
        byte[] bytes = new byte[8];

        int end = Varint.put(bytes, 1, value);

        assertThat(end - 1).isEqualTo(Varint.length(value)).isLessThanOrEqualTo(Varint.BYTES_MAX);
        assertThat(Varint.lengthAt(bytes, 1, end)).isEqualTo(end - 1);
        assertThat(Varint.get(bytes, 1)).isEqualTo(value);
        for (int cut = 1; cut < end; cut++) {
            assertThat(Varint.lengthAt(bytes, 1, cut)).isEqualTo(Varint.NONE);
        }
    }

    @Test
    void givenBytesThatNobodyWrites_whenLookedAt_thenTheyAreNone() {
        assertThat(lengthAt(0x80, 0x00)).as("longer than needed").isEqualTo(Varint.NONE);
        assertThat(lengthAt(0xFF, 0xFF, 0xFF, 0xFF, 0x1F)).as("33 bits").isEqualTo(Varint.NONE);
        assertThat(lengthAt(0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01)).as("six").isEqualTo(Varint.NONE);
        assertThat(lengthAt()).as("nothing").isEqualTo(Varint.NONE);
        assertThat(lengthAt(0xFF, 0xFF, 0xFF, 0xFF, 0x0F)).as("all ones").isEqualTo(5);
    }

    @Test
    void givenALengthInsideAPage_whenReadThere_thenTwoBytesAreEnough() {
        ByteBuffer chunk = ByteBuffer.allocateDirect(16);
        byte[] bytes = new byte[2];
        for (int value : new int[] {0, 127, 128, 16_383}) {
            Varint.put(bytes, 0, value);
            chunk.put(3, bytes);

            assertThat(Varint.getShort(chunk, 3)).isEqualTo(value);
        }
    }

    private static int lengthAt(int... values) {
        byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return Varint.lengthAt(bytes, 0, bytes.length);
    }
}
