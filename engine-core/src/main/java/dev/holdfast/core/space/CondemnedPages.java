// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.Counter;
import java.util.List;
import org.agrona.collections.LongHashSet;

/**
 * Frees condemned pages when their epochs have passed (P6), and finds those that nobody remembers:
 * from before the open, or that did not fit into the queue. For one thread.
 */
public final class CondemnedPages implements BackgroundAgent.Body {
    /*
     * At an open all groups are marked, and each is looked at once, in the background; the same
     * look tells what is free there. A page that the scan finds gets the epoch of the moment after
     * it was found, which is later than that of its unlinking.
     *
     * What a scan finds may be the page of a group that is published and has not told the queue yet.
     * If it were remembered, freed, and then told, a page that is free, or somebody else's by then,
     * would be in the queue. So a scan that meets such a group is done again later.
     *
     * Scanning and freeing are one thread's work: a scan that ran while another thread freed what
     * it had just seen would remember a page that is no longer condemned.
     *
     * What cannot be freed since a page is damaged leaves the queue, so that what stands behind it
     * has its turn, and is passed by when a scan finds it again. It stays condemned on its map, and
     * the next open tries once more. A group whose map is damaged is not looked at again either.
     */
    private static final int BATCH = 16;
    private static final int LEFT_MAX = 4096;
    private static final int PATCH_BYTES = RedoWriter.RECORD_OVERHEAD_MAX + 5 + Long.BYTES;

    private final Spaces spaces;
    private final BufferPool pool;
    private final MiniTransaction mtr;
    private final ChainFreer chains;
    private final int[] batch = new int[BATCH];

    /** Condemned pages, by page id, that damage keeps from being freed. */
    private final LongHashSet leftForDamage = new LongHashSet();

    private final int[] found = new int[CondemnedQueue.CAPACITY];
    private final boolean[] foundChains = new boolean[CondemnedQueue.CAPACITY];

    /** Uses the mini-transaction alone. */
    public CondemnedPages(Spaces spaces, MiniTransaction mtr, ChainFreer chains) {
        this.spaces = spaces;
        this.pool = spaces.pool();
        this.mtr = mtr;
        this.chains = chains;
    }

    /** Does a bounded part of what can be done now. */
    @Override
    public boolean run() {
        List<Space> round = spaces.takeCondemned();
        boolean waiting = false;
        for (Space space : round) {
            waiting |= hasQueued(space);
        }
        if (waiting && spaces.epochs().advance()) {
            spaces.epochs().advance();
        }
        boolean more = false;
        int done = 0;
        try {
            for (Space space : round) {
                more |= work(space);
                done++;
            }
        } finally {
            // Nobody is forgotten for a round that ran out of memory.
            round.subList(done, round.size()).forEach(spaces::putCondemned);
        }
        return more;
    }

    private boolean work(Space space) {
        boolean more = false;
        // Growing and cutting go first: while a file is cut its maps may go.
        if (space.resizing().tryLock()) {
            try {
                if (!space.isDropped()) {
                    more |= freePassed(space);
                    more |= scanGroup(space);
                }
            } finally {
                space.resizing().unlock();
            }
        }
        if (!space.isDropped() && hasWork(space)) {
            spaces.putCondemned(space);
        }
        return more;
    }

    /** Whether there is a condemned page, or a group that may hold one. */
    public static boolean hasWork(Space space) {
        space.latch().acquireShared();
        CondemnedQueue queue = space.condemnedQueue();
        boolean work = !queue.isEmpty() || queue.hasUnscanned();
        space.latch().releaseShared();
        return work;
    }

    private static boolean hasQueued(Space space) {
        space.latch().acquireShared();
        boolean queued = !space.condemnedQueue().isEmpty();
        space.latch().releaseShared();
        return queued;
    }

    /** Frees one batch, or one chain. Returns whether anything was freed. */
    private boolean freePassed(Space space) {
        int chain = PageId.NULL_PAGE_NUMBER;
        int count = 0;
        int group = -1;
        space.latch().acquireShared();
        CondemnedQueue queue = space.condemnedQueue();
        for (int i = 0; i < queue.count() && count < BATCH; i++) {
            if (!spaces.epochs().passed(queue.epoch(i))) {
                continue;
            }
            int page = queue.page(i);
            int pageGroup = AllocationMap.groupOf(page, pool.pageBytes());
            if (queue.isChain(i)) {
                chain = count == 0 ? page : chain;
            } else if (group < 0 || group == pageGroup) {
                group = pageGroup;
                batch[count] = page;
                count++;
            }
            if (chain != PageId.NULL_PAGE_NUMBER && count == 0) {
                break;
            }
        }
        space.latch().releaseShared();
        try {
            if (count > 0) {
                freeBatch(space, count);
            } else if (chain != PageId.NULL_PAGE_NUMBER) {
                chains.freeChain(space, PageId.of(space.spaceId(), chain));
            }
        } catch (CorruptionException damage) {
            leave(space, count, chain, damage);
        }
        return count > 0 || chain != PageId.NULL_PAGE_NUMBER;
    }

