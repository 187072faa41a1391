// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.undo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.page.FormatTable;
import dev.holdfast.core.page.PageId;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What is on disk of undo: the offsets, the exact bytes, and that both ends of an entry agree. */
final class UndoLayoutTest {
    private static final int PAGE_BYTES = 4096;
    private final ByteBuffer chunk = ByteBuffer.allocateDirect(2 * PAGE_BYTES);

    @Test
    void givenTheByteTableOfThePage_whenComparedWithTheOffsets_thenTheyAgree() throws Exception {
        assertThat(FormatTable.constants(UndoPage.class))
                .isEqualTo(FormatTable.rows("undo-page.md"));
    }

    @Test
    void givenTheByteTablesOfTheEntries_whenComparedWithTheOffsets_thenTheyAgree()
            throws Exception {
        Map<String, Integer> rows = new TreeMap<>(FormatTable.rows("undo-entry.md", "Common"));
        rows.putAll(FormatTable.rows("undo-entry.md", "Log header"));
        rows.putAll(FormatTable.rows("undo-entry.md", "Undo record"));

        assertThat(FormatTable.constants(UndoEntry.class)).isEqualTo(rows);
    }

    @Test
    void givenARollPointer_whenTakenApart_thenItsPartsAreThere() {
        long pageId = PageId.of(9, 0xFEDC_BA98);

        long pointer = RollPointer.of(pageId, 0xFFF1);

        assertThat(pointer).isEqualTo(0x09FE_DCBA_98FF_F100L);
        assertThat(RollPointer.pageId(pointer)).isEqualTo(pageId);
        assertThat(RollPointer.offset(pointer)).isEqualTo(0xFFF1);
    }

    @Test
    void givenALogHeader_whenWritten_thenTheBytesAreTheGoldenOnes() {
        UndoEntry.writeLogHeader(chunk, PAGE_BYTES, 0x0102_0304_0506_0708L);

        assertThat(hex(PAGE_BYTES, 27))
                .isEqualTo(
                        "1a00"
                                + "01"
                                + "01"
                                + "00000000"
                                + "0807060504030201"
                                + "0000000000000000"
                                + "1a00"
                                + "00");
    }

    @Test
    void givenAnUpdate_whenWritten_thenTheBytesAreTheGoldenOnesAndAreReadBack() {
        ByteBuffer value = ByteBuffer.allocateDirect(8);
        PageMemory.putInt(value, 2, 0x4433_2211);
        UndoImage image =
                new UndoImage()
                        .set(UndoEntry.UPDATE, 0x10, 0x21, new byte[] {0x55, 0x66, 0x77}, 2)
                        .previous(6, 0x31, 0x41)
                        .value(value, 2, 4);

        UndoEntry.writeRecord(chunk, PAGE_BYTES, 0x51, 0x61, image);

        assertThat(hex(PAGE_BYTES, image.recordBytes()))
                .isEqualTo(
                        "3400"
                                + "03"
                                + "06"
                                + "00"
                                + "00"
                                + "6100"
                                + "51000000"
                                + "10000000"
                                + "2100000000000000"
                                + "3100000000000000"
                                + "4100000000000000"
                                + "0200"
                                + "0400"
                                + "5566"
                                + "11223344"
                                + "3400");
        UndoVersion version = new UndoVersion();
        version.copy(chunk, PAGE_BYTES);
        assertThat(version.isOf(0x10, new byte[] {0x55, 0x66}, 2, 0x21)).isTrue();
        assertThat(version.isOf(0x10, new byte[] {0x55, 0x66}, 2, 0x22)).isFalse();
        assertThat(version.previousRoll()).isEqualTo(0x41);
        assertThat(version.valueLength()).isEqualTo(4);
        assertThat(UndoEntry.lengthBefore(chunk, PAGE_BYTES + image.recordBytes()))
                .isEqualTo(image.recordBytes());
    }

    private String hex(int from, int length) {
        byte[] bytes = new byte[length];
        chunk.get(from, bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
