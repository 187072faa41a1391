// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.CorruptionException;
import dev.holdfast.DiskFullException;
import dev.holdfast.NoSuchTableException;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.mtr.CommitListener;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Invariants;
import dev.holdfast.core.watch.NamedLock;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.sync.Latch;
import dev.holdfast.sync.LatchWord;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One space: hands out its pages, takes them back, and says who owns one.
 *
 * <p>To get pages: {@link #reserve} with no latch held; then, in a mini-transaction, the tree's
 * pages are latched, then the maps ({@link #fixMaps}), then things change ({@link #allocate}). To
 * give pages back: {@link #fixMap}, then {@link #free} or {@link #condemn}. Safe for all threads.
 */
public final class Space {
    /*
     * Two views of what is free. The map pages are the truth that survives; they change in groups
     * like every page. FreePages is what may be handed out now: free on the map by a published
     * group, and not reserved. A page leaves FreePages when it is reserved, long before its entry
     * changes, and comes back when the group that freed it is published (or its reservation is
     * closed), so two callers never hold the same page and a caller never gets one whose freeing
     * could still fail.
     *
     * A group's row is loaded while its map page is latched, shared or more, and every change of a
     * map page first makes sure under its latch that the group is loaded. So there is no change
     * that a row misses, nor one that it gets twice.
     *
     * Ordinary callers leave two extents alone: rollback and purge must find room on a full disk.
     *
     * field        written by            read by             guard or mode
     * free         callers, agents       callers, agents     latch
     * condemned    commit listener, purge  purge             latch
     * condemning   condemning groups     scan                counts those whose listener is to run
     * demand       callers, growth agent the same            latch, but for its wait
     * pageCount    growth, shrink        all                 volatile; written under latch
     */

    /** Most pages that one reservation can hold. */
    public static final int RESERVATION_MAX = 64;

    /** Sync point: pages are set aside and nothing is latched. */
    public static final String RESERVED = "space.reserved";

    private static final int OPTIMISTIC_TRIES = 8;
    private static final int RESERVE_EXTENTS = 2;

    private final Spaces owner;
    private final BufferPool pool;
    private final int spaceId;
    private final int pageBytes;
    private final int pagesPerExtent;
    private final Latch latch = new Latch(CoreSites.SPACE);
    private final FreePages free;
    private final CondemnedQueue condemned;
    private final GrowthDemand demand = new GrowthDemand();
    private final CommitListener freed = this::pageFreed;
    private final CommitListener condemnedPage = pageId -> pageCondemned(pageId, false);
    private final CommitListener condemnedChain = pageId -> pageCondemned(pageId, true);
    private volatile long pageCount;

    /**
     * Groups that have condemned a page here and have not told the queue yet. Raised under the
     * latch of the map that the page is condemned in.
     */
    private final AtomicInteger condemning = new AtomicInteger();

    /** Held by whoever changes the file's length; no latch is held by who waits for it. */
    private final NamedLock resizing;

    /** Whether the growth agent has been told; see {@link Spaces#wantGrowth}. */
    private final AtomicBoolean growthQueued = new AtomicBoolean();

    /** Whether the agent for condemned pages has been told; see {@link Spaces#putCondemned}. */
    private final AtomicBoolean condemnedQueued = new AtomicBoolean();

    /** Set by a drop, before the file goes. */
    private volatile boolean dropped;

    Space(Spaces owner, int spaceId, long pageCount, boolean mapsMayHoldCondemned) {
        this.owner = owner;
        this.pool = owner.pool();
        this.spaceId = spaceId;
        this.pageBytes = pool.pageBytes();
        this.pagesPerExtent = AllocationMap.pagesPerExtent(pageBytes);
        this.pageCount = pageCount;
        this.resizing = new NamedLock(CoreSites.FILE_LENGTH, spaceId);
        this.free = new FreePages(pageBytes, pageCount);
        this.condemned = new CondemnedQueue(mapsMayHoldCondemned ? free.groupCount() : 0);
        owner.health().onFailure(demand::wakeAll);
    }

    public int spaceId() {
        return spaceId;
    }

    /** Pages that belong to the space, header and maps among them. */
    public long pageCount() {
        return pageCount;
    }

    /** Pages that could be reserved now, as far as maps have been looked at. */
    public long freePagesKnown() {
        latch.acquireShared();
        long known = free.free();
        latch.releaseShared();
        return known;
    }

    /** Pages that only rollback, purge and the like may use. */
    public int reservePages() {
        return RESERVE_EXTENTS * pagesPerExtent;
    }

    /**
     * Sets pages aside, growing the file where needed.
     *
     * <p><b>Latches:</b> none held: it may read a map page and wait for the growth agent.
     *
     * @param near a page that the new ones should be close to, or {@link PageId#NULL_PAGE_NUMBER}
     * @param fromReserve for rollback, purge and drops, which may use the last two extents
     * @throws DiskFullException if there is no room and the disk gives none
     */
    public PageReservation reserve(int count, int near, boolean fromReserve) {
        assert count > 0 && count <= RESERVATION_MAX : "count=" + count;

        PageReservation reservation = new PageReservation(this, count);
        int kept = fromReserve ? 0 : reservePages();
        long attempt = 0;
        while (true) {
            owner.health().check();
            checkNotDropped();
            loadNear(near);
            boolean ahead = false;
            boolean taken = false;
            IOException refusal = null;
            latch.acquireExclusive();
            try {
                taken = free.free() - count >= kept && free.take(count, near, reservation.pages());
                if (taken) {
                    ahead = !fromReserve && isLow() && demand.askAhead();
                } else {
                    refusal = attempt == 0 ? null : demand.refusal(attempt);
                    attempt = demand.ask(kept + count);
                }
            } catch (Throwable failure) {
                owner.health().fail(failure);
                throw failure;
            } finally {
                latch.releaseExclusive();
            }
            if (ahead || !taken) {
                owner.wantGrowth(this);
            }
            if (taken) {
                return prepared(reservation);
            }
            if (refusal != null) {
                throw diskFull(count, refusal);
            }
            awaitGrowth(attempt);
        }
    }

    /**
     * Allocates the next reserved page to an owner and latches a frame for it exclusively; its
     * header is written, its body is not.
     *
     * <p><b>Latches:</b> the page's map is held by the mini-transaction. Neither waits nor fails.
     *
     * @return the frame
     */
    public int allocate(MiniTransaction mtr, PageReservation reservation, int ownerId, byte type) {
        int page = reservation.next();
        setEntry(mtr, page, AllocationMap.FREE, AllocationMap.entry(AllocationMap.USED, ownerId));
        owner.counters().increment(Counter.SPACE_PAGES_ALLOCATED);
        int headerOwner = ownerId == AllocationMap.UNDO_OWNER ? 0 : ownerId;
        return mtr.fixNew(PageId.of(spaceId, page), headerOwner, type);
    }

    /**
     * Latches the map of one page that will be freed or condemned; before the first change. The
     * mini-transaction was begun with a frame for it.
     *
     * <p><b>Latches:</b> after the tree pages. If the mini-transaction holds a map page behind this
     * one already, it does not wait.
     *
     * @return false if it would have had to wait out of order: give all up, then use {@link
     *     #fixMaps}
     */
    public boolean fixMap(MiniTransaction mtr, long pageId) {
        int group = AllocationMap.groupOf(PageId.pageNumber(pageId), pageBytes);
        long mapId = mapPageId(group);
        if (mtr.fixedFrame(mapId) >= 0) {
            return true;
        }
        int frame = mtr.holdsSpacePageFrom(mapId) ? mtr.tryFixExclusive(mapId) : -1;
        if (frame < 0) {
            if (mtr.holdsSpacePageFrom(mapId)) {
                return false;
            }
            frame = mtr.fixExclusive(mapId);
        }
        loadLatched(group, frame);
        return true;
    }

    /**
     * Latches the maps of all pages that are left in a reservation and of others that will be freed
     * or condemned, in order; before the first change and before any other map page. The
     * mini-transaction was begun with a frame for each of them.
     *
     * @param reservation null for none
     */
    public void fixMaps(
            MiniTransaction mtr, PageReservation reservation, int[] others, int otherCount) {
        int reserved = reservation == null ? 0 : reservation.left();
        int previous = -1;
        while (true) {
            int next = Integer.MAX_VALUE;
            for (int i = 0; i < reserved + otherCount; i++) {
                int page = i < reserved ? reservation.pageNumber(i) : others[i - reserved];
                int group = AllocationMap.groupOf(page, pageBytes);
                next = group > previous && group < next ? group : next;
            }
            if (next == Integer.MAX_VALUE) {
                return;
            }
            long mapId = mapPageId(next);
            if (mtr.fixedFrame(mapId) < 0) {
                loadLatched(next, mtr.fixExclusive(mapId));
            }
            previous = next;
        }
    }

    /**
     * Frees a page in the group that removes the pointer to it; it can be reserved again once the
     * group is published. For pages that nobody reaches without validating that pointer.
     *
     * <p><b>Latches:</b> the page exclusively and its map, both by the mini-transaction.
     */
    public void free(MiniTransaction mtr, int frame) {
        long pageId = pool.pageId(frame);
        setEntry(mtr, PageId.pageNumber(pageId), AllocationMap.USED, AllocationMap.FREE);
        mtr.freed(frame);
        mtr.onCommit(freed, pageId);
    }

    /**
     * Marks a page as unlinked, in the group that unlinks it, when somebody may still be following
     * a pointer to it (P6). It becomes free when that can no longer be.
     *
     * <p><b>Latches:</b> its map is held by the mini-transaction; the page need not be.
     *
     * @param chain whether it is the first of a chain whose other pages are freed with it
     */
    public void condemn(MiniTransaction mtr, long pageId, boolean chain) {
        int page = PageId.pageNumber(pageId);
        int state = chain ? AllocationMap.CONDEMNED_CHAIN : AllocationMap.CONDEMNED;
        long entry = entryOf(mtr, page);
        int ownerId = AllocationMap.owner(entry);
        condemning.incrementAndGet();
        setEntry(mtr, page, AllocationMap.USED, AllocationMap.entry(state, ownerId));
        mtr.onCommit(chain ? condemnedChain : condemnedPage, pageId);
    }

    /**
     * Frees a condemned page whose epochs have passed.
     *
     * <p><b>Latches:</b> its map is held by the mini-transaction; the page need not be.
     *
     * @return false, and nothing is changed, if the page is not condemned
     */
    public boolean freeCondemned(MiniTransaction mtr, long pageId) {
        int page = PageId.pageNumber(pageId);
        if (AllocationMap.state(entryOf(mtr, page)) < AllocationMap.CONDEMNED) {
            return false;
        }
        setEntry(mtr, page, AllocationMap.CONDEMNED, AllocationMap.FREE);
        mtr.onCommit(freed, pageId);
        return true;
    }

    /** Frees a page of a dropped tree that is not in the pool; its map is held. */
    void freeUnlatched(MiniTransaction mtr, long pageId) {
        setEntry(mtr, PageId.pageNumber(pageId), AllocationMap.USED, AllocationMap.FREE);
        mtr.onCommit(freed, pageId);
    }

    /**
     * Who owns a page: a tree, {@link AllocationMap#UNDO_OWNER}, {@link AllocationMap#SYSTEM_OWNER}
     * or, for a page that is free, condemned or beyond the end, {@link AllocationMap#NO_OWNER}.
     *
     * <p><b>Latches:</b> none held: it may read the map page.
     */
    public int ownerOf(int pageNumber) {
        if (Integer.toUnsignedLong(pageNumber) >= pageCount) {
            return AllocationMap.NO_OWNER;
        }
        long entry;
        try {
            entry = readEntry(pageNumber);
        } catch (CorruptionException failure) {
            if (Integer.toUnsignedLong(pageNumber) < pageCount) {
                throw failure;
            }
            // The space was cut meanwhile, and the map with it.
            return AllocationMap.NO_OWNER;
        }
        return AllocationMap.state(entry) == AllocationMap.USED
                ? AllocationMap.owner(entry)
                : AllocationMap.NO_OWNER;
    }

    /** The map page of a group. */
    public long mapPageId(int group) {
        return PageId.of(spaceId, AllocationMap.mapPage(group, pageBytes));
    }

    /** Groups of the space, each with a map page. */
    public int groupCount() {
        long perGroup = AllocationMap.pagesPerGroup(pageBytes);
        return (int) ((pageCount + perGroup - 1) / perGroup);
    }

    @Override
    public String toString() {
        return "space=" + Integer.toUnsignedString(spaceId) + ", pageCount=" + pageCount;
    }

    Spaces owner() {
        return owner;
    }

    Latch latch() {
        return latch;
    }

    FreePages freePages() {
        return free;
    }

    CondemnedQueue condemnedQueue() {
        return condemned;
    }

    GrowthDemand demand() {
        return demand;
    }

    NamedLock resizing() {
        return resizing;
    }

    AtomicBoolean growthQueued() {
        return growthQueued;
    }

    AtomicBoolean condemnedQueued() {
        return condemnedQueued;
    }

    boolean isDropped() {
        return dropped;
    }

    void dropped() {
        dropped = true;
    }

    int pagesPerExtent() {
        return pagesPerExtent;
    }

    /** How many pages the file grows by: more for a large one, whole extents, few maps. */
    int growthStep() {
        long byExtent = Math.max(1, pageCount / 8 / pagesPerExtent);
        long limit = Math.min(SpaceGrowth.STEP_BYTES_MAX / pageBytes, mapLimitPages());
        return (int) Math.min(byExtent * pagesPerExtent, limit / pagesPerExtent * pagesPerExtent);
    }

    private long mapLimitPages() {
        return (long) (SpaceGrowth.NEW_MAPS_MAX - 1) * AllocationMap.pagesPerGroup(pageBytes);
    }

    /** The latch is held exclusively. */
    void pageCountLatched(long newPageCount) {
        pageCount = newPageCount;
    }

    void giveBack(int[] pages, int from) {
        latch.acquireExclusive();
        try {
            for (int i = from; i < pages.length; i++) {
                free.give(pages[i]);
            }
        } catch (Throwable failure) {
            owner.health().fail(failure);
            throw failure;
        } finally {
            latch.releaseExclusive();
        }
    }

    /** Loads a group's row from its map page. <b>Latches:</b> none held. */
    void ensureLoaded(int group) {
        latch.acquireShared();
        boolean loaded = group >= free.groupCount() || free.isLoaded(group);
        latch.releaseShared();
        if (loaded) {
            return;
        }
        int frame = pool.fixShared(mapPageId(group));
        try {
            loadLatched(group, frame);
        } finally {
            pool.unfixShared(frame);
        }
    }

    /** The map of the pages nearby; if it cannot be read there may be room in another group. */
    private void loadNear(int near) {
        try {
            ensureLoaded(groupNear(near));
        } catch (CorruptionException damage) {
            if (owner.health().failed()) {
                throw damage;
            }
            owner.counters().increment(Counter.SPACE_MAPS_PASSED_BY);
            owner.health().damaged(damage, "search for room nearby");
        }
    }

    private PageReservation prepared(PageReservation reservation) {
        for (int page : reservation.pages()) {
            pool.prepare(PageId.of(spaceId, page));
        }
        TestHooks.reached(RESERVED);
        return reservation;
    }

    /** The latch is held. */
    private boolean isLow() {
        return free.free() < reservePages() + growthStep() / 2;
    }

    private void checkNotDropped() {
        if (dropped) {
            throw new NoSuchTableException(owner.files().fileName(spaceId));
        }
    }

    private void awaitGrowth(long attempt) {
        owner.counters().increment(Counter.SPACE_GROWTH_WAITS);
        demand.await(attempt, () -> dropped || owner.health().failed());
    }

    private DiskFullException diskFull(int count, IOException refusal) {
        String file = owner.files().fileName(spaceId);
        return new DiskFullException(file, (long) count * pageBytes, refusal);
    }

    private int groupNear(int near) {
        return near == PageId.NULL_PAGE_NUMBER ? 0 : AllocationMap.groupOf(near, pageBytes);
    }

    /** The map page is latched in the frame. */
    private void loadLatched(int group, int frame) {
        if (isLoaded(group)) {
            return;
        }
        long[] row = free.newRow();
        latch.acquireExclusive();
        try {
            if (!free.isLoaded(group)) {
                free.load(group, row, pool.chunk(frame), pool.offset(frame));
                owner.counters().increment(Counter.SPACE_MAPS_LOADED);
            }
        } catch (Throwable failure) {
            owner.health().fail(failure);
            throw failure;
        } finally {
            latch.releaseExclusive();
        }
    }

    private boolean isLoaded(int group) {
        latch.acquireShared();
        boolean loaded = free.isLoaded(group);
        latch.releaseShared();
        return loaded;
    }

    private long entryOf(MiniTransaction mtr, int page) {
        int frame = mapFrame(mtr, page);
        int index = AllocationMap.indexOf(page, pageBytes);
        return AllocationMap.entryAt(mtr.chunk(frame), mtr.offset(frame), index);
    }

    private int mapFrame(MiniTransaction mtr, int page) {
        int frame = mtr.fixedFrame(mapPageId(AllocationMap.groupOf(page, pageBytes)));
        Invariants.check(frame >= 0, "map of the page is latched", spaceId, page);
        return frame;
    }

    /** Changes an entry; the state before must be at least the given one, or FREE if that is. */
    private void setEntry(MiniTransaction mtr, int page, int stateBefore, long entry) {
        int frame = mapFrame(mtr, page);
        int index = AllocationMap.indexOf(page, pageBytes);
        long before = AllocationMap.entryAt(mtr.chunk(frame), mtr.offset(frame), index);
        int state = AllocationMap.state(before);
        boolean expected =
                stateBefore == AllocationMap.FREE
                        ? before == AllocationMap.FREE
                        : state >= stateBefore
                                && AllocationMap.owner(before) != AllocationMap.SYSTEM_OWNER;
        Invariants.check(expected, "allocation map agrees", PageId.of(spaceId, page), before);
        mtr.patchLong(frame, AllocationMap.entryOffset(index), entry);
    }

    private long readEntry(int page) {
        int group = AllocationMap.groupOf(page, pageBytes);
        int index = AllocationMap.indexOf(page, pageBytes);
        long mapId = mapPageId(group);
        for (int i = 0; i < OPTIMISTIC_TRIES; i++) {
            int frame = pool.find(mapId);
            if (frame < 0) {
                frame = pool.load(mapId, false);
            }
            long version = pool.tryOptimisticVersion(frame);
            if (!LatchWord.isLocked(version) && pool.holds(frame, mapId)) {
                long entry = AllocationMap.entryAt(pool.chunk(frame), pool.offset(frame), index);
                if (pool.validate(frame, version)) {
                    return entry;
                }
            }
        }
        int frame = pool.fixShared(mapId);
        long entry = AllocationMap.entryAt(pool.chunk(frame), pool.offset(frame), index);
        pool.unfixShared(frame);
        return entry;
    }

    /**
     * Whether the queue knows of all condemned pages of a map, or has forgotten them.
     *
     * <p><b>Latches:</b> the map is held, shared or more.
     */
    boolean isCondemnedSettled() {
        return condemning.get() == 0;
    }

    /** A group that freed a page is published. */
    private void pageFreed(long pageId) {
        int page = PageId.pageNumber(pageId);
        latch.acquireExclusive();
        try {
            condemned.remove(page);
            free.give(page);
        } catch (Throwable failure) {
            owner.health().fail(failure);
            throw failure;
        } finally {
            latch.releaseExclusive();
        }
        owner.counters().increment(Counter.SPACE_PAGES_FREED);
    }

    /** A group that condemned a page is published. */
    private void pageCondemned(long pageId, boolean chain) {
        int page = PageId.pageNumber(pageId);
        long epoch = owner.epochs().now();
        if (TestHooks.fault(PlantedFault.FREED_PAGE_REUSED_AT_ONCE)
                || (TestHooks.fault(PlantedFault.UNDO_REUSED_AT_ONCE)
                        && StoreFiles.isUndoSpace(spaceId))) {
            epoch -= 2;
        }
        latch.acquireExclusive();
        try {
            condemned.add(page, AllocationMap.groupOf(page, pageBytes), chain, epoch);
            condemning.decrementAndGet();
        } catch (Throwable failure) {
            owner.health().fail(failure);
            throw failure;
        } finally {
            latch.releaseExclusive();
        }
        owner.counters().increment(Counter.SPACE_PAGES_CONDEMNED);
        owner.condemnedWaiting(this);
    }

    /** The header's page count, read under its latch; for checks. */
    long headerPageCount() {
        long headerId = PageId.of(spaceId, SpaceHeader.PAGE_NUMBER);
        int frame = pool.fixShared(headerId);
        ByteBuffer chunk = pool.chunk(frame);
        int count = SpaceHeader.pageCount(chunk, pool.offset(frame));
        assert PageMemory.getByte(chunk, pool.offset(frame) + PageHeader.TYPE_OFFSET) != 0;
        pool.unfixShared(frame);
        return Integer.toUnsignedLong(count);
    }
}
