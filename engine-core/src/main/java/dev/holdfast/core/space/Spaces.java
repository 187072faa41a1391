// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.CorruptionException;
import dev.holdfast.NoSuchTableException;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** All spaces of an engine, and what they share. Safe for all threads. */
public final class Spaces {
    private final SpaceFiles files;
    private final BufferPool pool;
    private final OperationEpochs epochs;
    private final EngineHealth health;
    private final Counters counters;
    private final ConcurrentHashMap<Integer, Space> spaces = new ConcurrentHashMap<>();

    /** Spaces that want to grow, each at most once. */
    private final Queue<Space> growing = new ConcurrentLinkedQueue<>();

    /** Spaces that have or may have condemned pages, each at most once. */
    private final Queue<Space> condemning = new ConcurrentLinkedQueue<>();

    /** Set once by {@code core.db} before there are users. */
    private volatile Runnable growthWaker = Spaces::wakeNobody;

    private volatile Runnable condemnedWaker = Spaces::wakeNobody;

    public Spaces(
            SpaceFiles files,
            BufferPool pool,
            OperationEpochs epochs,
            EngineHealth health,
            Counters counters) {
        this.files = files;
        this.pool = pool;
        this.epochs = epochs;
        this.health = health;
        this.counters = counters;
    }

    /** Says who wakes the agents that run {@link GrowthAgent} and {@link CondemnedPages}. */
    public void wakers(Runnable growth, Runnable condemned) {
        growthWaker = growth;
        condemnedWaker = condemned;
    }

    public SpaceFiles files() {
        return files;
    }

    public BufferPool pool() {
        return pool;
    }

    public OperationEpochs epochs() {
        return epochs;
    }

    /**
     * Takes up a space whose file is open, after redo: reads its header through the pool. What lies
     * in the file behind the header's page count is of a growth or cut that did not end; it is left
     * alone and written anew by the next growth.
     *
     * @throws CorruptionException if the file is shorter than its header says
     */
    public Space open(int spaceId) throws IOException {
        long headerId = PageId.of(spaceId, SpaceHeader.PAGE_NUMBER);
        int frame = pool.fixShared(headerId);
        long pageCount;
        try {
            String name = files.fileName(spaceId);
            SpaceHeader.check(pool.chunk(frame), pool.offset(frame), files.store(), spaceId, name);
            pageCount =
                    Integer.toUnsignedLong(
                            SpaceHeader.pageCount(pool.chunk(frame), pool.offset(frame)));
            files.adopt(spaceId, SpaceKinds.read(pool.chunk(frame), pool.offset(frame)));
        } finally {
            pool.unfixShared(frame);
        }
        long pagesInFile = files.pagesInFile(spaceId);
        if (pagesInFile < pageCount) {
            throw new CorruptionException(
                    "data file is too short",
                    files.fileName(spaceId),
                    Integer.toUnsignedLong(spaceId),
                    pagesInFile,
                    "pages=" + pageCount,
                    "pages=" + pagesInFile);
        }
        Space space = put(new Space(this, spaceId, pageCount, true));
        condemnedWaiting(space);
        return space;
    }

    /**
     * Creates the file of a space, synced, and takes it up. The caller then logs that the space
     * exists, or calls {@link #retire} and {@link #delete}.
     */
    public Space create(int spaceId) throws IOException {
        try {
            files.create(spaceId);
        } catch (FailedSyncException failure) {
            throw failed(failure);
        }
        int pageCount = AllocationMap.pagesPerExtent(pool.pageBytes());
        return put(new Space(this, spaceId, pageCount, false));
    }

    /**
     * The space.
     *
     * @throws NoSuchTableException if it was dropped
     */
    public Space get(int spaceId) {
        Space space = spaces.get(spaceId);
        if (space == null) {
            throw new NoSuchTableException(files.fileName(spaceId));
        }
        return space;
    }

    /** Whether the space is there. */
    public boolean contains(int spaceId) {
        return spaces.containsKey(spaceId);
    }

    /** All spaces, in no order. */
    public List<Space> all() {
        return new ArrayList<>(spaces.values());
    }

    /**
     * Takes a space out of use, before its drop is logged: nothing is reserved, grown or freed in
     * it any more. A second call does nothing.
     */
    public void retire(int spaceId) {
        Space space = spaces.remove(spaceId);
        if (space != null) {
            space.resizing().lock();
            try {
                space.dropped();
                space.demand().wakeAll();
            } finally {
                space.resizing().unlock();
            }
        }
    }

    /**
     * Ends a retired space whose drop record is durable, or that no record names: its pages leave
     * the pool, then its file goes. A second call does nothing.
     */
    public void delete(int spaceId) throws IOException {
        pool.discardSpace(spaceId);
        try {
            files.delete(spaceId);
        } catch (FailedSyncException failure) {
            throw failed(failure);
        }
    }

    private IOException failed(FailedSyncException failure) {
        health.fail(failure);
        health.check();
        return failure;
    }

    EngineHealth health() {
        return health;
    }

    Counters counters() {
        return counters;
    }

    /** Lets the growth agent look at a space. Never waits. */
    void wantGrowth(Space space) {
        if (space.growthQueued().compareAndSet(false, true)) {
            growing.add(space);
        }
        growthWaker.run();
    }

    /** The next space to look at, or null. */
    Space nextGrowing() {
        Space space = growing.poll();
        if (space != null) {
            space.growthQueued().set(false);
        }
        return space;
    }

    boolean hasGrowing() {
        return !growing.isEmpty();
    }

    /** Lets the agent for condemned pages look at a space. Never waits. */
    void condemnedWaiting(Space space) {
        putCondemned(space);
        condemnedWaker.run();
    }

    /** Has the next round of that agent look at the space. */
    void putCondemned(Space space) {
        if (space.condemnedQueued().compareAndSet(false, true)) {
            condemning.add(space);
        }
    }

    /** The spaces that have or may have condemned pages; each is put back if that stays so. */
    List<Space> takeCondemned() {
        List<Space> taken = new ArrayList<>();
        for (Space space = condemning.poll(); space != null; space = condemning.poll()) {
            space.condemnedQueued().set(false);
            taken.add(space);
        }
        return taken;
    }

    /** Until there are agents, as during recovery, their work is left for later. */
    private static void wakeNobody() {}

    private Space put(Space space) {
        Space before = spaces.putIfAbsent(space.spaceId(), space);
        if (before != null) {
            throw new IllegalStateException("space is open already: " + before);
        }
        return space;
    }
}
