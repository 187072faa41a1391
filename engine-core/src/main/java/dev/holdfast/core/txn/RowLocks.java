// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.EngineClosedException;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.WaitInterruptedException;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.sync.CurrentWait;
import dev.holdfast.sync.HeldLatches;
import dev.holdfast.sync.LatchArray;
import dev.holdfast.sync.TestHooks;
import java.time.Duration;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;

/**
 * The queues of those who wait for a row, by tree and key.
 *
 * <p>A writer's lock is implicit: its transaction id in the row. An entry exists here only while
 * somebody waits, or while the first in the queue has been granted the row and has not yet written.
 */
final class RowLocks {
    /*
     * P14. A queue names whom its waiters wait for: the owner, a transaction whose id stands in the
     * row, or the holder, the waiter that was granted the row. One of them, never both.
     *
     *   waiter: enqueue under the shard latch; flag the shard in the owner (volatile); read the
     *           owner's state again. If it has ended, do its work: grant.
     *   owner:  store the final state (volatile); read the flags; grant in each flagged shard.
     *
     * Whichever of the two is later in the order of volatile accesses sees the other, so no waiter
     * is left. Granting twice is harmless, since it takes the owner out of the queue.
     *
     * A granted waiter descends again and either writes (its id is in the row then, and it is the
     * owner for the rest of the queue), or leaves, which passes the grant on. A writer that did not
     * wait looks for a holder under the leaf's exclusive latch and queues behind it; shards without
     * entries are passed by with one volatile read of their count.
     *
     * If the granted waiter finds another transaction's id in the row after all (it wrote between
     * the grant's decision and now), it queues again, first.
     */
    static final int SHARDS = 512;

    /** Sync point: in the queue, the owner not flagged yet. */
    static final String QUEUED = "txn.locks.queued";

    private final String storeName;
    private final TransactionTable table;
    private final EngineHealth health;
    private final Counters counters;
    private final LatchArray latches = new LatchArray(SHARDS, CoreSites.LOCK_SHARD);
    private final KeyQueue[] shards = new KeyQueue[SHARDS];

    /**
     * Who is about to park or parked. Without latches: who makes the engine fail may hold any, and
     * wakes them.
     */
    private final Set<RowWaiter> parked = ConcurrentHashMap.newKeySet();

    /** Entries per shard: written under its latch, read by anyone (volatile). */
    private final AtomicIntegerArray counts = new AtomicIntegerArray(SHARDS);

    private volatile boolean closing;

    RowLocks(String storeName, TransactionTable table, EngineHealth health, Counters counters) {
        this.storeName = storeName;
        this.table = table;
        this.health = health;
        this.counters = counters;
        health.onFailure(this::wakeAll);
    }

    /**
     * The transaction that was granted a row and has not written it yet; zero if there is none.
     *
     * <p><b>Latches:</b> the row's leaf held exclusively.
     */
    long holder(int treeId, byte[] key, int keyLength) {
        int shard = shard(treeId, key, keyLength);
        if (counts.get(shard) == 0) {
            return 0;
        }
        latches.acquireExclusive(shard);
        KeyQueue queue = find(shard, treeId, key, keyLength);
        long holder = queue == null || queue.holder == null ? 0 : queue.holder.transactionId;
        latches.releaseExclusive(shard);
        return holder;
    }

