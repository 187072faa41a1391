// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The tickets of an {@link AdmissionGate}, and the order in which they are given to waiters. */
final class GateTickets {
    /*
     * The queue is sorted by arrival number less what the priority is worth; that is both the order
     * and its bound. A waiter that was woken in vain goes back to its old place.
     *
     * Invariants, whenever the lock is free: the waiters bit is set exactly while the queue is not
     * empty; and while it is set no ticket is free. The bit is set by a CAS that fails if a ticket
     * was given back meanwhile, and everything that makes a ticket free while it is set goes through
     * settle(), under the lock. Hence no wake-up is lost.
     *
     * Hand-over, not barging as in the parking lot: a ticket is held for a whole transaction, so
     * the microseconds until its new owner runs do not matter, and the order does.
     *
     * field       written by                   read by    guard or mode
     * word        all                          all        volatile, CAS
     * waiters     who sleeps, wakes or leaves  the same   its lock
     * arrivals    who sleeps                   the same   the lock of waiters
     */

    /** How many arrivals a step of priority is worth. */
    static final int ARRIVALS_PER_PRIORITY = 64;

    static final String LEAVING_QUEUE = "sync.gateLeavingQueue";
    static final String GRANTING = "sync.gateGranting";

    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(GateTickets.class, "word", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final SortedWaiters waiters = new SortedWaiters();
    private long arrivals;
    private volatile long word;

    GateTickets(int limit) {
        this.word = GateWord.of(limit);
    }

    /** The state at this moment, for {@link GateWord}. */
    long word() {
        return word;
    }

    int waiting() {
        waiters.lock();
        int count = waiters.count();
        waiters.unlock();
        return count;
    }

    /** Takes a ticket if one is free and nobody waits for it. */
    boolean tryEnter() {
        while (true) {
            long before = word;
            if (!GateWord.admits(before)) {
                return false;
            }
            if (WORD.compareAndSet(this, before, GateWord.entered(before, 1))) {
                return true;
            }
        }
    }

    /** Gives a ticket back: to the first waiter, if there is one. */
    void leave() {
        while (true) {
            long before = word;
            if (GateWord.hasWaiters(before)) {
                waiters.lock();
                settle(1, GateWord.limit(word), false);
                return;
            }
            if (WORD.compareAndSet(this, before, GateWord.left(before, 1))) {
                return;
            }
        }
    }

    /** Changes the limit, and lets in whom a higher one admits. */
    void limit(int newLimit) {
        waiters.lock();
        settle(0, newLimit, false);
    }

    /** Gives out no ticket any more; wakes nobody. */
    void close() {
        waiters.lock();
        settle(0, GateWord.limit(word), true);
    }

    /** Takes all waiters out, to look again. */
    void wakeAll() {
        waiters.lock();
        Waiter chain = waiters.takeUpTo(Long.MAX_VALUE, Integer.MAX_VALUE);
        long before;
        do {
            before = word;
        } while (!WORD.compareAndSet(this, before, GateWord.waitersSet(before, false)));
        waiters.unlock();
        Waiter.signalAll(chain, Waiter.TRY);
    }

    /**
     * Queues the waiter and returns true, or takes a ticket for it and returns false.
     *
     * @param isFirst false if it was woken in vain, and gets its old place
     */
    boolean queueUnlessAdmitted(Waiter waiter, int priority, boolean isFirst) {
        waiter.prepare();
        waiters.lock();
        if (isFirst) {
            waiter.target = ++arrivals - (long) priority * ARRIVALS_PER_PRIORITY;
        }
        while (true) {
            long before = word;
            boolean admits = GateWord.admits(before);
            long after = admits ? GateWord.entered(before, 1) : GateWord.waitersSet(before, true);
            if (WORD.compareAndSet(this, before, after)) {
                if (!admits) {
                    waiters.add(waiter);
                }
                waiters.unlock();
                return !admits;
            }
        }
    }

    /**
     * Takes the waiter out, or waits for the signal of whoever has done so.
     *
     * @return whether the thread was interrupted and its flag is now cleared
     */
    boolean leaveQueue(Waiter waiter, Object blocker) {
        TestHooks.reached(LEAVING_QUEUE);
        if (waiter.signal() != Waiter.NONE) {
            return false;
        }
        waiters.lock();
        if (waiter.isQueued()) {
            waiters.remove(waiter);
            settle(0, GateWord.limit(word), false);
            return false;
        }
        waiters.unlock();
        return waiter.awaitSignal(blocker);
    }

    /**
     * Changes the word, gives what is free to the first waiters, and wakes them. To be called with
     * the queue locked; unlocks it.
     */
    private void settle(int leaving, int newLimit, boolean closes) {
        long before;
        long after;
        int granted;
        do {
            before = word;
            after = GateWord.limitSet(GateWord.left(before, leaving), newLimit);
            after = closes ? GateWord.closed(after) : after;
            granted =
                    GateWord.isClosed(after) ? 0 : Math.min(waiters.count(), GateWord.free(after));
            after = GateWord.entered(after, granted);
            after = GateWord.waitersSet(after, waiters.count() > granted);
        } while (!WORD.compareAndSet(this, before, after));
        Waiter chain = waiters.takeUpTo(Long.MAX_VALUE, granted);
        waiters.unlock();
        if (chain != null) {
            TestHooks.reached(GRANTING);
            Waiter.signalAll(chain, Waiter.GRANTED);
        }
    }
}
