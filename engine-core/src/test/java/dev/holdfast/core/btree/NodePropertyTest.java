// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One page against a sorted map: if this failed, a record would be lost, found at the wrong place
 * or different after recovery. Every change is applied twice, on the page and on a twin that sees
 * the redo bodies only; the two must stay equal byte for byte.
 */
final class NodePropertyTest {
    private static final int STEPS = 3_000;
    private static final long PAGE_ID = PageId.of(1, 77);

    /** What a record holds beside its key. */
    private static final class Row {
        private final int flags;
        private final long txnId;
        private final long roll;
        private final byte[] value;

        Row(int flags, long txnId, long roll, byte[] value) {
            this.flags = flags;
            this.txnId = txnId;
            this.roll = roll;
            this.value = value;
        }

        boolean sameAs(Row other) {
            return flags == other.flags
                    && txnId == other.txnId
                    && roll == other.roll
                    && Arrays.equals(value, other.value);
        }
    }

    private int pageBytes;
    private int page;
    private ByteBuffer chunk;
    private ByteBuffer twin;
    private NodeScratch scratch;
    private NodeScratch twinScratch;
    private SplittableRandom random;
    private TreeMap<byte[], Row> model;
    private byte[] lower;
    private byte[] upper;
    private int splits;
    private int widened;
    private int refused;

    @ParameterizedTest
    @CsvSource({
        "4096, 1",
        "4096, 2",
        "4096, 3",
        "4096, 4",
        "8192, 5",
        "16384, 6",
        "16384, 7",
        "32768, 8",
        "65536, 9",
        "65536, 10"
    })
    void givenRandomChanges_whenAppliedAndReplayed_thenModelPageAndTwinAgree(int bytes, long seed) {
        create(bytes, seed);

        for (int step = 0; step < STEPS; step++) {
            step();
            checkAll("seed=" + seed + ", step=" + step);
        }

        assertThat(splits).as("cuts").isPositive();
        assertThat(widened).as("widened ranges").isPositive();
        assertThat(refused).as("inserts into a full page").isPositive();
    }

    private void create(int bytes, long seed) {
        pageBytes = bytes;
        page = bytes;
        random = new SplittableRandom(seed);
        chunk = dirty(1);
        twin = dirty(2);
        scratch = new NodeScratch(bytes);
        twinScratch = new NodeScratch(bytes);
        model = new TreeMap<>(Arrays::compareUnsigned);
        lower = null;
        upper = null;
        for (ByteBuffer each : List.of(chunk, twin)) {
            PageHeader.initialize(each, page, bytes, PAGE_ID, 16, PageType.LEAF);
        }
        NodeEdit.emptyLeaf(scratch.body);
        apply(NodeChange.NODE_BUILD);
    }

    private ByteBuffer dirty(int fill) {
        ByteBuffer memory = ByteBuffer.allocateDirect(3 * pageBytes);
        PageMemory.fill(memory, 0, memory.capacity(), (byte) fill);
        return memory;
    }

    private void apply(int type) {
        ChangeBody body = scratch.body;
        byte[] logged = Arrays.copyOf(body.bytes, body.length());
        NodeChange.apply(type, chunk, page, pageBytes, body.bytes, 0, body.length(), scratch);
        NodeChange.apply(type, twin, page, pageBytes, logged, 0, logged.length, twinScratch);
    }

    private void step() {
        int dice = random.nextInt(100);
        if (dice < 55) {
            insert();
        } else if (dice < 70) {
            replace();
        } else if (dice < 80) {
            header();
        } else if (dice < 95) {
            remove();
        } else if (dice < 97) {
            drop();
        } else if (dice < 98) {
            split();
        } else {
            widen();
        }
    }

    private void insert() {
        byte[] key = key();
        Row row = row();
        int found = NodeSearch.leaf(chunk, page, key, key.length);
        int prefix = NodeLayout.prefixLength(chunk, page);
        int bytes = LeafRecord.bytes(row.flags, key.length - prefix, row.value.length);
        if (found < 0 && !NodeSize.fitsInsert(chunk, page, bytes)) {
            refused++;
        }
        if (found >= 0 || !NodeSize.fitsInsert(chunk, page, bytes)) {
            return;
        }
        NodeEdit.leafInsert(
                scratch.body,
                -1 - found,
                row.flags,
                row.txnId,
                row.roll,
                key,
                prefix,
                key.length,
                row.value,
                0,
                row.value.length);
        apply(NodeChange.LEAF_INSERT);
        model.put(key, row);
    }