    /**
     * Waits until the row is granted to the caller or its time is up. On return the caller holds
     * the row until {@link #wrote} or {@link #leave}.
     *
     * <p><b>Latches:</b> none held.
     *
     * @param waiter the caller's own; it waits for one row at a time
     * @param ownerId the transaction whose id stands in the row, or zero to wait for the holder
     * @param startNanos when the statement began to wait; its time counts from there, however often
     *     it waits
     * @throws LockTimeoutException if the time is up
     * @throws WaitInterruptedException if the thread is interrupted; its flag is kept
     */
    void await(
            RowWaiter waiter,
            String tableName,
            int treeId,
            byte[] key,
            int keyLength,
            long ownerId,
            long startNanos,
            long timeoutNanos) {
        assert HeldLatches.holdsNone() : HeldLatches.describe();
        int shard = shard(treeId, key, keyLength);
        KeyQueue fresh = new KeyQueue(treeId, Arrays.copyOf(key, keyLength));
        boolean again = waiter.isGranted();
        waiter.prepare(shard);
        counters.increment(Counter.ROW_LOCK_WAITS);
        CurrentWait wait = CurrentWait.begin(CoreSites.ROW_LOCK, treeId);
        boolean granted = false;
        try {
            enqueue(waiter, shard, fresh, ownerId, again);
            TestHooks.reached(QUEUED);
            if (ownerId != 0) {
                flag(ownerId, shard);
            }
            parked.add(waiter);
            park(waiter, tableName, fresh.key, startNanos, timeoutNanos);
            granted = true;
        } finally {
            parked.remove(waiter);
            if (!granted) {
                leave(waiter);
            }
            wait.end();
        }
    }

    /** Has the owner look here at its end; if that is past, does what it would do. */
    private void flag(long ownerId, int shard) {
        LockOwner owner = table.owner(ownerId);
        if (owner != null) {
            owner.flagWaiter(shard);
        }
        if (table.hasEnded(ownerId)) {
            grantAfter(ownerId, shard);
        }
    }

    private void park(
            RowWaiter waiter, String tableName, byte[] key, long start, long timeoutNanos) {
        while (true) {
            health.check();
            if (closing) {
                // Also if it was granted just now, by a transaction that close has ended.
                throw new EngineClosedException(storeName);
            }
            if (waiter.isGranted()) {
                return;
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new WaitInterruptedException("row lock");
            }
            long waited = System.nanoTime() - start;
            if (waited >= timeoutNanos) {
                counters.increment(Counter.ROW_LOCK_TIMEOUTS);
                CoreSites.ROW_LOCK.counters().countTimeout();
                throw new LockTimeoutException(tableName, key, Duration.ofNanos(waited));
            }
            LockSupport.parkNanos(this, timeoutNanos - waited);
        }
    }

    private void enqueue(RowWaiter waiter, int shard, KeyQueue fresh, long ownerId, boolean first) {
        latches.acquireExclusive(shard);
        KeyQueue queue = find(shard, fresh.treeId, fresh.key, fresh.key.length);
        if (queue == null) {
            queue = fresh;
            queue.next = shards[shard];
            shards[shard] = queue;
            counts.incrementAndGet(shard);
        }
        if (queue.holder == waiter) {
            queue.holder = null;
        }
        if (ownerId != 0 && queue.holder == null) {
            queue.ownerId = ownerId;
        }
        queue.add(waiter, first);
        RowWaiter granted = queue.holder == null && queue.ownerId == 0 ? queue.grantFirst() : null;
        latches.releaseExclusive(shard);
        wake(granted);
    }

    /** The caller has written the row it was granted: the rest waits for its transaction now. */
    void wrote(RowWaiter waiter) {
        int shard = waiter.shard;
        // Before the latch, under which nothing may be allocated; the caller is the owner and reads
        // its flags when it ends, so a flag for nobody costs a look at one shard.
        waiter.owner.flagWaiter(shard);
        latches.acquireExclusive(shard);
        KeyQueue queue = waiter.queue;
        queue.holder = null;
        waiter.ungrant();
        if (queue.isEmpty()) {
            unlink(shard, queue);
        } else {
            queue.ownerId = waiter.transactionId;
        }
        latches.releaseExclusive(shard);
    }

    /** The caller gives up the row or its place in the queue, and passes a grant on. */
    void leave(RowWaiter waiter) {
        KeyQueue queue = waiter.queue;
        if (queue == null) {
            return;
        }
        int shard = waiter.shard;
        latches.acquireExclusive(shard);
        RowWaiter granted = null;
        if (queue.holder == waiter) {
            queue.holder = null;
            granted = queue.isEmpty() ? null : queue.grantFirst();
        } else {
            queue.remove(waiter);
        }
        waiter.ungrant();
        if (queue.isEmpty() && queue.holder == null) {
            unlink(shard, queue);
        }
        latches.releaseExclusive(shard);
        wake(granted);
    }

