// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The accessor against arrays: byte order, signs, ranges, comparison, and the chunk's bounds. */
@ExtendWith(SeedExtension.class)
final class PageMemoryPropertyTest {
    private static final int CHUNK_BYTES = 16384;

    private final ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
    private final ByteBuffer other = ByteBuffer.allocateDirect(CHUNK_BYTES);

    @Test
    void givenEachWidth_whenStored_thenTheBytesAreLittleEndianAndComeBack() {
        PageMemory.putLong(chunk, 3, 0x0807060504030201L);
        PageMemory.putInt(chunk, 11, 0xFCFBFAF9);
        PageMemory.putShort(chunk, 15, 0xFEFD);
        PageMemory.putByte(chunk, 17, 0xFF);

        assertThat(bytes(chunk, 3, 15))
                .containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE, 0xFF);
        assertThat(PageMemory.getLong(chunk, 3)).isEqualTo(0x0807060504030201L);
        assertThat(PageMemory.getInt(chunk, 11)).isEqualTo(0xFCFBFAF9);
        assertThat(PageMemory.getShort(chunk, 15)).isEqualTo((short) 0xFEFD);
        assertThat(PageMemory.getUnsignedShort(chunk, 15)).isEqualTo(0xFEFD);
        assertThat(PageMemory.getByte(chunk, 17)).isEqualTo((byte) -1);
        assertThat(PageMemory.getUnsignedByte(chunk, 17)).isEqualTo(0xFF);
    }

    @Test
    void givenBigEndianAccess_whenStored_thenTheBytesAreInKeyOrder() {
        PageMemory.putBigEndianInt(chunk, 5, 0x01020304);
        PageMemory.putBigEndianLong(chunk, 9, 0x05060708090A0B0CL);

        assertThat(bytes(chunk, 5, 12)).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
        assertThat(PageMemory.bigEndianInt(chunk, 5)).isEqualTo(0x01020304);
        assertThat(PageMemory.bigEndianLong(chunk, 9)).isEqualTo(0x05060708090A0B0CL);
    }

    @Test
    void givenOrderedAccesses_whenUsedAlone_thenTheyAreTheSameBytesAsThePlainOnes() {
        PageMemory.putLongRelease(chunk, 8, 1L << 40);
        assertThat(PageMemory.getLongAcquire(chunk, 8)).isEqualTo(1L << 40);
        PageMemory.putLongVolatile(chunk, 8, 2L << 40);
        assertThat(PageMemory.getLongVolatile(chunk, 8)).isEqualTo(2L << 40);
        PageMemory.putLongOpaque(chunk, 8, 3L << 40);
        assertThat(PageMemory.getLongOpaque(chunk, 8)).isEqualTo(3L << 40);
        assertThat(PageMemory.compareAndSetLong(chunk, 8, 1, 5)).isFalse();
        assertThat(PageMemory.compareAndSetLong(chunk, 8, 3L << 40, 5L << 40)).isTrue();
        assertThat(PageMemory.getLong(chunk, 8)).isEqualTo(5L << 40);

        PageMemory.putIntRelease(chunk, 16, 1 << 20);
        assertThat(PageMemory.getIntAcquire(chunk, 16)).isEqualTo(1 << 20);
        PageMemory.putIntVolatile(chunk, 16, 2 << 20);
        assertThat(PageMemory.getIntVolatile(chunk, 16)).isEqualTo(2 << 20);
        PageMemory.putIntOpaque(chunk, 16, 3 << 20);
        assertThat(PageMemory.getIntOpaque(chunk, 16)).isEqualTo(3 << 20);
        assertThat(PageMemory.compareAndSetInt(chunk, 16, 1, 5)).isFalse();
        assertThat(PageMemory.compareAndSetInt(chunk, 16, 3 << 20, 5)).isTrue();
        assertThat(PageMemory.getInt(chunk, 16)).isEqualTo(5);
    }

    @Test
    void givenRandomRanges_whenFilledAndCopied_thenNothingElseChanges(SeededRandom random) {
        byte[] model = random.bytes(CHUNK_BYTES);
        PageMemory.copyIn(chunk, 0, model, 0, model.length);
        for (int i = 0; i < 2000; i++) {
            int length = random.nextInt(random.oneIn(10) ? 9000 : 300);
            int from = random.nextInt(CHUNK_BYTES - length);
            int to = random.nextInt(CHUNK_BYTES - length);
            switch (random.nextInt(4)) {
                case 0 -> {
                    byte value = random.nextBoolean() ? 0 : (byte) random.nextInt(256);
                    PageMemory.fill(chunk, from, length, value);
                    Arrays.fill(model, from, from + length, value);
                }
                case 1 -> {
                    PageMemory.copy(chunk, from, chunk, to, length);
                    System.arraycopy(model, from, model, to, length);
                }
                case 2 -> {
                    byte[] bytes = random.bytes(length + 3);
                    PageMemory.copyIn(chunk, to, bytes, 3, length);
                    System.arraycopy(bytes, 3, model, to, length);
                }
                default -> {
                    byte[] bytes = new byte[length + 3];
                    PageMemory.copyOut(chunk, from, bytes, 3, length);
                    assertThat(Arrays.mismatch(bytes, 3, length + 3, model, from, from + length))
                            .isNegative();
                }
            }
            if (i % 50 == 0) {
                byte[] all = new byte[CHUNK_BYTES];
                chunk.get(0, all);
                assertThat(Arrays.mismatch(all, model)).as("call=%s", i).isNegative();
            }
        }
    }

    @Test
    void givenRandomKeys_whenCompared_thenTheOrderIsTheUnsignedOneOfTheLibrary(
            SeededRandom random) {
        for (int i = 0; i < 20_000; i++) {
            byte[] left = random.bytes(random.nextInt(40));
            byte[] right = Arrays.copyOf(left, random.nextInt(40));
            if (right.length > 0 && random.nextBoolean()) {
                right[random.nextInt(right.length)] ^= (byte) (1 << random.nextInt(8));
            }
            int at = random.nextInt(100);
            int otherAt = random.nextInt(100);
            PageMemory.copyIn(chunk, at, left, 0, left.length);
            PageMemory.copyIn(other, otherAt, right, 0, right.length);
            byte[] shifted = new byte[right.length + 5];
            System.arraycopy(right, 0, shifted, 5, right.length);
            int expected = Integer.signum(Arrays.compareUnsigned(left, right));
            int mismatch = Arrays.mismatch(left, right);
            int common = mismatch < 0 ? left.length : mismatch;

            int byKey = PageMemory.compare(chunk, at, left.length, shifted, 5, right.length);
            int byRange = PageMemory.compare(chunk, at, left.length, other, otherAt, right.length);

            assertThat(Integer.signum(byKey)).as("call=%s", i).isEqualTo(expected);
            assertThat(Integer.signum(byRange)).as("call=%s", i).isEqualTo(expected);
            assertThat(PageMemory.commonPrefix(chunk, at, left.length, shifted, 5, right.length))
                    .as("call=%s", i)
                    .isEqualTo(common);
            assertThat(
                            PageMemory.commonPrefix(
                                    chunk, at, left.length, other, otherAt, right.length))
                    .as("call=%s", i)
                    .isEqualTo(common);
        }
    }

    @Test
    void givenAnOffsetOutsideTheChunk_whenAccessed_thenItIsABoundsErrorAndNothingElse() {
        for (int offset : new int[] {-1, -8, CHUNK_BYTES, CHUNK_BYTES + 8, Integer.MAX_VALUE - 7}) {
            assertThatThrownBy(() -> PageMemory.getByte(chunk, offset)).isInstanceOf(BOUNDS);
            assertThatThrownBy(() -> PageMemory.getUnsignedShort(chunk, offset))
                    .isInstanceOf(BOUNDS);
            assertThatThrownBy(() -> PageMemory.getInt(chunk, offset)).isInstanceOf(BOUNDS);
            assertThatThrownBy(() -> PageMemory.getLong(chunk, offset)).isInstanceOf(BOUNDS);
            assertThatThrownBy(() -> PageMemory.getLongAcquire(chunk, offset)).isInstanceOf(BOUNDS);
            assertThatThrownBy(() -> PageMemory.bigEndianInt(chunk, offset)).isInstanceOf(BOUNDS);
            assertThatThrownBy(() -> PageMemory.copyOut(chunk, offset, new byte[8], 0, 8))
                    .isInstanceOf(BOUNDS);
            assertThatThrownBy(() -> PageMemory.compare(chunk, offset, 8, new byte[8], 0, 8))
                    .isInstanceOf(BOUNDS);
            assertThatThrownBy(() -> PageMemory.compare(chunk, 0, 8, chunk, offset, 8))
                    .isInstanceOf(BOUNDS);
            assertThatThrownBy(() -> PageMemory.commonPrefix(chunk, offset, 8, new byte[8], 0, 8))
                    .isInstanceOf(BOUNDS);
        }

        assertThatThrownBy(() -> PageMemory.copyOut(chunk, 0, new byte[8], 0, 9))
                .isInstanceOf(BOUNDS);
        assertThatThrownBy(() -> PageMemory.getLong(chunk, CHUNK_BYTES - 7)).isInstanceOf(BOUNDS);
    }

    private static final Class<IndexOutOfBoundsException> BOUNDS = IndexOutOfBoundsException.class;

    private static int[] bytes(ByteBuffer buffer, int offset, int length) {
        int[] bytes = new int[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = buffer.get(offset + i) & 0xFF;
        }
        return bytes;
    }
}
