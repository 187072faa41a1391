// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.page.FormatTable;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What is on disk of a tree: the offsets, the exact bytes, and that each flipped byte is noticed.
 */
final class TreeFormatTest {
    private static final int PAGE_BYTES = 4096;
    private static final int PAGE = PAGE_BYTES;
    private static final long PAGE_ID = PageId.of(1, 9);

    private final ByteBuffer chunk = ByteBuffer.allocateDirect(3 * PAGE_BYTES);
    private final NodeScratch scratch = new NodeScratch(PAGE_BYTES);

    @BeforeEach
    void buildAPage() {
        PageMemory.fill(chunk, 0, chunk.capacity(), (byte) 0xFF);
        PageHeader.initialize(chunk, PAGE, PAGE_BYTES, PAGE_ID, 16, PageType.LEAF);
        NodeImage.begin(scratch.body, 0, NodeLayout.NO_INSERT, 0, NodeLayout.NO_CHILD);
        NodeImage.putFence(scratch.body, bytes("app"), 0, 3);
        NodeImage.putFence(scratch.body, bytes("aq"), 0, 2);
        scratch.body.putVarint(0);
        apply(NodeChange.NODE_BUILD);
        insert(0, LeafRecord.HAS_VERSION, "apple", "red");
        insert(1, 0, "apply", "it");
    }

    @Test
    void givenTheByteTables_whenComparedWithTheOffsets_thenTheyAgree() throws Exception {
        assertThat(FormatTable.constants(NodeLayout.class))
                .isEqualTo(FormatTable.rows("tree-page.md", "Node header"));
        assertThat(FormatTable.constants(OverflowLayout.class))
                .isEqualTo(FormatTable.rows("overflow-page.md"));
        assertThat(FormatTable.rows("tree-page.md", "Slot"))
                .containsEntry("head", NodeLayout.SLOT_HEAD)
                .containsEntry("record", NodeLayout.SLOT_RECORD)
                .containsEntry("length", NodeLayout.SLOT_LENGTH);
    }

    @Test
    void givenTwoInserts_whenThePageIsRead_thenTheBytesAreTheGoldenOnes() {
        String header = hex(NodeLayout.LEVEL_OFFSET, 32);
        String slots = hex(NodeLayout.SLOTS_OFFSET, 24);
        String heap = hex(PAGE_BYTES - 8 - 5 - 25 - 8, 38);

        assertThat(header)
                .isEqualTo(
                        "00"
                                + "03"
                                + "0200"
                                + "d20f"
                                + "0000"
                                + "0100"
                                + "f50f"
                                + "0300"
                                + "f30f"
                                + "0200"
                                + "0100"
                                + "ffffffff"
                                + "0100"
                                + "000000000000");
        assertThat(slots)
                .isEqualTo(
                        "70706c65"
                                + "da0f"
                                + "1900"
                                + "70706c79"
                                + "d20f"
                                + "0800"
                                + "0000000000000000");
        assertThat(heap)
                .isEqualTo(
                        "0004"
                                + hexOf("pply")
                                + hexOf("it")
                                + "0204"
                                + "0700000000000000"
                                + "0900000000000000"
                                + hexOf("pple")
                                + hexOf("red")
                                + hexOf("aq")
                                + hexOf("app"));
    }

    @Test
    void givenASoundPage_whenAByteOfHeaderOrSlotIsFlipped_thenTheCheckNoticesIt() {
        List<String> unnoticed = new ArrayList<>();
        int end = NodeLayout.SLOTS_OFFSET + 2 * NodeLayout.SLOT_BYTES;
        for (int at = NodeLayout.LEVEL_OFFSET; at < end; at++) {
            byte before = PageMemory.getByte(chunk, PAGE + at);
            PageMemory.putByte(chunk, PAGE + at, before ^ 0x10);
            if (findings().isEmpty()) {
                unnoticed.add(Integer.toString(at));
            }
            PageMemory.putByte(chunk, PAGE + at, before);
        }

        assertThat(findings()).isEmpty();
        // the two fields that only guide the choice of a split point may hold anything
        assertThat(unnoticed).containsExactly("90", "91", "96", "97");
    }

    @Test
    void givenOverflowPointers_whenWrittenAndRead_thenTheBytesAreTheGoldenOnes() {
        byte[] pointer = new byte[OverflowPointer.BYTES + 1];

        OverflowPointer.encode(pointer, 1, 0x85060708, 1 << 20);

        assertThat(HexFormat.of().formatHex(pointer))
                .isEqualTo("00" + "08070685" + "00001000" + "0000000000000000");
        assertThat(OverflowPointer.headPage(pointer, 1)).isEqualTo(0x85060708);
        assertThat(OverflowPointer.totalLength(pointer, 1)).isEqualTo(1 << 20);
    }

    private List<String> findings() {
        List<String> found = new ArrayList<>();
        NodeCheck.check(
                chunk,
                PAGE,
                PAGE_BYTES,
                PAGE_ID,
                (id, invariant, what, expected, actual) -> found.add(invariant + " " + what));
        return found;
    }

    private void insert(int slot, int flags, String key, String value) {
        byte[] valueBytes = bytes(value);
        NodeEdit.leafInsert(
                scratch.body,
                slot,
                flags,
                7,
                9,
                bytes(key),
                NodeLayout.prefixLength(chunk, PAGE),
                key.length(),
                valueBytes,
                0,
                valueBytes.length);
        apply(NodeChange.LEAF_INSERT);
    }

    private void apply(int type) {
        ChangeBody body = scratch.body;
        NodeChange.apply(type, chunk, PAGE, PAGE_BYTES, body.bytes, 0, body.length(), scratch);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String hexOf(String text) {
        return HexFormat.of().formatHex(bytes(text));
    }

    private String hex(int from, int length) {
        byte[] bytes = new byte[length];
        chunk.get(PAGE + from, bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
