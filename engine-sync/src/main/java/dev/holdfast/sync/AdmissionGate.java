// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A gate with tickets: at most so many threads are inside at once, the others sleep before it.
 *
 * <p>Entering and leaving when nobody waits is one CAS each. A ticket that is given back while
 * somebody waits goes to him and is never free, so nobody passes the queue.
 *
 * <p><b>Order.</b> Higher priority first, equal ones in order of arrival. A step of priority is
 * worth {@value #ARRIVALS_PER_PRIORITY} arrivals: each waiter is passed by fewer later ones than
 * that for every step that they are above it, so the lowest does not starve.
 */
public final class AdmissionGate {
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

    public static final int PRIORITY_MAX = 7;

    static final int ARRIVALS_PER_PRIORITY = 64;
    static final String BEFORE_QUEUEING = "sync.gateBeforeQueueing";
    static final String BEFORE_PARK = "sync.gateBeforePark";
    static final String AFTER_PARK = "sync.gateAfterPark";

    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(AdmissionGate.class, "word", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final ContentionSite site;
    private final SortedWaiters waiters = new SortedWaiters();
    private long arrivals;
    private volatile long word;

    /**
     * An open gate.
     *
     * @param site where waits, parks and time-outs are counted
     * @param limit how many may be inside at once; 0 lets nobody in
     */
    public AdmissionGate(ContentionSite site, int limit) {
        this.site = site;
        this.word = GateWord.of(checked(limit));
    }

    /** Takes a ticket if one is free and nobody waits for it. */
    public boolean tryEnter() {
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

    /**
     * Waits for a ticket. An interrupt does not end the wait and is kept.
     *
     * @param priority from 0 to {@link #PRIORITY_MAX}; the higher goes first
     * @param timeoutNanos {@link Long#MAX_VALUE} for no limit
     * @param stop ends the wait; asked before each sleep, holding nothing of the gate's
     */
    public Entry enter(int priority, long timeoutNanos, BooleanSupplier stop) {
        return tryEnter() ? Entry.ADMITTED : await(priority, timeoutNanos, stop, false);
    }

    /** The same, but an interrupt, kept as well, ends it. */
    public Entry enterInterruptibly(int priority, long timeoutNanos, BooleanSupplier stop) {
        return tryEnter() ? Entry.ADMITTED : await(priority, timeoutNanos, stop, true);
    }

    /** Gives a ticket back. To be called once for each that was got. */
    public void leave() {
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

    /**
     * Changes the limit. A higher one lets waiters in at once; a lower one makes nobody leave, and
     * is kept as soon as enough have.
     */
    public void limit(int newLimit) {
        checked(newLimit);
        waiters.lock();
        settle(0, newLimit, false);
    }

    public int limit() {
        return GateWord.limit(word);
    }

    /** How many tickets are out, those on their way to a woken thread included. */
    public int inside() {
        return GateWord.inside(word);
    }

    /** How many sleep before the gate. */
    public int waiting() {
        waiters.lock();
        int count = waiters.count();
        waiters.unlock();
        return count;
    }

    /** Lets nobody in any more and ends all waits. Who is inside leaves as ever. */
    public void close() {
        waiters.lock();
        settle(0, limit(), true);
        wakeAll();
    }

    /**
     * Has all waiters ask their {@code stop}; those that go on waiting get their places back, but
     * for one who comes in between.
     */
    public void wakeAll() {
        waiters.lock();
        Waiter chain = waiters.takeUpTo(Long.MAX_VALUE, Integer.MAX_VALUE);
        long before;
        do {
            before = word;
        } while (!WORD.compareAndSet(this, before, GateWord.waitersSet(before, false)));
        waiters.unlock();
        Waiter.signalAll(chain, Waiter.TRY);
    }

    private Entry await(
            int priority, long timeoutNanos, BooleanSupplier stop, boolean interruptible) {
        if (priority < 0 || priority > PRIORITY_MAX) {
            throw new IllegalArgumentException("priority out of range: priority=" + priority);
        }
        long deadline = System.nanoTime() + timeoutNanos;
        SiteCounters counters = site.counters();
        long token = counters.waitBegan();
        Entry entry = sleep(priority, deadline, stop, interruptible);
        counters.waitEnded(token);
        if (entry == Entry.TIMED_OUT) {
            counters.countTimeout();
        }
        return entry;
    }

    private Entry sleep(int priority, long deadline, BooleanSupplier stop, boolean interruptible) {
        TestHooks.reached(BEFORE_QUEUEING);
        Waiter waiter = Waiter.current();
        waiter.storage = this;
        CurrentWait note = CurrentWait.sleeping(site, this, priority);
        boolean interrupted = false;
        boolean isFirst = true;
        boolean queued = false;
        Entry entry = null;
        try {
            while (entry == null) {
                queued = queueUnlessAdmitted(waiter, priority, isFirst);
                isFirst = false;
                entry = queued ? entryIfStopped(stop) : Entry.ADMITTED;
                if (entry == null) {
                    TestHooks.reached(BEFORE_PARK);
                    site.counters().countPark();
                    interrupted |= park(waiter, deadline, interruptible);
                    TestHooks.reached(AFTER_PARK);
                    entry = entryAfterPark(waiter, deadline, interruptible);
                }
            }
        } finally {
            // Also when 'stop' has thrown: a waiter must never stay queued, nor keep a ticket.
            interrupted |= queued && leaveQueue(waiter);
            if (queued && waiter.signal() == Waiter.GRANTED) {
                if (entry == null || entry == Entry.STOPPED) {
                    leave();
                } else {
                    entry = Entry.ADMITTED;
                }
            }
            waiter.clear();
            note.end();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return entry;
    }

    /** Queues the waiter and returns true, or takes a ticket for it and returns false. */
    private boolean queueUnlessAdmitted(Waiter waiter, int priority, boolean isFirst) {
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

    private Entry entryIfStopped(BooleanSupplier stop) {
        return GateWord.isClosed(word) || stop.getAsBoolean() ? Entry.STOPPED : null;
    }

    /** Returns whether the thread was interrupted and the flag is now cleared. */
    private boolean park(Waiter waiter, long deadline, boolean interruptible) {
        if (!interruptible) {
            return waiter.awaitSignalUntil(site, deadline);
        }
        long left = deadline - System.nanoTime();
        while (waiter.signal() == Waiter.NONE
                && left > 0
                && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(site, left);
            left = deadline - System.nanoTime();
        }
        return false;
    }

    /** What ended the sleep; null if a wake-up says to look again. */
    private static Entry entryAfterPark(Waiter waiter, long deadline, boolean interruptible) {
        int signal = waiter.signal();
        if (signal == Waiter.GRANTED) {
            return Entry.ADMITTED;
        }
        if (interruptible && Thread.currentThread().isInterrupted()) {
            return Entry.INTERRUPTED;
        }
        return deadline - System.nanoTime() <= 0 ? Entry.TIMED_OUT : null;
    }

    /** Takes the waiter out, or waits for the signal of whoever has done so. */
    private boolean leaveQueue(Waiter waiter) {
        if (waiter.signal() != Waiter.NONE) {
            return false;
        }
        waiters.lock();
        if (waiter.isQueued()) {
            waiters.remove(waiter);
            settle(0, limit(), false);
            return false;
        }
        waiters.unlock();
        return waiter.awaitSignal(site);
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
        Waiter.signalAll(chain, Waiter.GRANTED);
    }

    private static int checked(int limit) {
        if (limit < 0) {
            throw new IllegalArgumentException("limit out of range: limit=" + limit);
        }
        return limit;
    }

    /** What became of an attempt to enter. */
    public enum Entry {
        /** The thread is inside and has to {@link AdmissionGate#leave}. */
        ADMITTED,
        /** The time is up. */
        TIMED_OUT,
        /** The gate is closed, or the caller's {@code stop} was true. */
        STOPPED,
        /** The thread was interrupted, and had asked to be woken by that. */
        INTERRUPTED
    }
}
