// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import dev.holdfast.CorruptionException;

/** Puts groups together from the payloads of blocks that follow each other. */
final class GroupAssembler {
    private final RedoScanner.GroupVisitor visitor;
    private byte[] group = new byte[Lsn.BLOCK_BYTES];
    private long count;

    /** Of the group at hand: its start, its bytes with the rest up to 16, how many are here. */
    private long start;

    private int length;
    private int filled;

    private int skip;

    GroupAssembler(RedoScanner.GroupVisitor visitor) {
        this.visitor = visitor;
    }

    /** How many groups were complete. */
    long count() {
        return count;
    }

    /** Forgets a group of which the rest will not come. */
    void dropUnfinished() {
        length = 0;
        filled = 0;
    }

    /** The next block is taken from here on, whatever the position says. */
    void skipTo(int payloadOffset) {
        skip = payloadOffset;
    }

    /**
     * Takes the payload of a block, from a position in it on.
     *
     * @return the position up to which groups are complete, padding counted; 0 if that has not
     *     moved
     */
    long take(BlockReader reader, String file, long position) {
        long base = position - position % Lsn.PAYLOAD;
        int at = Math.max((int) (position - base), skip);
        int dataLength = reader.dataLength();
        long end = 0;
        skip = 0;
        while (at < dataLength) {
            if (length == 0) {
                begin(reader, file, base, at, dataLength);
                if (length == 0) {
                    at = dataLength;
                    continue;
                }
            }
            int part = Math.min(length - filled, dataLength - at);
            reader.copyOut(at, group, filled, part);
            filled += part;
            at += part;
            if (filled == length) {
                deliver();
                end = base + at;
            }
        }
        if (length == 0 && dataLength == Lsn.PAYLOAD) {
            end = base + Lsn.PAYLOAD;
        }
        return end;
    }

    private void begin(BlockReader reader, String file, long base, int at, int dataLength) {
        filled = 0;
        reader.copyOut(at, group, 0, Math.min(GroupHeader.BYTES, dataLength - at));
        int groupBytes = GroupHeader.groupBytes(group);
        start = base + at;
        if (groupBytes == GroupHeader.PADDING && dataLength == Lsn.PAYLOAD) {
            return;
        }
        boolean isLegal =
                groupBytes > GroupHeader.BYTES
                        && groupBytes <= GroupHeader.GROUP_BYTES_MAX
                        && GroupHeader.reserved(group) == 0
                        && GroupHeader.startLsn(group) == Lsn.fromPayload(start);
        if (!isLegal) {
            throw new CorruptionException(
                    "header of a redo group is wrong",
                    file,
                    "startLsn=" + Lsn.fromPayload(start),
                    "startLsn="
                            + GroupHeader.startLsn(group)
                            + ", groupBytes="
                            + groupBytes
                            + ", reserved="
                            + GroupHeader.reserved(group));
        }
        length = Lsn.aligned(groupBytes);
        if (group.length < length) {
            byte[] longer = new byte[length];
            System.arraycopy(group, 0, longer, 0, GroupHeader.BYTES);
            group = longer;
        }
    }

    private void deliver() {
        int groupBytes = GroupHeader.groupBytes(group);
        visitor.group(
                Lsn.fromPayload(start),
                Lsn.fromPayload(start + length),
                group,
                GroupHeader.BYTES,
                groupBytes - GroupHeader.BYTES);
        count++;
        length = 0;
    }
}
