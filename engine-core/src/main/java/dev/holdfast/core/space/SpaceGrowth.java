// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.file.StorageErrors;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;

/**
 * Makes room in one space: looks at maps that nobody has looked at, else makes the file longer.
 *
 * <p>The order is what keeps length and header in agreement over a crash: zeros written, zeros
 * synced, then the group that raises the page count, then the pages can be reserved. So a full disk
 * shows here, where nothing depends on the room yet.
 */
final class SpaceGrowth {
    static final long STEP_BYTES_MAX = 64L << 20;

    /** New maps in one group; well within what a group may hold. */
    static final int NEW_MAPS_MAX = 8;

    /** Sync points of the three crash states of a growth. */
    static final String ZEROED = "space.growth.zeroed";

    static final String SYNCED = "space.growth.synced";
    static final String LOGGED = "space.growth.logged";

    private static final int MAPS_LOADED_MAX = 32;
    private static final int WRITE_TRIES_MAX = 3;
    private static final int PATCH_BYTES = RedoWriter.RECORD_OVERHEAD_MAX + 5 + Long.BYTES;
    private static final int INIT_BYTES = RedoWriter.RECORD_OVERHEAD_MAX + 5;
    private static final int REDO_BYTES = PATCH_BYTES + NEW_MAPS_MAX * (PATCH_BYTES + INIT_BYTES);

    private final Space space;
    private final Spaces owner;
    private final MiniTransaction mtr;

    SpaceGrowth(Space space, MiniTransaction mtr) {
        this.space = space;
        this.owner = space.owner();
        this.mtr = mtr;
    }

    /** Makes the attempt that somebody has asked for, if any. <b>Latches:</b> none held. */
    void run() throws IOException {
        space.latch().acquireExclusive();
        boolean wanted = space.demand().isWanted();
        int pages = wanted ? space.demand().begin() : 0;
        space.latch().releaseExclusive();
        if (!wanted) {
            return;
        }
        boolean made = false;
        IOException refusal = null;
        space.resizing().lock();
        try {
            refusal = space.isDropped() ? null : makeRoom(pages);
            made = true;
        } finally {
            space.resizing().unlock();
            end(made, pages, refusal);
        }
        space.demand().wake();
    }

    private void end(boolean made, int pages, IOException refusal) {
        space.latch().acquireExclusive();
        if (made) {
            space.demand().end(refusal);
        } else {
            space.demand().postpone(pages);
        }
        space.latch().releaseExclusive();
    }

    private IOException makeRoom(int pagesWanted) throws IOException {
        long wanted = Math.max(pagesWanted, space.reservePages() + space.growthStep());
        loadMaps(wanted);
        long known = space.freePagesKnown();
        if (known >= wanted) {
            return null;
        }
        int extent = space.pagesPerExtent();
        int step = Math.max(space.growthStep(), roundUp(wanted - known, extent));
        IOException refusal = grow(step);
        if (refusal != null && step > extent) {
            refusal = grow(extent);
        }
        if (refusal != null) {
            owner.counters().increment(Counter.SPACE_GROWTH_REFUSED);
        }
        return refusal;
    }

    /** Room may lie in maps that nobody has looked at since the open; the newest first. */
    private void loadMaps(long wanted) {
        space.latch().acquireShared();
        boolean allLoaded = space.freePages().allLoaded();
        space.latch().releaseShared();
        if (allLoaded) {
            return;
        }
        int loaded = 0;
        for (int group = space.groupCount() - 1; group >= 0; group--) {
            if (loaded == MAPS_LOADED_MAX || space.freePagesKnown() >= wanted) {
                return;
            }
            space.latch().acquireShared();
            boolean known = space.freePages().isLoaded(group);
            space.latch().releaseShared();
            if (!known) {
                load(group);
                loaded++;
            }
        }
    }

    /** A map that cannot be read keeps its group's room, but not other room, from being used. */
    private void load(int group) {
        try {
            space.ensureLoaded(group);
        } catch (CorruptionException damage) {
            if (owner.health().failed()) {
                throw damage;
            }
            owner.counters().increment(Counter.SPACE_MAPS_PASSED_BY);
            owner.health().damaged(damage, "search for room");
        }
    }

    /** Grows the file. Returns the refusal of a full disk, or null. */
    private IOException grow(int pages) throws IOException {
        long from = space.pageCount();
        long to = from + pages;
        if (to > 1L << Integer.SIZE) {
            return new IOException("file too large: pages=" + to);
        }
        IOException refusal = zero(from, to);
        if (refusal != null) {
            return refusal;
        }
        TestHooks.reached(ZEROED);
        owner.files().sync(space.spaceId());
        TestHooks.reached(SYNCED);
        log(from, to);
        TestHooks.reached(LOGGED);
        space.latch().acquireExclusive();
        try {
            space.freePages().grow(to);
            space.pageCountLatched(to);
        } catch (Throwable failure) {
            // The header says more than memory knows.
            owner.health().fail(failure);
            throw failure;
        } finally {
            space.latch().releaseExclusive();
        }
        owner.counters().add(Counter.SPACE_PAGES_GROWN, pages);
        return null;
    }

    private IOException zero(long from, long to) throws IOException {
        for (int tries = 1; ; tries++) {
            try {
                owner.files().zeroPages(space.spaceId(), from, to);
                return null;
            } catch (IOException failure) {
                if (StorageErrors.isSpaceExhausted(failure)) {
                    giveRoomBack(from, failure);
                    return failure;
                }
                if (tries == WRITE_TRIES_MAX) {
                    throw failure;
                }
            }
        }
    }

    /** What arrived before the disk was full would only be in the way of others. */
    private void giveRoomBack(long pages, IOException failure) {
        try {
            owner.files().truncate(space.spaceId(), pages);
        } catch (IOException secondary) {
            // The surplus stays; the next growth writes over it.
            failure.addSuppressed(secondary);
        }
    }

    private void log(long from, long to) {
        int pageBytes = mtr.pageBytes();
        int perGroup = AllocationMap.pagesPerGroup(pageBytes);
        int firstNewGroup = (int) ((from + perGroup - 1) / perGroup);
        int groups = (int) ((to + perGroup - 1) / perGroup);
        for (int group = firstNewGroup; group < groups; group++) {
            owner.pool().prepare(space.mapPageId(group));
        }
        mtr.begin(REDO_BYTES, groups - firstNewGroup, true);
        try {
            int header = mtr.fixExclusive(PageId.of(space.spaceId(), SpaceHeader.PAGE_NUMBER));
            mtr.patchInt(header, SpaceHeader.PAGE_COUNT_OFFSET, (int) to);
            for (int group = firstNewGroup; group < groups; group++) {
                newMap(group);
            }
            mtr.commit();
        } catch (Throwable failure) {
            throw mtr.failed(failure);
        }
    }

    private void newMap(int group) {
        int map =
                mtr.fixNew(
                        space.mapPageId(group),
                        AllocationMap.SYSTEM_OWNER,
                        PageType.ALLOCATION_MAP);
        int own = AllocationMap.indexOf(PageId.pageNumber(mtr.pageId(map)), mtr.pageBytes());
        assert AllocationMap.entryOffset(own) >= PageHeader.BODY_OFFSET : "own=" + own;

        mtr.patchLong(
                map,
                AllocationMap.entryOffset(own),
                AllocationMap.entry(AllocationMap.USED, AllocationMap.SYSTEM_OWNER));
    }

    private static int roundUp(long pages, int extent) {
        return (int) ((pages + extent - 1) / extent * extent);
    }
}