    private void replace() {
        byte[] key = present();
        if (key == null) {
            return;
        }
        Row row = row();
        int slot = NodeSearch.leaf(chunk, page, key, key.length);
        int prefix = NodeLayout.prefixLength(chunk, page);
        int bytes = LeafRecord.bytes(row.flags, key.length - prefix, row.value.length);
        if (!NodeSize.fitsReplace(chunk, page, slot, bytes)) {
            return;
        }
        NodeEdit.leafReplace(
                scratch.body, slot, row.flags, row.txnId, row.roll, row.value, 0, row.value.length);
        apply(NodeChange.LEAF_REPLACE);
        model.put(key, row);
    }

    private void header() {
        byte[] key = present();
        if (key == null) {
            return;
        }
        Row old = model.get(key);
        int flags = random.nextInt(4) & 3;
        boolean versioned = (flags & LeafRecord.HAS_VERSION) != 0;
        Row row =
                new Row(
                        flags,
                        versioned ? random.nextLong(1000) : 0,
                        versioned ? random.nextLong() : 0,
                        old.value);
        int slot = NodeSearch.leaf(chunk, page, key, key.length);
        int prefix = NodeLayout.prefixLength(chunk, page);
        int bytes = LeafRecord.bytes(flags, key.length - prefix, row.value.length);
        if (!NodeSize.fitsReplace(chunk, page, slot, bytes)) {
            return;
        }
        NodeEdit.leafHeader(scratch.body, slot, row.flags, row.txnId, row.roll);
        apply(NodeChange.LEAF_HEADER);
        model.put(key, row);
    }

    private void remove() {
        byte[] key = present();
        if (key == null) {
            return;
        }
        NodeEdit.leafRemove(scratch.body, NodeSearch.leaf(chunk, page, key, key.length));
        apply(NodeChange.LEAF_REMOVE);
        model.remove(key);
    }

    private void drop() {
        NodeEdit.dropSettled(scratch.body, chunk, page, txnId -> txnId % 3 == 0);
        apply(NodeChange.NODE_COMPACT);
        model.replaceAll(
                (key, row) ->
                        row.flags == LeafRecord.HAS_VERSION && row.txnId % 3 == 0
                                ? new Row(0, 0, 0, row.value)
                                : row);
    }

    /** Cuts the page; goes on with one half or the other, as on the pages of a tree. */
    private void split() {
        if (model.size() < 2) {
            return;
        }
        SplitPoint point = new SplitPoint(pageBytes);
        byte[] key = key();
        point.chooseLeaf(chunk, page, key, key.length, pageBytes / 8);
        byte[] separator = Arrays.copyOf(point.separator(), point.separatorLength());
        assertThat(separator.length).isLessThanOrEqualTo(TreeLimits.keyBytesMax(pageBytes));
        if (random.nextBoolean()) {
            NodeEdit.cut(scratch.body, point.keep(), separator, separator.length);
            assertThat(model.headMap(separator)).hasSize(point.keep());
            apply(NodeChange.NODE_CUT);
            model.tailMap(separator).clear();
            upper = separator;
        } else {
            NodeEdit.rightHalf(
                    scratch.body, chunk, page, point.keep(), separator, separator.length);
            apply(NodeChange.NODE_BUILD);
            model.headMap(separator).clear();
            lower = separator;
        }
        splits++;
    }

    /** Takes over the range of a neighbour: a fence becomes a wider one or vanishes. */
    private void widen() {
        if (lower == null && upper == null) {
            return;
        }
        ByteBuffer neighbour = ByteBuffer.allocateDirect(pageBytes);
        PageHeader.initialize(neighbour, 0, pageBytes, PAGE_ID + 1, 16, PageType.LEAF);
        byte[] far = lower != null && random.nextBoolean() ? shorter(lower) : null;
        NodeImage.begin(scratch.rebuild, 0, NodeLayout.NO_INSERT, 0, NodeLayout.NO_CHILD);
        putFence(far);
        NodeImage.putNoFence(scratch.rebuild);
        scratch.rebuild.putVarint(0);
        NodeImage.apply(neighbour, 0, pageBytes, scratch.rebuild.bytes, 0);
        int bytes = NodeSize.widenedBytesMax(chunk, page, pageBytes, neighbour, 0, chunk, page);
        if (bytes > NodeLayout.capacity(pageBytes)) {
            return;
        }
        NodeEdit.fences(scratch.body, neighbour, 0, chunk, page);
        apply(NodeChange.NODE_FENCES);
        assertThat(used()).isLessThanOrEqualTo(bytes);
        lower = far;
        if (random.nextInt(4) == 0 && upper != null) {
            upper = null;
            NodeEdit.fences(scratch.body, chunk, page, neighbour, 0);
            if (NodeSize.widenedBytesMax(chunk, page, pageBytes, chunk, page, neighbour, 0)
                    <= NodeLayout.capacity(pageBytes)) {
                apply(NodeChange.NODE_FENCES);
            } else {
                upper = upperOfPage();
            }
        }
        widened++;
    }

