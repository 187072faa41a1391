// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import dev.holdfast.sync.Waiter.Mode;

/**
 * The slow path of every latch: spins, sleeps and wakes, for any storage of latch words.
 *
 * <p>A latch is known here by its storage object and its index in it, so all accesses to one latch
 * must name the same object.
 *
 * <p><b>Fairness.</b> A latch may be taken by whoever comes while it is free, queue or no queue: on
 * few processors that is faster by far than handing it to a thread that has yet to wake up. Bounds
 * on it: a reader does not join other readers past a queue; a waiter that was woken and found the
 * latch taken goes back to the front; after {@value #PASSED_OVER_MAX} such failures the next
 * release hands the latch over instead of freeing it. So no reader or writer waits for more than
 * what was queued before it plus a bounded number of others.
 */
final class ParkingLot {
    /*
     * After WTF::ParkingLot (Pizlo) and parking_lot (d'Antras): latches have no queue of their own,
     * queues live in a striped table keyed by the latch. Differences: the word is changed here, as
     * part of queueing and waking, not by a callback; a woken bit keeps a second waiter from being
     * woken while the first is on its way (as Go's sync.Mutex does), so that between the two a
     * release costs one CAS although there is a queue; hand-over is decided by count of failures,
     * not by a clock.
     *
     * Why no wake-up is lost. The waiters bit is set under the queue lock by a CAS that fails if
     * the word has changed, so the holder that keeps the waiter out releases after it and sees the
     * bit. A release that sees waiters and no woken bit frees the latch and sets the woken bit in
     * one CAS under the same lock, having found whom to wake. Whoever was woken clears the bit when
     * it takes the latch, or, under the queue lock, when it finds the latch held and queues again;
     * then that holder's release sees waiters without woken. Hence: waiters set and the latch free
     * means that a woken thread has not yet tried.
     *
     * To sleep costs one CAS and one queue lock. Releasing with somebody to wake costs the same,
     * and the unpark happens outside the queue lock.
     *
     * Tried on paper and dropped: releasing first and waking after. Others take and release the
     * latch in between and each of them wakes somebody; and a hand-over is not possible any more.
     *
     * Nothing in here may throw or load a class while the queue lock is held. Hence no switch over
     * the mode: it is compiled to a class of its own.
     */

    /** How often a woken waiter may find the latch taken before it is handed over. */
    static final int PASSED_OVER_MAX = 2;

    /** How many readers one release wakes at most. */
    static final int READERS_WOKEN_MAX = 256;

    static final String BEFORE_QUEUEING = "sync.beforeQueueing";
    static final String BEFORE_WAKING = "sync.beforeWaking";
    static final String WOKEN = "sync.woken";

    private static final int STRIPES = 256;
    private static final WaitQueue[] QUEUES = new WaitQueue[STRIPES];

    static {
        for (int i = 0; i < STRIPES; i++) {
            QUEUES[i] = new WaitQueue();
        }
    }

    private ParkingLot() {}

    /** Waits as long as it takes and returns with the latch held in {@code mode}. */
    static void acquire(
            WordAccess access, Object storage, int index, Mode mode, ContentionSite site) {
        SiteCounters counters = site.counters();
        long token = counters.waitBegan();
        if (!spin(access, storage, index, mode, counters, false)) {
            sleep(access, storage, index, mode, site);
        }
        counters.waitEnded(token);
    }

    private static boolean spin(
            WordAccess access,
            Object storage,
            int index,
            Mode mode,
            SiteCounters counters,
            boolean woken) {
        int roundsToTry = counters.spinRoundsToTry();
        int rounds = 0;
        boolean acquired = tryAcquire(access, storage, index, mode, woken);
        while (!acquired && rounds < roundsToTry) {
            Thread.onSpinWait();
            rounds++;
            acquired = tryAcquire(access, storage, index, mode, woken);
        }
        counters.countSpin(rounds, acquired);
        return acquired;
    }

