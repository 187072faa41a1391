// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.dblwr.Doublewrite;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.core.watch.Invariants;
import dev.holdfast.core.watch.Tally;
import dev.holdfast.io.memory.PoolMemory;
import dev.holdfast.sync.BufferLatch;
import dev.holdfast.sync.CurrentWait;
import dev.holdfast.sync.HeldLatches;
import dev.holdfast.sync.LatchWord;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Pages in memory. A page is in at most one frame; a latch on the frame, or a version of the latch
 * that validates, is what keeps it there: there are no pin counts.
 *
 * <p>A page id that is given to {@link #load} or a fix method comes from a validated read: a wrong
 * one costs a read and an error. Finding, validating, latching and marking allocate nothing.
 */
public final class BufferPool implements AutoCloseable {
    /*
     * P2, a missing page is claimed before it is read: free frame, X latch, page id and LOADING,
     * mapping by CAS, read, verify, RESIDENT, unlatch. Who loses the CAS gives its frame back and
     * waits for the winner on the latch. If the read fails the mapping goes, and those who waited
     * get the winner's error: they noted the number of the load that they waited for.
     *
     * A frame number from the translation is a hint. It is trusted after the latch is held and
     * holds() is true, or after the version that was read before holds() validates. Versions are
     * never reset, so a frame that went to another page and came back has another version.
     *
     * HeldLatches is kept here for page latches, with the frame as key: a site follows from the
     * page id, so what acquired it and what releases it agree. Claims and evictions are left out;
     * they hold a frame that nobody can want while it is theirs, and wait for nothing but the read.
     *
     * The oldest recovery LSN is exact although frames are marked in another order than that of
     * their LSNs. Let C be the closed LSN, read before anything is looked at. Take a change that
     * begins below C and is not on the disk. Its group is published, and a group marks its frames
     * before that (P11): so when the lists are looked at the change is linked there, under its own
     * LSN or that of an older change of the page; or the frame has left the list for a batch, whose
     * account was lowered first and is looked at afterwards; or the write became durable meanwhile.
     * Each list is in order, so its heads are not above the change. Whatever is marked after the
     * look, however late it comes, begins at or above C, and C is part of the minimum.
     */
    public static final String CLAIMED = "buffer.load.claimed";
    public static final String READ = "buffer.load.read";

    /** Sync point: the page is in the pool; its loader has let it go, or keeps it latched. */
    static final String LOADED = "buffer.load.loaded";

    private final int pageBytes;
    private final int pageShift;
    private final int chunkFrameShift;
    private final PoolMemory memory;
    private final ByteBuffer[] chunks;
    private final FrameTable frames;
    private final ByteBuffer table;
    private final Translation translation = new Translation();
    private final FrameSupply supply;
    private final PageReader reader;
    private final PageSites sites;
    private final EngineHealth health;
    private final Counters counters;
    private final PageWrites writes;
    private final int coldWindowMillis;

    /** The last failed load of each frame; written under X, read by those who waited for it. */
    private final AtomicReferenceArray<LoadFailure> failures;

    /** Milliseconds, moved on by the cleaner; a plain estimate is enough to tell new from old. */
    private volatile int tick;

    /** Null until it is set, and where it is turned off. */
    private volatile ReadAhead readAhead;

    public BufferPool(
            PoolOptions options,
            PageStore store,
            WriteAhead log,
            EngineHealth health,
            Counters counters) {
        this.pageBytes = options.pageBytes();
        this.pageShift = Integer.numberOfTrailingZeros(pageBytes);
        this.chunkFrameShift =
                Integer.numberOfTrailingZeros(PoolMemory.CHUNK_BYTES_MAX) - pageShift;
        this.memory = PoolMemory.allocate((long) options.frames() << pageShift, 4096);
        this.chunks = new ByteBuffer[memory.chunkCount()];
        for (int i = 0; i < chunks.length; i++) {
            chunks[i] = memory.chunk(i);
        }
        this.frames = new FrameTable(options.frames());
        this.table = frames.table();
        this.health = health;
        this.counters = counters;
        this.sites = new PageSites(pageBytes);
        this.supply = new FrameSupply(frames, translation, counters, health, options.shardsUsed());
        this.reader = new PageReader(store, log, counters, pageBytes);
        this.writes = new PageWrites(health, Doublewrite.SLOTS_MAX);
        this.coldWindowMillis = options.coldWindowMillis();
        this.failures = new AtomicReferenceArray<>(options.frames());
    }

    public int pageBytes() {
        return pageBytes;
    }

    /** Frames in the pool. */
    public int frameCount() {
        return frames.count();
    }

    /** The chunk that the frame's page lies in. */
    public ByteBuffer chunk(int frame) {
        return chunks[frame >>> chunkFrameShift];
    }

    /** Where in its chunk the frame's page begins. */
    public int offset(int frame) {
        return (frame & (1 << chunkFrameShift) - 1) << pageShift;
    }

    /** What is to be known of the frames' latches from outside, for who watches waits. */
    public FrameLatches frameLatches() {
        return new FrameLatches(frames);
    }

    /** The site, and so the rank, of the page's latch. */
    public CoreSites siteOf(long pageId) {
        return sites.of(pageId);
    }

    /** The page that the frame holds now; trusted only under a latch or a validated version. */
    public long pageId(int frame) {
        return frames.pageId(frame);
    }

    /** The frame that the page is mapped to, or -1: a hint, see {@link #holds}. */
    public int find(long pageId) {
        return translation.find(pageId);
    }

    /** Whether the frame holds the page, whole; trusted as {@link #pageId(int)} is. */
    public boolean holds(int frame, long pageId) {
        return frames.pageId(frame) == pageId && frames.stateAcquire(frame) == FrameTable.RESIDENT;
    }

    /**
     * The version to read the frame's page under, for {@link #validate}; waits while it is held
     * exclusively and has the page (L4). The caller looks whether the frame {@link #holds} it then.
     *
     * @return a locked version, which never validates, if the page has left the frame
     */
    public long optimisticVersion(int frame, long pageId) {
        int line = FrameTable.line(frame);
        long version = BufferLatch.optimisticVersion(table, line);
        while (LatchWord.isLocked(version) && frames.pageId(frame) == pageId) {
            BufferLatch.awaitNotExclusiveTagged(table, line, sites.of(pageId), pageId);
            version = BufferLatch.optimisticVersion(table, line);
        }
        return version;
    }

    /** The same without a wait: locked if the frame is held exclusively. */
    public long tryOptimisticVersion(int frame) {
        return BufferLatch.optimisticVersion(table, FrameTable.line(frame));
    }

    /** Whether all that was read of the frame since its version was got is of one moment. */
    public boolean validate(int frame, long version) {
        return BufferLatch.validate(table, FrameTable.line(frame), version);
    }

    /**
     * Where a page counts as fixed for who has no tally of his own. Who reads by version counts
     * each page whose version he has read, that held what he wanted, and that he goes on with.
     */
    public Tally tally() {
        return counters;
    }

    /** Marks the frame as used, for the clock. */
    public void touch(int frame) {
        int reference = frames.reference(frame);
        if (reference == FrameTable.REFERENCED) {
            return;
        }
        if (reference == FrameTable.UNREFERENCED
                || tick - frames.loadTick(frame) >= coldWindowMillis) {
            frames.reference(frame, FrameTable.REFERENCED);
        }
    }

    /**
     * Brings the page into a frame if it is not in one. The caller checks {@link #holds} under a
     * latch or a version, and calls again if it is gone already.
     *
     * <p><b>Latches:</b> none held: it may wait for a read and for a free frame.
     *
     * @param cold the page is wanted once, by a scan
     * @return the frame that held the page a moment ago
     */
    public int load(long pageId, boolean cold) {
        return load(pageId, cold, counters);
    }

    /** The same, counted there. */
    public int load(long pageId, boolean cold, Tally tally) {
        while (true) {
            health.check();
            int frame = translation.find(pageId);
            if (frame == FrameTable.NONE) {
                frame = loadMissing(pageId, cold, null, tally);
                if (frame != FrameTable.NONE) {
                    return frame;
                }
            } else if (isLoaded(frame, pageId)) {
                return frame;
            }
        }
    }

    /** Makes room to map the page, so that {@link #fixNew} allocates nothing. */
    public void prepare(long pageId) {
        translation.prepare(pageId);
    }

    /**
     * Latches the page shared, loading it if needed.
     *
     * <p><b>Latches:</b> none held: it may wait for a free frame.
     */
    public int fixShared(long pageId) {
        return fixShared(pageId, counters);
    }

    /** The same, counted there. */
    public int fixShared(long pageId, Tally tally) {
        while (true) {
            int frame = resident(pageId, tally);
            if (tryLatchShared(frame, pageId, tally)) {
                return frame;
            }
        }
    }

    /** Latches the page exclusively; else as {@link #fixShared}. */
    public int fixExclusive(long pageId) {
        return fixExclusive(pageId, counters);
    }

    /** The same, counted there. */
    public int fixExclusive(long pageId, Tally tally) {
        while (true) {
            int frame = resident(pageId, tally);
            if (tryLatchExclusive(frame, pageId, tally)) {
                return frame;
            }
        }
    }

    /**
     * The same with a frame of the stock for a page that is missing, so that it waits for nothing
     * but latch and read. One frame is enough for one page: the page stays latched by who has read
     * it, so it cannot be evicted in between.
     *
     * <p><b>Latches:</b> such as may be held while a page of this site is waited for.
     */
    public int fixExclusive(long pageId, FrameStock stock, Tally tally) {
        while (true) {
            health.check();
            int frame = translation.find(pageId);
            if (frame == FrameTable.NONE) {
                frame = loadMissing(pageId, false, stock, tally);
                if (frame != FrameTable.NONE) {
                    assert HeldLatches.acquiredWithoutWaiting(sites.of(pageId), frame);
                    fixed(frame, tally);
                    return frame;
                }
            } else if (isLoaded(frame, pageId) && tryLatchExclusive(frame, pageId, tally)) {
                return frame;
            }
        }
    }

    /**
     * Waits for the frame's latch as long as the frame has the page (L4); keeps it and returns true
     * if the frame holds the page.
     */
    public boolean tryLatchShared(int frame, long pageId, Tally tally) {
        CoreSites site = sites.of(pageId);
        int line = FrameTable.line(frame);
        assert !HeldLatches.holds(site, frame) : "fixed twice: " + frames.describe(frame);

        if (!BufferLatch.acquireSharedTagged(table, line, site, pageId)) {
            return false;
        }
        if (!holds(frame, pageId)) {
            BufferLatch.releaseShared(table, line);
            return false;
        }
        assert HeldLatches.acquired(site, frame);
        fixed(frame, tally);
        return true;
    }

    /**
     * Waits for the frame's latch as long as the frame has the page (L4); keeps it and returns true
     * if the frame holds the page.
     */
    public boolean tryLatchExclusive(int frame, long pageId, Tally tally) {
        CoreSites site = sites.of(pageId);
        int line = FrameTable.line(frame);
        assert !HeldLatches.holds(site, frame) : "fixed twice: " + frames.describe(frame);

        if (!BufferLatch.acquireExclusiveTagged(table, line, site, pageId)) {
            return false;
        }
        if (!holds(frame, pageId)) {
            BufferLatch.releaseExclusive(table, line);
            return false;
        }
        assert HeldLatches.acquired(site, frame);
        fixed(frame, tally);
        return true;
    }

    /** Latches the page exclusively if it is resident and free at once, else returns -1. */
    public int tryFixExclusive(long pageId, Tally tally) {
        int frame = translation.find(pageId);
        if (frame == FrameTable.NONE
                || !BufferLatch.tryAcquireExclusive(table, FrameTable.line(frame))) {
            return FrameTable.NONE;
        }
        if (!holds(frame, pageId)) {
            BufferLatch.releaseExclusive(table, FrameTable.line(frame));
            return FrameTable.NONE;
        }
        assert HeldLatches.acquiredWithoutWaiting(sites.of(pageId), frame);
        fixed(frame, tally);
        return frame;
    }

    private void fixed(int frame, Tally tally) {
        tally.increment(Counter.PAGE_FIXES);
        touch(frame);
    }

    /** Turns a version that the caller has read the page under into an exclusive latch. */
    public boolean upgrade(int frame, long pageId, long version) {
        if (!BufferLatch.tryUpgradeToExclusive(table, FrameTable.line(frame), version)) {
            return false;
        }
        if (!holds(frame, pageId)) {
            BufferLatch.releaseExclusive(table, FrameTable.line(frame));
            return false;
        }
        assert HeldLatches.acquiredWithoutWaiting(sites.of(pageId), frame);
        touch(frame);
        return true;
    }

    public void unfixShared(int frame) {
        assert HeldLatches.released(sites.of(frames.pageId(frame)), frame);

        BufferLatch.releaseShared(table, FrameTable.line(frame));
    }

    public void unfixExclusive(int frame) {
        assert HeldLatches.released(sites.of(frames.pageId(frame)), frame);

        BufferLatch.releaseExclusive(table, FrameTable.line(frame));
    }

    /** A stock of no frames, to be filled by {@link #fill}. */
    public FrameStock newStock() {
        return new FrameStock(this);
    }

    /** Takes free frames out of the pool. <b>Latches:</b> none held. */
    public FrameStock reserve(int count) {
        FrameStock stock = newStock();
        fill(stock, count, false);
        return stock;
    }

    /**
     * Fills an empty stock with free frames, waiting until all are there.
     *
     * <p><b>Latches:</b> none held.
     *
     * @param reserved from what is kept for rollback, purge and checkpoint
     */
    public void fill(FrameStock stock, int count, boolean reserved) {
        if (count > 0) {
            health.check();
            supply.fill(stock, count, reserved);
        }
    }

    void close(FrameStock stock) {
        supply.close(stock);
    }

    /**
     * Latches exclusively a frame for a page whose content on disk does not matter: the one that it
     * has, left from before it was freed, or one of the stock. The bytes are anything.
     *
     * <p><b>Latches:</b> any; it waits only for somebody who looks at the frame to see that it is
     * not what he wants. Allocates nothing if the page was {@linkplain #prepare prepared}.
     */
    public int fixNew(long pageId, FrameStock stock) {
        while (true) {
            int frame = translation.find(pageId);
            if (frame == FrameTable.NONE) {
                frame = stock.take();
                Invariants.check(frame != FrameTable.NONE, "stock has a frame", pageId, frame);
                claim(frame, pageId);
                if (!translation.map(pageId, frame)) {
                    unclaim(frame);
                    stock.put(frame);
                    continue;
                }
                frames.loadTick(frame, tick);
                frames.stateRelease(frame, FrameTable.RESIDENT);
            } else {
                int line = FrameTable.line(frame);
                if (!BufferLatch.acquireExclusiveTagged(table, line, CoreSites.NEW_PAGE, pageId)) {
                    continue;
                }
                if (!holds(frame, pageId)) {
                    BufferLatch.releaseExclusive(table, line);
                    continue;
                }
            }
            frames.reference(frame, FrameTable.REFERENCED);
            assert HeldLatches.acquiredWithoutWaiting(sites.of(pageId), frame);
            return frame;
        }
    }

    /**
     * Notes that the page is changed by a group that begins at the given LSN (P11); before the page
     * LSN is set and the group is published. <b>Latches:</b> X of the frame held.
     */
    public void markDirty(int frame, long groupStartLsn) {
        assert BufferLatch.isExclusive(table, FrameTable.line(frame)) : frames.describe(frame);
        assert groupStartLsn > 0 : "groupStartLsn=" + groupStartLsn;

        supply.shardOf(frame).flushList().changed(frame, groupStartLsn);
    }

    /**
     * Notes that the page is freed: its frame goes soon, but by a write like any other, so its
     * recovery LSN stands until then. <b>Latches:</b> X of the frame held.
     */
    public void pageFreed(int frame) {
        frames.reference(frame, FrameTable.UNREFERENCED);
    }

    /** Whether the frame's page differs from the disk. */
    public boolean isDirty(int frame) {
        return frames.recoveryLsnAcquire(frame) != 0;
    }

    /**
     * The oldest recovery LSN, or the given LSN if all are younger. The caller has read it as the
     * closed LSN <em>before</em> (P11). Looks at no frame but the oldest of each list.
     */
    public long oldestRecoveryLsn(long closedLsn) {
        // First the lists, then the writes: a frame goes the other way. The block comment says why
        // this is the minimum over all frames.
        long oldest = closedLsn;
        for (PoolShard shard : supply.shards()) {
            oldest = Math.min(oldest, shard.flushList().oldestLsn());
        }
        return Math.min(oldest, writes.oldestLsn());
    }

    /**
     * Finds dirty frames below an LSN that nobody is writing, about the oldest of all: each shard
     * gives its oldest.
     *
     * @return how many there are in the target, from its start
     */
    int collectOldest(int[] target, int limit, long belowLsn) {
        PoolShard[] shards = supply.shards();
        int count = 0;
        for (int i = 0; i < shards.length; i++) {
            int share = (limit - count) / (shards.length - i);
            count = shards[i].flushList().collect(target, count, count + share, belowLsn);
        }
        return count;
    }

    /** Drops the space's pages, dirty or not; returns when none is being written any more. */
    public void discardSpace(int spaceId) {
        discard(spaceId, new PageDiscard.WholeSpace());
    }

    /** Drops the pages of one tree of a space. */
    public void discardTree(int spaceId, int treeId) {
        discard(spaceId, new PageDiscard.OfTree(treeId));
    }

    /** Drops the pages of a space from a page number on. */
    public void discardFrom(int spaceId, int pageNumber) {
        discard(spaceId, new PageDiscard.FromPage(pageNumber));
    }

    /** Dirty pages, about. */
    public int dirtyCount() {
        int dirty = 0;
        for (PoolShard shard : supply.shards()) {
            dirty += shard.flushList().count();
        }
        return dirty;
    }

    /** Free frames, about. */
    public int freeCount() {
        return supply.freeCount();
    }

    /** What wakes the page cleaner; set once, before the pool has users. */
    public void cleanerWaker(Runnable waker) {
        supply.cleanerWaker(waker);
    }

    /** What reads ahead for scans of the pool's pages; set once, before there are scans. */
    public void readAhead(ReadAhead reader) {
        readAhead = reader;
    }

    /** What reads ahead for scans; null where that is turned off. */
    public ReadAhead readAhead() {
        return readAhead;
    }

    /** Whether the memory has been written since it was obtained, so that its pages are there. */
    boolean isTouched() {
        return memory.isTouched();
    }

    FrameTable frames() {
        return frames;
    }

    FrameSupply supply() {
        return supply;
    }

    PageWrites writes() {
        return writes;
    }

    void tick(int millis) {
        tick = millis;
    }

    /** Frees the memory. Nobody uses the pool any more. */
    @Override
    public void close() {
        memory.close();
        frames.close();
    }

    private int resident(long pageId, Tally tally) {
        int frame = translation.find(pageId);
        return frame != FrameTable.NONE && holds(frame, pageId)
                ? frame
                : load(pageId, false, tally);
    }

    /** Whether a frame that the page is mapped to holds it; if not, waits for who is loading it. */
    private boolean isLoaded(int frame, long pageId) {
        int loadNumber = frames.loadNumber(frame);
        if (holds(frame, pageId)) {
            return true;
        }
        awaitOther(frame, pageId, loadNumber);
        return false;
    }

    private void awaitOther(int frame, long pageId, int loadNumber) {
        counters.increment(Counter.PAGE_READ_WAITS);
        CurrentWait wait = CurrentWait.begin(CoreSites.PAGE_READ, pageId);
        BufferLatch.awaitNotExclusiveTagged(
                table, FrameTable.line(frame), sites.of(pageId), pageId);
        wait.end();
        LoadFailure failure = failures.get(frame);
        if (failure != null && failure.pageId == pageId && failure.loadNumber == loadNumber) {
            throw failure.exception;
        }
        Thread.onSpinWait();
    }

    /**
     * Loads the page, or returns NONE if somebody else was first.
     *
     * <p><b>Latches:</b> with a stock the frame is held exclusively on return, else not.
     */
    private int loadMissing(long pageId, boolean cold, FrameStock stock, Tally tally) {
        tally.increment(Counter.PAGE_FIXES_MISSED);
        translation.prepare(pageId);
        int frame = stock == null ? supply.take(pageId) : stock.take();
        Invariants.check(frame != FrameTable.NONE, "stock has a frame", pageId, frame);
        claim(frame, pageId);
        if (!translation.map(pageId, frame)) {
            unclaim(frame);
            giveBack(frame, stock);
            return FrameTable.NONE;
        }
        TestHooks.reached(CLAIMED);
        try {
            reader.read(pageId, chunk(frame), offset(frame));
        } catch (RuntimeException e) {
            failed(frame, pageId, e);
            giveBack(frame, stock);
            throw e;
        } catch (Error e) {
            // With a latch held any Error is the engine's end; who waits for the page sees that.
            health.fail(e);
            translation.unmap(pageId, frame);
            unclaim(frame);
            giveBack(frame, stock);
            throw e;
        }
        TestHooks.reached(READ);
        becomesResident(frame, cold ? FrameTable.COLD : FrameTable.REFERENCED);
        if (stock == null) {
            BufferLatch.releaseExclusive(table, FrameTable.line(frame));
        }
        TestHooks.reached(LOADED);
        return frame;
    }

    /**
     * Claims a page that is in no frame, as {@link #load} does (P2), if that needs no wait and no
     * frame of those that users are about to want. Who claims ends it by {@link #claimRead} or
     * {@link #claimGivenUp}, whatever happens; the page was {@linkplain #prepare prepared}.
     *
     * <p><b>Latches:</b> other claims at most. The frame is held exclusively on return.
     *
     * @return the frame, which is LOADING; {@link FrameTable#NONE} if there is none, or if the page
     *     has got one meanwhile
     */
    int tryClaim(long pageId) {
        int frame = supply.tryTakeSpare(pageId);
        if (frame == FrameTable.NONE) {
            return FrameTable.NONE;
        }
        claim(frame, pageId);
        if (!translation.map(pageId, frame)) {
            unclaim(frame);
            supply.giveBack(frame);
            return FrameTable.NONE;
        }
        return frame;
    }

    /** Whether the bytes that were read into a claimed frame are the page, whole. */
    boolean isSound(int frame, long pageId) {
        return reader.isSound(pageId, chunk(frame), offset(frame));
    }

    /** Makes a claimed page, whose bytes are there, everybody's; it is one that is wanted once. */
    void claimRead(int frame) {
        becomesResident(frame, FrameTable.COLD);
        BufferLatch.releaseExclusive(table, FrameTable.line(frame));
        TestHooks.reached(LOADED);
    }

    /**
     * Takes back a claim: nobody has read the page. Who waits for it reads it himself, and is told
     * what is wrong with it.
     */
    void claimGivenUp(int frame, long pageId) {
        translation.unmap(pageId, frame);
        unclaim(frame);
        supply.giveBack(frame);
    }

    private void becomesResident(int frame, int reference) {
        frames.loadTick(frame, tick);
        frames.reference(frame, reference);
        frames.stateRelease(frame, FrameTable.RESIDENT);
    }

    private void giveBack(int frame, FrameStock stock) {
        if (stock == null) {
            supply.giveBack(frame);
        } else {
            stock.put(frame);
        }
    }

    private void failed(int frame, long pageId, RuntimeException exception) {
        try {
            failures.set(frame, new LoadFailure(pageId, frames.loadNumber(frame), exception));
        } catch (OutOfMemoryError e) {
            health.fail(e);
        }
        translation.unmap(pageId, frame);
        unclaim(frame);
    }

    /**
     * Latches a free frame exclusively and gives it the page's id. Who else latches a free frame
     * sees that it is not his and lets go without a wait.
     */
    private void claim(int frame, long pageId) {
        BufferLatch.acquireExclusive(table, FrameTable.line(frame), CoreSites.NEW_PAGE);
        assert frames.stateAcquire(frame) == FrameTable.FREE : frames.describe(frame);
        assert frames.recoveryLsnAcquire(frame) == 0 : frames.describe(frame);

        frames.loadNumber(frame, frames.loadNumber(frame) + 1);
        frames.pageId(frame, pageId);
        frames.stateRelease(frame, FrameTable.LOADING);
    }

    private void unclaim(int frame) {
        frames.pageId(frame, PageId.NONE);
        frames.stateRelease(frame, FrameTable.FREE);
        BufferLatch.tagChanged(table, FrameTable.line(frame));
        BufferLatch.releaseExclusive(table, FrameTable.line(frame));
    }

    private void discard(int spaceId, PageDiscard which) {
        for (int frame = 0; frame < frames.count(); frame++) {
            long pageId = frames.pageId(frame);
            if (pageId != PageId.NONE && PageId.spaceId(pageId) == spaceId) {
                discardFrame(frame, pageId, which);
            }
        }
    }

    private void discardFrame(int frame, long pageId, PageDiscard which) {
        int line = FrameTable.line(frame);
        while (true) {
            long writesBefore = writes.ended();
            if (!BufferLatch.acquireExclusiveTagged(table, line, sites.of(pageId), pageId)) {
                return;
            }
            if (!holds(frame, pageId) || !which.matches(pageId, chunk(frame), offset(frame))) {
                BufferLatch.releaseExclusive(table, line);
                return;
            }
            if (supply.shardOf(frame).flushList().discarded(frame)) {
                counters.increment(Counter.PAGES_DISCARDED);
            }
            if (!frames.isWriting(frame)) {
                supply.unmapLatched(frame);
                BufferLatch.releaseExclusive(table, line);
                supply.giveBack(frame);
                return;
            }
            BufferLatch.releaseExclusive(table, line);
            writes.awaitAfter(writesBefore);
        }
    }

    /** What is wrong in a pool that nobody uses at the moment; empty if nothing is. */
    List<String> checkInvariants() {
        return new PoolCheck(this).run();
    }

    /** Why a load failed, for those who waited for it. */
    private static final class LoadFailure {
        private final long pageId;
        private final int loadNumber;
        private final RuntimeException exception;

        LoadFailure(long pageId, int loadNumber, RuntimeException exception) {
            this.pageId = pageId;
            this.loadNumber = loadNumber;
            this.exception = exception;
        }
    }
}
