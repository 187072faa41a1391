// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.page.Varint;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/**
 * All changes of one tree page, each applied from the body of its redo record.
 *
 * <p>The forward path writes the body first and applies it with the same call as recovery, so the
 * two cannot differ. A body names slots of its own page and holds all bytes that the change needs.
 * What it asks for must fit: the forward path checked that before the group's first change.
 *
 * <p><b>Latches:</b> the page is held exclusively on entry and on return; nothing is thrown unless
 * a body is not one of ours.
 */
final class NodeChange {
    /** {slot varint, record}. */
    static final int LEAF_INSERT = 32;

    /** {slot varint}. */
    static final int LEAF_REMOVE = 33;

    /** {slot varint, flags u8, [txn u64, roll u64], value}: the key stays. */
    static final int LEAF_REPLACE = 34;

    /** {slot varint, flags u8, [txn u64, roll u64]}: key and value stay. */
    static final int LEAF_HEADER = 35;

    /** {list of slots that lose their version, see {@link NodeImage#putRecords}}. */
    static final int NODE_COMPACT = 36;

    /** {slots to keep varint, new upper fence}. */
    static final int NODE_CUT = 37;

    /** {lower fence, upper fence}: varint length + 1 and bytes each. */
    static final int NODE_FENCES = 38;

    /** A {@link NodeImage}. */
    static final int NODE_BUILD = 39;

    /** {slot varint, child u32, separator behind the prefix}. */
    static final int INNER_INSERT = 40;

    /** {first slot varint, slots varint, right survives u8}. */
    static final int INNER_REMOVE = 41;

    /** Runs are counted up to here. */
    private static final int RUN_MAX = 1 << 14;

    private NodeChange() {}

    /** Whether there is a change of that type; to be asked of a type that was read from a disk. */
    static boolean isKnown(int type) {
        return type >= LEAF_INSERT && type <= INNER_REMOVE;
    }

    /** Applies a change; the scratch's {@code body} may be the body itself. */
    static void apply(
            int type,
            ByteBuffer chunk,
            int page,
            int pageBytes,
            byte[] body,
            int at,
            int length,
            NodeScratch scratch) {
        switch (type) {
            case LEAF_INSERT, INNER_INSERT ->
                    insert(chunk, page, pageBytes, body, at, length, scratch);
            case LEAF_REMOVE -> remove(chunk, page, Varint.get(body, at));
            case LEAF_REPLACE -> replace(chunk, page, pageBytes, body, at, length, scratch);
            case LEAF_HEADER -> header(chunk, page, pageBytes, body, at, scratch);
            case NODE_COMPACT -> compact(chunk, page, pageBytes, body, at, scratch);
            case NODE_CUT -> cut(chunk, page, pageBytes, body, at, scratch);
            case NODE_FENCES -> fences(chunk, page, pageBytes, body, at, length, scratch);
            case NODE_BUILD -> NodeImage.apply(chunk, page, pageBytes, body, at);
            case INNER_REMOVE -> removeChildren(chunk, page, body, at);
            default ->
                    throw new IllegalStateException("unknown change of a tree page: type=" + type);
        }
    }

    private static void insert(
            ByteBuffer chunk,
            int page,
            int pageBytes,
            byte[] body,
            int at,
            int length,
            NodeScratch scratch) {
        int slot = Varint.get(body, at);
        int header = Varint.length(slot);
        place(chunk, page, pageBytes, slot, body, at + header, length - header, scratch);
        int last = NodeLayout.lastInsert(chunk, page);
        int run = NodeLayout.run(chunk, page);
        if (last != NodeLayout.NO_INSERT && slot == last + 1) {
            run = Math.min(Math.max(run, 0) + 1, RUN_MAX);
        } else if (slot == last) {
            run = Math.max(Math.min(run, 0) - 1, -RUN_MAX);
        } else {
            run = 0;
        }
        NodeLayout.insertPattern(chunk, page, slot, run);
    }

    private static void place(
            ByteBuffer chunk,
            int page,
            int pageBytes,
            int slot,
            byte[] record,
            int at,
            int length,
            NodeScratch scratch) {
        int need = length + NodeLayout.SLOT_BYTES;
        if (NodeLayout.contiguousFree(chunk, page) < need) {
            compact(chunk, page, pageBytes, NodeImage.NO_DROPS, 0, scratch);
        }
        int count = NodeLayout.slotCount(chunk, page);
        int from = NodeLayout.slotAt(page, slot);
        PageMemory.copy(
                chunk,
                from,
                chunk,
                from + NodeLayout.SLOT_BYTES,
                (count - slot) << NodeLayout.SLOT_SHIFT);
        int top = NodeLayout.heapTop(chunk, page) - length;
        PageMemory.copyIn(chunk, page + top, record, at, length);
        int level = NodeLayout.level(chunk, page);
        NodeLayout.slot(
                chunk, page, slot, NodeImage.headOf(record, at, length, level), top, length);
        NodeLayout.slotCount(chunk, page, count + 1);
        NodeLayout.heapTop(chunk, page, top);
    }