    private int used() {
        return NodeLayout.capacity(pageBytes) - NodeLayout.totalFree(chunk, page);
    }

    private byte[] upperOfPage() {
        byte[] fence = new byte[NodeLayout.upperFenceLength(chunk, page)];
        PageMemory.copyOut(
                chunk, page + NodeLayout.upperFence(chunk, page), fence, 0, fence.length);
        return fence;
    }

    private void putFence(byte[] fence) {
        if (fence == null) {
            NodeImage.putNoFence(scratch.rebuild);
        } else {
            NodeImage.putFence(scratch.rebuild, fence, 0, fence.length);
        }
    }

    private byte[] shorter(byte[] fence) {
        return Arrays.copyOf(fence, random.nextInt(fence.length + 1));
    }

    private void checkAll(String where) {
        List<String> found = new ArrayList<>();
        NodeCheck.check(
                chunk,
                page,
                pageBytes,
                PAGE_ID,
                (id, invariant, what, expected, actual) ->
                        found.add(invariant + " " + what + " " + expected + " " + actual));
        assertThat(found).as(where).isEmpty();
        assertThat(NodeLayout.slotCount(chunk, page)).as(where).isEqualTo(model.size());
        int slot = 0;
        byte[] key = new byte[TreeLimits.keyBytesMax(pageBytes)];
        for (Map.Entry<byte[], Row> entry : model.entrySet()) {
            int length = NodeEdit.keyOf(chunk, page, slot, key);
            assertThat(Arrays.equals(key, 0, length, entry.getKey(), 0, entry.getKey().length))
                    .as(where)
                    .isTrue();
            assertThat(rowAt(slot).sameAs(entry.getValue())).as(where).isTrue();
            slot++;
        }
        checkSearch(where);
        assertThat(twin.slice(page, pageBytes).mismatch(chunk.slice(page, pageBytes)))
                .as(where)
                .isEqualTo(-1);
        assertThat(chunk.get(page - 1)).as(where).isEqualTo((byte) 1);
        assertThat(chunk.get(page + pageBytes)).as(where).isEqualTo((byte) 1);
    }

    private void checkSearch(String where) {
        byte[] key = key();
        int expected = model.headMap(key).size();
        int found = NodeSearch.leaf(chunk, page, key, key.length);
        assertThat(found).as(where).isEqualTo(model.containsKey(key) ? expected : -1 - expected);
    }

    private Row rowAt(int slot) {
        int record = NodeLayout.recordAt(chunk, page, slot);
        int length = NodeLayout.recordLength(chunk, page, slot);
        byte[] value = new byte[LeafRecord.valueLength(chunk, record, length)];
        PageMemory.copyOut(chunk, LeafRecord.valueAt(chunk, record), value, 0, value.length);
        return new Row(
                LeafRecord.flags(chunk, record),
                LeafRecord.txnId(chunk, record),
                LeafRecord.roll(chunk, record),
                value);
    }

    private byte[] present() {
        if (model.isEmpty()) {
            return null;
        }
        byte[] at = model.floorKey(key());
        return at == null ? model.firstKey() : at;
    }

    private Row row() {
        int flags = random.nextInt(4);
        boolean versioned = (flags & LeafRecord.HAS_VERSION) != 0;
        int length = random.nextInt(10) == 0 ? random.nextInt(pageBytes / 16) : random.nextInt(40);
        byte[] value = new byte[length];
        random.nextBytes(value);
        return new Row(
                flags,
                versioned ? random.nextLong(1000) : 0,
                versioned ? random.nextLong() : 0,
                value);
    }

    /** A key between the fences, of few letters, so that heads and prefixes are often equal. */
    private byte[] key() {
        for (int attempt = 0; ; attempt++) {
            int lengthMax = random.nextInt(8) == 0 ? TreeLimits.keyBytesMax(pageBytes) : 12;
            byte[] key = new byte[random.nextInt(lengthMax + 1)];
            for (int i = 0; i < key.length; i++) {
                key[i] = (byte) (random.nextInt(i < 6 ? 3 : 2) * 127);
            }
            if (attempt > 20) {
                byte[] base = lower == null ? new byte[0] : lower;
                int extra = random.nextInt(4);
                key = Arrays.copyOf(base, Math.min(base.length + extra, lengthMaxOf()));
                for (int i = base.length; i < key.length; i++) {
                    key[i] = (byte) random.nextInt(256);
                }
            }
            boolean above = lower == null || Arrays.compareUnsigned(key, lower) >= 0;
            boolean below = upper == null || Arrays.compareUnsigned(key, upper) < 0;
            if (above && below) {
                return key;
            }
        }
    }

    private int lengthMaxOf() {
        return TreeLimits.keyBytesMax(pageBytes);
    }
}