    /**
     * Passes by what was to be freed. Of a chain that is freed in part, the new head is condemned
     * and in the queue by now, and is met and left as the old one was.
     */
    private void leave(Space space, int count, int chain, CorruptionException damage) {
        if (spaces.health().failed()) {
            throw damage;
        }
        if (count == 0) {
            batch[0] = chain;
        }
        int left = 0;
        space.latch().acquireExclusive();
        for (int i = 0; i < Math.max(count, 1); i++) {
            if (space.condemnedQueue().remove(batch[i])) {
                batch[left] = batch[i];
                left++;
            }
        }
        space.latch().releaseExclusive();
        if (leftForDamage.size() > LEFT_MAX) {
            // They are met again, and passed by again.
            leftForDamage.clear();
        }
        for (int i = 0; i < left; i++) {
            leftForDamage.add(PageId.of(space.spaceId(), batch[i]));
        }
        spaces.counters().add(Counter.CONDEMNED_LEFT, left);
        spaces.health().damaged(damage, "freeing of condemned pages");
    }

    private void freeBatch(Space space, int count) {
        mtr.begin(count * PATCH_BYTES, 0, true);
        try {
            space.fixMaps(mtr, null, batch, count);
            for (int i = 0; i < count; i++) {
                boolean wasCondemned =
                        space.freeCondemned(mtr, PageId.of(space.spaceId(), batch[i]));
                assert wasCondemned : "queued page is condemned: page=" + batch[i];
            }
            mtr.commit();
        } catch (Throwable failure) {
            throw mtr.failed(failure);
        }
    }

    /** Looks at one marked group. Returns whether it has remembered what it may hold. */
    private boolean scanGroup(Space space) {
        space.latch().acquireExclusive();
        CondemnedQueue queue = space.condemnedQueue();
        int group = queue.unscannedGroup(0);
        int room = CondemnedQueue.CAPACITY - queue.count();
        boolean scan = group >= 0 && room > 0;
        if (scan) {
            // Before the look: what is condemned meanwhile and finds no room marks it again.
            queue.scanned(group);
        }
        space.latch().releaseExclusive();
        if (!scan) {
            return false;
        }
        try {
            return lookAt(space, group, room);
        } catch (CorruptionException damage) {
            if (spaces.health().failed()) {
                throw damage;
            }
            spaces.health().damaged(damage, "search for condemned pages");
            return true;
        }
    }

    /** Returns whether what the group holds is remembered. */
    private boolean lookAt(Space space, int group, int room) {
        space.ensureLoaded(group);
        int count = 0;
        int seen = 0;
        long mapId = space.mapPageId(group);
        int pages = AllocationMap.pagesPerGroup(pool.pageBytes());
        pool.load(mapId, true);
        int frame = pool.fixShared(mapId);
        for (int index = 0; index < pages; index++) {
            long entry = AllocationMap.entryAt(pool.chunk(frame), pool.offset(frame), index);
            int page = group * pages + index;
            if (AllocationMap.state(entry) >= AllocationMap.CONDEMNED && !isLeft(space, page)) {
                seen++;
                if (count < room) {
                    found[count] = page;
                    foundChains[count] =
                            AllocationMap.state(entry) == AllocationMap.CONDEMNED_CHAIN;
                    count++;
                }
            }
        }
        boolean settled = space.isCondemnedSettled();
        pool.unfixShared(frame);
        remember(space, group, settled ? count : 0, seen);
        return settled;
    }

    private boolean isLeft(Space space, int page) {
        return leftForDamage.contains(PageId.of(space.spaceId(), page));
    }

    private void remember(Space space, int group, int count, int seen) {
        long epoch = spaces.epochs().now();
        space.latch().acquireExclusive();
        try {
            CondemnedQueue queue = space.condemnedQueue();
            for (int i = 0; i < count; i++) {
                if (!queue.add(found[i], group, foundChains[i], epoch)) {
                    break;
                }
            }
            if (seen > count) {
                queue.mark(group);
            }
        } catch (Throwable failure) {
            // Condemned pages that nobody remembers: the marks may need memory.
            spaces.health().fail(failure);
            throw failure;
        } finally {
            space.latch().releaseExclusive();
        }
    }
}