    private static void remove(ByteBuffer chunk, int page, int slot) {
        release(
                chunk,
                page,
                NodeLayout.recordAt(chunk, page, slot) - page,
                NodeLayout.recordLength(chunk, page, slot));
        closeSlots(chunk, page, slot, 1);
    }

    /** Gives a record's bytes back: to the free space if it is the lowest, else as garbage. */
    private static void release(ByteBuffer chunk, int page, int record, int length) {
        if (record == NodeLayout.heapTop(chunk, page)) {
            NodeLayout.heapTop(chunk, page, record + length);
        } else {
            NodeLayout.garbage(chunk, page, NodeLayout.garbage(chunk, page) + length);
        }
    }

    private static void closeSlots(ByteBuffer chunk, int page, int slot, int slots) {
        int count = NodeLayout.slotCount(chunk, page);
        int to = NodeLayout.slotAt(page, slot);
        PageMemory.copy(
                chunk,
                to + (slots << NodeLayout.SLOT_SHIFT),
                chunk,
                to,
                (count - slot - slots) << NodeLayout.SLOT_SHIFT);
        NodeLayout.slotCount(chunk, page, count - slots);
    }

    private static void replace(
            ByteBuffer chunk,
            int page,
            int pageBytes,
            byte[] body,
            int at,
            int length,
            NodeScratch scratch) {
        int slot = Varint.get(body, at);
        int flagsAt = at + Varint.length(slot);
        int flags = body[flagsAt];
        int versionBytes = (flags & LeafRecord.HAS_VERSION) * Long.BYTES;
        int valueFrom = flagsAt + 1 + versionBytes;
        int valueLength = at + length - valueFrom;
        int record = NodeLayout.recordAt(chunk, page, slot);
        int oldLength = NodeLayout.recordLength(chunk, page, slot);
        int suffixLength = LeafRecord.suffixLength(chunk, record);
        int newLength = LeafRecord.bytes(flags, suffixLength, valueLength);
        boolean sameShape =
                ((flags ^ LeafRecord.flags(chunk, record)) & LeafRecord.HAS_VERSION) == 0;
        if (sameShape && newLength <= oldLength) {
            PageMemory.copyIn(
                    chunk, LeafRecord.valueAt(chunk, record), body, valueFrom, valueLength);
            overwriteHeader(chunk, record, body, flagsAt, versionBytes);
            shrink(chunk, page, slot, oldLength, newLength);
            return;
        }
        int end = recordHeader(scratch.record, body, flagsAt, suffixLength, versionBytes);
        PageMemory.copyOut(
                chunk, LeafRecord.suffixAt(chunk, record), scratch.record, end, suffixLength);
        System.arraycopy(body, valueFrom, scratch.record, end + suffixLength, valueLength);
        remove(chunk, page, slot);
        place(chunk, page, pageBytes, slot, scratch.record, 0, newLength, scratch);
    }

    private static void header(
            ByteBuffer chunk, int page, int pageBytes, byte[] body, int at, NodeScratch scratch) {
        int slot = Varint.get(body, at);
        int flagsAt = at + Varint.length(slot);
        int flags = body[flagsAt];
        int versionBytes = (flags & LeafRecord.HAS_VERSION) * Long.BYTES;
        int record = NodeLayout.recordAt(chunk, page, slot);
        if (((flags ^ LeafRecord.flags(chunk, record)) & LeafRecord.HAS_VERSION) == 0) {
            overwriteHeader(chunk, record, body, flagsAt, versionBytes);
            return;
        }
        int oldLength = NodeLayout.recordLength(chunk, page, slot);
        int suffixLength = LeafRecord.suffixLength(chunk, record);
        int suffixAt = LeafRecord.suffixAt(chunk, record);
        int rest = record + oldLength - suffixAt;
        int end = recordHeader(scratch.record, body, flagsAt, suffixLength, versionBytes);
        PageMemory.copyOut(chunk, suffixAt, scratch.record, end, rest);
        if (end + rest <= oldLength) {
            PageMemory.copyIn(chunk, record, scratch.record, 0, end + rest);
            shrink(chunk, page, slot, oldLength, end + rest);
        } else {
            remove(chunk, page, slot);
            place(chunk, page, pageBytes, slot, scratch.record, 0, end + rest, scratch);
        }
    }

