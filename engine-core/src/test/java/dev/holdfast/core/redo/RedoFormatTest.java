// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.FormatException;
import dev.holdfast.core.page.FormatTable;
import dev.holdfast.core.page.PageId;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What is on disk: the offsets, the exact bytes, and what a header may not say. */
final class RedoFormatTest {
    private static final UUID STORE = new UUID(0x0102030405060708L, 0x090A0B0C0D0E0F10L);
    private static final int OFFSET = Lsn.BLOCK_BYTES;

    private final ByteBuffer chunk = AlignedBuffers.allocate(2 * Lsn.BLOCK_BYTES);

    @Test
    void givenTheByteTables_whenComparedWithTheOffsets_thenTheyAgree() throws Exception {
        assertThat(FormatTable.constants(BlockHeader.class))
                .isEqualTo(FormatTable.rows("redo-block.md"));
        assertThat(FormatTable.constants(SegmentHeader.class))
                .isEqualTo(FormatTable.rows("redo-segment.md"));
        assertThat(FormatTable.constants(CheckpointBlock.class))
                .isEqualTo(FormatTable.rows("checkpoint.md"));
        var group = FormatTable.rows("redo-group.md");
        assertThat(group.remove("records")).isEqualTo(GroupHeader.BYTES);
        group.keySet().retainAll(FormatTable.constants(GroupHeader.class).keySet());
        assertThat(FormatTable.constants(GroupHeader.class)).isEqualTo(group);
    }

    @Test
    void givenABlock_whenSealed_thenTheBytesAreTheGoldenOnes() {
        PageMemory.fill(chunk, 0, chunk.capacity(), (byte) 0xFF);
        PageMemory.fill(chunk, OFFSET + BlockHeader.BYTES, Lsn.PAYLOAD, (byte) 0);

        seal();

        assertThat(hex(OFFSET + 4, 60))
                .isEqualTo(
                        "03000000"
                                + "0807060504030201"
                                + "100f0e0d0c0b0a09"
                                + "0050000000000000"
                                + "0030000000000000"
                                + "4020000000000000"
                                + "3000"
                                + "1000"
                                + "00".repeat(12));
        assertThat(hex(OFFSET, 4)).isEqualTo("ea5a16e1");
        assertThat(hex(OFFSET - 1, 1)).isEqualTo("ff");
    }

    @Test
    void givenASealedBlock_whenAnyBitIsFlipped_thenItIsNotSound() {
        seal();
        assertThat(BlockHeader.isSound(chunk, OFFSET, STORE)).isTrue();

        for (int i = 0; i < Lsn.BLOCK_BYTES; i += i < BlockHeader.BYTES ? 1 : 61) {
            for (int bit = 0; bit < Byte.SIZE; bit++) {
                flip(i, bit);
                assertThat(BlockHeader.isSound(chunk, OFFSET, STORE)).as("byte %d", i).isFalse();
                flip(i, bit);
            }
        }

        assertThat(BlockHeader.isSound(chunk, OFFSET, STORE)).isTrue();
    }

    @Test
    void givenAReservedFieldSet_whenTheChecksumIsMended_thenTheBlockIsNotSound() {
        for (int i = BlockHeader.STREAM_ID_OFFSET; i < BlockHeader.BYTES; i++) {
            seal();
            flip(i, 0);
            int checksum = PageChecksums.CRC32C.compute(chunk, OFFSET + 4, Lsn.BLOCK_BYTES - 4);
            PageMemory.putInt(chunk, OFFSET, checksum);

            assertThat(BlockHeader.isSound(chunk, OFFSET, STORE)).as("byte %d", i).isFalse();
        }
    }

    @Test
    void givenAGroup_whenFinished_thenTheBytesAreTheGoldenOnes() {
        RedoWriter writer = new RedoWriter(64);
        writer.begin(RedoType.PATCH, PageId.of(1, 300));
        writer.putVarint(72);
        writer.putShort(0x1234);
        writer.end();

        byte[] bytes = writer.finished(4160);

        assertThat(HexFormat.of().formatHex(bytes, 0, 32))
                .isEqualTo(
                        "19000000"
                                + "0000"
                                + "0000"
                                + "4010000000000000"
                                + "03"
                                + "00"
                                + "01"
                                + "ac02"
                                + "03"
                                + "48"
                                + "3412"
                                + "00".repeat(7));
    }

    @Test
    void givenACheckpointRecord_whenWritten_thenItReadsBackAndTheBytesAreTheGoldenOnes() {
        CheckpointRecord record =
                new CheckpointRecord(
                        7, 8272, 3, 4096, 8288, 0x1122334455L, 17, 18, true, 16384, layout());

        CheckpointBlock.write(chunk, OFFSET, STORE, record);

        assertThat(CheckpointBlock.isWhole(chunk, OFFSET)).isTrue();
        assertThat(CheckpointBlock.read(chunk, OFFSET)).isEqualTo(record);
        assertThat(hex(OFFSET + 4, 12)).isEqualTo("01000000" + "4846434845434b50");
        assertThat(hex(OFFSET + 32, 84))
                .isEqualTo(
                        "0700000000000000"
                                + "5020000000000000"
                                + "0010000000000000"
                                + "6020000000000000"
                                + "5544332211000000"
                                + "0050000000000000"
                                + "03000000"
                                + "11000000"
                                + "12000000"
                                + "00400000"
                                + "04000000"
                                + "00".repeat(12)
                                + "01"
                                + "00".repeat(3));
    }

    @Test
    void givenASegmentHeader_whenAnyByteIsFlipped_thenItIsRefused() {
        SegmentHeader.write(chunk, STORE, layout(), 2);
        SegmentHeader.check(chunk, "redo/002.hfl", STORE, layout(), 2);

        for (int i = 0; i < Lsn.BLOCK_BYTES; i += i < SegmentHeader.RESERVED_OFFSET ? 1 : 61) {
            int at = i;
            PageMemory.putByte(chunk, at, PageMemory.getByte(chunk, at) ^ 1);
            assertThatThrownBy(() -> checkSegment(2))
                    .as("byte %d", i)
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining("redo/002.hfl");
            PageMemory.putByte(chunk, at, PageMemory.getByte(chunk, at) ^ 1);
        }

        assertThatThrownBy(() -> checkSegment(1)).hasMessageContaining("segmentIndex=1");
    }

    @Test
    void givenASegmentOfALaterVersion_whenChecked_thenItIsAFormatError() {
        SegmentHeader.write(chunk, STORE, layout(), 2);
        PageMemory.putInt(chunk, SegmentHeader.VERSION_OFFSET, 2);
        PageMemory.putInt(chunk, 0, PageChecksums.CRC32C.compute(chunk, 4, Lsn.BLOCK_BYTES - 4));

        assertThatThrownBy(() -> checkSegment(2))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("version=2");
    }

    private void checkSegment(int segment) {
        SegmentHeader.check(chunk, "redo/002.hfl", STORE, layout(), segment);
    }

    private static RedoLayout layout() {
        return new RedoLayout(4, 5 * Lsn.BLOCK_BYTES);
    }

    private void seal() {
        BlockHeader.Identity identity = new BlockHeader.Identity(STORE, 3, 3 * 4096);
        BlockHeader.seal(chunk, OFFSET, identity, 5 * 4096, 2 * 4096 + 64, 48, 16);
    }

    private void flip(int at, int bit) {
        int value = PageMemory.getByte(chunk, OFFSET + at) ^ 1 << bit;
        PageMemory.putByte(chunk, OFFSET + at, value);
    }

    private String hex(int from, int length) {
        byte[] bytes = new byte[length];
        chunk.get(from, bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