    /** A transaction has stored its final state: grants what waited for it. */
    void ownerEnded(LockOwner owner) {
        if (!owner.hasWaiters()) {
            return;
        }
        for (int shard = 0; shard < SHARDS; shard++) {
            if (owner.isFlagged(shard)) {
                grantAfter(owner.transactionId(), shard);
            }
        }
    }

    private void grantAfter(long ownerId, int shard) {
        RowWaiter wakeList = null;
        latches.acquireExclusive(shard);
        for (KeyQueue queue = shards[shard]; queue != null; queue = queue.next) {
            if (queue.ownerId == ownerId && queue.holder == null && !queue.isEmpty()) {
                RowWaiter granted = queue.grantFirst();
                granted.nextToWake = wakeList;
                wakeList = granted;
            }
        }
        latches.releaseExclusive(shard);
        while (wakeList != null) {
            RowWaiter next = wakeList.nextToWake;
            wakeList.nextToWake = null;
            wake(wakeList);
            wakeList = next;
        }
    }

    /** Refuses further waits and ends those that are under way. */
    void close() {
        closing = true;
        wakeAll();
    }

    /**
     * Lets every waiter look at the state of the engine again. It looks after it has entered itself
     * among the parked; so who changed the state first and comes here then misses none.
     */
    private void wakeAll() {
        for (RowWaiter waiter : parked) {
            waiter.unpark();
        }
    }

    /** Waiters and holders now. Racy; for reports. */
    int entries() {
        int sum = 0;
        for (int shard = 0; shard < SHARDS; shard++) {
            sum += counts.get(shard);
        }
        return sum;
    }

    private static void wake(RowWaiter granted) {
        if (granted != null) {
            granted.unpark();
        }
    }

    private KeyQueue find(int shard, int treeId, byte[] key, int keyLength) {
        for (KeyQueue queue = shards[shard]; queue != null; queue = queue.next) {
            if (queue.treeId == treeId
                    && Arrays.equals(queue.key, 0, queue.key.length, key, 0, keyLength)) {
                return queue;
            }
        }
        return null;
    }

    private void unlink(int shard, KeyQueue queue) {
        KeyQueue before = null;
        for (KeyQueue at = shards[shard]; at != queue; at = at.next) {
            before = at;
        }
        if (before == null) {
            shards[shard] = queue.next;
        } else {
            before.next = queue.next;
        }
        counts.decrementAndGet(shard);
    }

    private static int shard(int treeId, byte[] key, int keyLength) {
        int hash = treeId * 0x9E3779B9;
        for (int i = 0; i < keyLength; i++) {
            hash = 31 * hash + key[i];
        }
        hash ^= hash >>> 16;
        hash *= 0x85EBCA6B;
        return (hash ^ hash >>> 13) & SHARDS - 1;
    }

    /** The queue of one key. All fields are guarded by the shard's latch. */
    static final class KeyQueue {
        final int treeId;
        final byte[] key;
        KeyQueue next;

        /** The transaction whose end is waited for; zero while a holder is. */
        long ownerId;

        RowWaiter holder;
        RowWaiter first;
        private RowWaiter last;

        KeyQueue(int treeId, byte[] key) {
            this.treeId = treeId;
            this.key = key;
        }

        boolean isEmpty() {
            return first == null;
        }

        void add(RowWaiter waiter, boolean atFront) {
            waiter.queue = this;
            if (atFront) {
                waiter.next = first;
                first = waiter;
                last = last == null ? waiter : last;
            } else if (last == null) {
                first = waiter;
                last = waiter;
            } else {
                last.next = waiter;
                last = waiter;
            }
        }

        RowWaiter grantFirst() {
            RowWaiter granted = first;
            remove(granted);
            granted.queue = this;
            ownerId = 0;
            holder = granted;
            granted.grant();
            return granted;
        }

        void remove(RowWaiter waiter) {
            RowWaiter before = null;
            for (RowWaiter at = first; at != waiter; at = at.next) {
                before = at;
            }
            if (before == null) {
                first = waiter.next;
            } else {
                before.next = waiter.next;
            }
            if (last == waiter) {
                last = before;
            }
            waiter.next = null;
        }
    }
}