    private static void sleep(
            WordAccess access, Object storage, int index, Mode mode, ContentionSite site) {
        TestHooks.reached(BEFORE_QUEUEING);
        WaitQueue queue = queue(storage, index);
        Waiter waiter = Waiter.current();
        waiter.storage = storage;
        waiter.index = index;
        waiter.mode = mode;
        waiter.timesPassedOver = 0;
        boolean woken = false;
        boolean interrupted = false;
        while (queueUnlessAdmitted(access, queue, waiter, woken)) {
            site.counters().countPark();
            interrupted |= waiter.awaitSignal(site);
            if (waiter.signal() == Waiter.GRANTED || mode == Mode.NOT_EXCLUSIVE) {
                break;
            }
            TestHooks.reached(WOKEN);
            woken = true;
            if (spin(access, storage, index, mode, site.counters(), true)) {
                break;
            }
            waiter.timesPassedOver++;
        }
        waiter.clear();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Queues the waiter and returns true, or acquires for it and returns false. */
    private static boolean queueUnlessAdmitted(
            WordAccess access, WaitQueue queue, Waiter waiter, boolean woken) {
        waiter.prepare();
        queue.lock();
        while (true) {
            if (tryAcquire(access, waiter.storage, waiter.index, waiter.mode, woken)) {
                queue.unlock();
                return false;
            }
            long word = access.wordAcquire(waiter.storage, waiter.index);
            if (admits(word, waiter.mode, woken)) {
                continue;
            }
            long waiting = LatchWord.waitersSet(woken ? LatchWord.wokenCleared(word) : word);
            if (waiting == word
                    || access.compareAndSet(waiter.storage, waiter.index, word, waiting)) {
                break;
            }
        }
        if (woken) {
            queue.addFirst(waiter);
        } else {
            queue.addLast(waiter);
        }
        queue.unlock();
        return true;
    }

    private static boolean tryAcquire(
            WordAccess access, Object storage, int index, Mode mode, boolean woken) {
        while (true) {
            long word = access.wordAcquire(storage, index);
            if (!admits(word, mode, woken)) {
                return false;
            }
            if (mode == Mode.NOT_EXCLUSIVE) {
                return true;
            }
            long acquired =
                    mode == Mode.SHARED
                            ? LatchWord.sharedAcquired(word)
                            : LatchWord.exclusiveAcquired(word);
            if (access.compareAndSet(
                    storage, index, word, woken ? LatchWord.wokenCleared(acquired) : acquired)) {
                return true;
            }
        }
    }

    private static boolean admits(long word, Mode mode, boolean woken) {
        if (mode == Mode.EXCLUSIVE) {
            return LatchWord.admitsExclusive(word);
        }
        if (mode == Mode.NOT_EXCLUSIVE) {
            return !LatchWord.isExclusive(word);
        }
        return woken ? LatchWord.admitsWokenShared(word) : LatchWord.admitsShared(word);
    }

    /**
     * Releases a latch whose word said that its release must wake somebody.
     *
     * @param mode how the caller holds it: SHARED or EXCLUSIVE
     */
    static void release(WordAccess access, Object storage, int index, Mode mode) {
        TestHooks.reached(BEFORE_WAKING);
        WaitQueue queue = queue(storage, index);
        queue.lock();
        Waiter next = nextToAcquire(queue.find(storage, index), storage, index);
        int count = next == null ? 0 : batch(next, storage, index);
        boolean grants = next != null && next.timesPassedOver >= PASSED_OVER_MAX;
        boolean empties = leavesNobody(next, count, storage, index);
        long word;
        boolean wakes;
        long released;
        do {
            word = access.wordAcquire(storage, index);
            // Readers may have come, or a runner may have been woken, since the caller looked.
            wakes =
                    mode == Mode.EXCLUSIVE
                            ? LatchWord.exclusiveReleaseWakes(word)
                            : LatchWord.sharedReleaseWakes(word);
            released =
                    mode == Mode.EXCLUSIVE
                            ? LatchWord.exclusiveReleased(word)
                            : LatchWord.sharedReleased(word);
            if (wakes) {
                released = woken(released, next, count, grants, empties);
            }
        } while (!access.compareAndSet(storage, index, word, released));
        Waiter chain = wakes ? takeOut(queue, storage, index, count) : null;
        queue.unlock();

        assert !wakes || chain != null
                : "waiters bit without a waiter, another storage object? "
                        + LatchWord.describe(word);
        if (!TestHooks.fault(PlantedFault.WAKE_UP_LOST)) {
            Waiter.signalAll(chain, grants ? Waiter.GRANTED : Waiter.TRY);
        }
    }

    /** The word after the release, with the bits, or the hand-over, of those about to be woken. */
    private static long woken(
            long released, Waiter next, int count, boolean grants, boolean empties) {
        long word = empties ? LatchWord.waitersCleared(released) : released;
        if (next == null) {
            return word;
        }
        if (!grants) {
            return LatchWord.wokenSet(word);
        }
        if (next.mode == Mode.EXCLUSIVE) {
            return LatchWord.exclusiveAcquired(word);
        }
        for (int i = 0; i < count; i++) {
            word = LatchWord.sharedAcquired(word);
        }
        return word;
    }

    /** From {@code waiter} on, the first that wants the latch and not just a look at it. */
    private static Waiter nextToAcquire(Waiter waiter, Object storage, int index) {
        Waiter next = waiter;
        while (next != null && next.mode == Mode.NOT_EXCLUSIVE) {
            next = WaitQueue.find(next.next, storage, index);
        }
        return next;
    }

    /** How many to wake: one writer, or the readers up to the next writer. */
    private static int batch(Waiter next, Object storage, int index) {
        if (next.mode == Mode.EXCLUSIVE) {
            return 1;
        }
        int count = 0;
        Waiter reader = next;
        while (reader != null && reader.mode == Mode.SHARED && count < READERS_WOKEN_MAX) {
            count++;
            reader = nextToAcquire(WaitQueue.find(reader.next, storage, index), storage, index);
        }
        return count;
    }

    private static boolean leavesNobody(Waiter next, int count, Object storage, int index) {
        Waiter waiter = next;
        for (int i = 0; i < count; i++) {
            waiter = nextToAcquire(WaitQueue.find(waiter.next, storage, index), storage, index);
        }
        return waiter == null;
    }

    /** Removes the first {@code count} that want the latch and all that only look at it. */
    private static Waiter takeOut(WaitQueue queue, Object storage, int index, int count) {
        Waiter chain = null;
        Waiter chainEnd = null;
        int toTake = count;
        Waiter waiter = queue.find(storage, index);
        while (waiter != null && (toTake > 0 || queue.hasLookers())) {
            Waiter following = WaitQueue.find(waiter.next, storage, index);
            boolean acquires = waiter.mode != Mode.NOT_EXCLUSIVE;
            if (!acquires || toTake > 0) {
                toTake -= acquires ? 1 : 0;
                queue.remove(waiter);
                if (chain == null) {
                    chain = waiter;
                } else {
                    chainEnd.next = waiter;
                }
                chainEnd = waiter;
            }
            waiter = following;
        }
        return chain;
    }

    private static WaitQueue queue(Object storage, int index) {
        // The index is an offset, often a multiple of 64: multiply, and take the high bits.
        int hash = (System.identityHashCode(storage) + index) * 0x9E3779B9;
        return QUEUES[hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(STRIPES))];
    }
}