    /** Flags and version of a record whose shape stays. */
    private static void overwriteHeader(
            ByteBuffer chunk, int record, byte[] body, int flagsAt, int versionBytes) {
        int versionAt = LeafRecord.suffixAt(chunk, record) - versionBytes;
        PageMemory.putByte(chunk, record, body[flagsAt]);
        PageMemory.copyIn(chunk, versionAt, body, flagsAt + 1, versionBytes);
    }

    private static int recordHeader(
            byte[] record, byte[] body, int flagsAt, int suffixLength, int versionBytes) {
        record[0] = body[flagsAt];
        int at = Varint.put(record, 1, suffixLength);
        System.arraycopy(body, flagsAt + 1, record, at, versionBytes);
        return at + versionBytes;
    }

    private static void shrink(ByteBuffer chunk, int page, int slot, int oldLength, int length) {
        NodeLayout.recordLength(chunk, page, slot, length);
        NodeLayout.garbage(chunk, page, NodeLayout.garbage(chunk, page) + oldLength - length);
    }

    private static void compact(
            ByteBuffer chunk,
            int page,
            int pageBytes,
            byte[] drops,
            int dropsAt,
            NodeScratch scratch) {
        ChangeBody image = scratch.rebuild;
        beginAs(image, chunk, page);
        NodeImage.putLowerOf(image, chunk, page);
        NodeImage.putUpperOf(image, chunk, page);
        int count = NodeLayout.slotCount(chunk, page);
        image.putVarint(count);
        int prefix = NodeLayout.prefixLength(chunk, page);
        NodeImage.putRecords(image, chunk, page, 0, count, prefix, drops, dropsAt);
        NodeImage.apply(chunk, page, pageBytes, image.bytes, 0);
    }

    private static void cut(
            ByteBuffer chunk, int page, int pageBytes, byte[] body, int at, NodeScratch scratch) {
        int keep = Varint.get(body, at);
        int fenceAt = at + Varint.length(keep);
        int coded = Varint.get(body, fenceAt);
        ChangeBody image = scratch.rebuild;
        beginAs(image, chunk, page);
        NodeImage.putLowerOf(image, chunk, page);
        NodeImage.putFence(image, body, fenceAt + Varint.length(coded), coded - 1);
        int prefix = NodeImage.prefixLength(image);
        image.putVarint(keep);
        NodeImage.putRecords(image, chunk, page, 0, keep, prefix);
        NodeImage.apply(chunk, page, pageBytes, image.bytes, 0);
    }

    private static void fences(
            ByteBuffer chunk,
            int page,
            int pageBytes,
            byte[] body,
            int at,
            int length,
            NodeScratch scratch) {
        ChangeBody image = scratch.rebuild;
        beginAs(image, chunk, page);
        image.putBytes(body, at, length);
        int prefix = NodeImage.prefixLength(image);
        int count = NodeLayout.slotCount(chunk, page);
        image.putVarint(count);
        NodeImage.putRecords(image, chunk, page, 0, count, prefix);
        NodeImage.apply(chunk, page, pageBytes, image.bytes, 0);
    }

    private static void beginAs(ChangeBody image, ByteBuffer chunk, int page) {
        NodeImage.begin(
                image,
                NodeLayout.level(chunk, page),
                NodeLayout.lastInsert(chunk, page),
                NodeLayout.run(chunk, page),
                NodeLayout.firstChild(chunk, page));
    }

    /** Separators go; of the children beside them the leftmost or the rightmost takes the range. */
    private static void removeChildren(ByteBuffer chunk, int page, byte[] body, int at) {
        int slot = Varint.get(body, at);
        int slotsAt = at + Varint.length(slot);
        int slots = Varint.get(body, slotsAt);
        boolean rightSurvives = body[slotsAt + Varint.length(slots)] != 0;
        if (rightSurvives) {
            int survivor = InnerRecord.childAt(chunk, page, slot + slots);
            if (slot == 0) {
                NodeLayout.firstChild(chunk, page, survivor);
            } else {
                InnerRecord.child(chunk, NodeLayout.recordAt(chunk, page, slot - 1), survivor);
            }
        }
        for (int i = slot; i < slot + slots; i++) {
            release(
                    chunk,
                    page,
                    NodeLayout.recordAt(chunk, page, i) - page,
                    NodeLayout.recordLength(chunk, page, i));
        }
        closeSlots(chunk, page, slot, slots);
    }
}
