// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import dev.holdfast.core.mtr.RedoApply;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.redo.RedoReader;
import dev.holdfast.core.redo.RedoScanner;
import dev.holdfast.core.redo.RedoType;
import dev.holdfast.core.space.SpaceRecords;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.IntHashSet;
import org.agrona.collections.Long2LongHashMap;

/**
 * What the first reading of the log tells the second: which records need no replay, and which ids
 * were given out.
 */
final class RedoPlan implements RedoScanner.GroupVisitor {
    /*
     * P12. For each page that the log makes anew, or frees, the place is kept where it does so
     * last. Nothing before it is replayed, so the page's bytes on disk, which may be torn legally,
     * are never read. The same holds behind the end of a space that was cut, and for a space that
     * was dropped. Memory grows with the pages that the log makes, so it is bounded by the log.
     */
    private static final long NO_PLACE = 0;

    private final RedoReader reader = new RedoReader();
    private final Long2LongHashMap neededFrom = new Long2LongHashMap(NO_PLACE);
    private final IntHashSet dropped = new IntHashSet();
    private final List<Cut> cuts = new ArrayList<>();
    private long transactionIdHighWater;
    private int treeIdHighWater;
    private int spaceIdHighWater;
    private long records;
    private long bytes;

    private record Cut(int spaceId, long startLsn, int newPageCount) {}

    @Override
    public void group(long startLsn, long endLsn, byte[] payload, int offset, int length) {
        bytes += endLsn - startLsn;
        reader.reset(startLsn, payload, offset, length);
        while (reader.next()) {
            records++;
            int type = reader.type();
            if (RedoApply.makesWholePage(type)) {
                neededFrom.put(reader.pageId(), startLsn);
            } else if (type == RedoType.PAGE_FREE) {
                neededFrom.put(reader.pageId(), endLsn);
            } else if (!RedoType.namesPage(type)) {
                note(type, startLsn);
            }
        }
    }

    private void note(int type, long startLsn) {
        byte[] body = reader.bytes();
        int at = reader.bodyOffset();
        switch (type) {
            case RedoType.SPACE_DROP -> dropped.add(SpaceRecords.spaceId(body, at));
            case RedoType.SPACE_SHRINK ->
                    cuts.add(
                            new Cut(
                                    SpaceRecords.spaceId(body, at),
                                    startLsn,
                                    SpaceRecords.newPageCount(body, at)));
            case RedoType.ID_HIGH_WATER -> {
                transactionIdHighWater =
                        Math.max(
                                transactionIdHighWater,
                                SpaceRecords.highWaterTransactionId(body, at));
                treeIdHighWater = max(treeIdHighWater, SpaceRecords.highWaterTreeId(body, at));
                spaceIdHighWater = max(spaceIdHighWater, SpaceRecords.highWaterSpaceId(body, at));
            }
            default -> {
                // The file of a created space was there before its record; there is nothing to do.
            }
        }
    }

    private static int max(int left, int right) {
        return Integer.compareUnsigned(left, right) >= 0 ? left : right;
    }

    /** Whether records of the group that starts there must be applied to the page. */
    boolean applies(long pageId, long groupStartLsn) {
        int spaceId = PageId.spaceId(pageId);
        if (groupStartLsn < neededFrom.get(pageId) || dropped.contains(spaceId)) {
            return false;
        }
        for (Cut cut : cuts) {
            if (cut.spaceId == spaceId
                    && groupStartLsn < cut.startLsn
                    && Integer.compareUnsigned(PageId.pageNumber(pageId), cut.newPageCount) >= 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether what the page holds on disk does not matter: it is made anew, free or gone. */
    boolean needsNothingOf(long pageId) {
        return neededFrom.containsKey(pageId) || !applies(pageId, NO_PLACE);
    }

    /** No transaction id at or above it is in the log's promises; zero if they say nothing. */
    long transactionIdHighWater() {
        return transactionIdHighWater;
    }

    /** The highest tree id that the log promises; zero if it says nothing. */
    int treeIdHighWater() {
        return treeIdHighWater;
    }

    int spaceIdHighWater() {
        return spaceIdHighWater;
    }

    long records() {
        return records;
    }

    /** Of all groups, the headers of blocks included. */
    long bytes() {
        return bytes;
    }
}
