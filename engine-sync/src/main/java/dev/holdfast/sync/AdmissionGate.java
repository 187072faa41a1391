// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * A gate with tickets: at most so many threads are inside at once, the others sleep before it.
 *
 * <p>Entering and leaving when nobody waits is one CAS each. A ticket that is given back while
 * somebody waits goes to him and is never free, so nobody passes the queue.
 *
 * <p><b>Order.</b> Higher priority first, equal ones in order of arrival. A step of priority is
 * worth {@value GateTickets#ARRIVALS_PER_PRIORITY} arrivals: each waiter is passed by fewer later
 * ones than that for every step that they are above it, so the lowest does not starve.
 */
public final class AdmissionGate {
    public static final int PRIORITY_MAX = 7;

    static final String BEFORE_QUEUEING = "sync.gateBeforeQueueing";
    static final String BEFORE_PARK = "sync.gateBeforePark";
    static final String AFTER_PARK = "sync.gateAfterPark";
    static final String CLOSING = "sync.gateClosing";

    private final ContentionSite site;
    private final GateTickets tickets;

    /**
     * An open gate.
     *
     * @param site where waits, parks and time-outs are counted
     * @param limit how many may be inside at once; 0 lets nobody in
     */
    public AdmissionGate(ContentionSite site, int limit) {
        this.site = site;
        this.tickets = new GateTickets(checked(limit));
    }

    /** Takes a ticket if one is free and nobody waits for it. */
    public boolean tryEnter() {
        return tickets.tryEnter();
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
        tickets.leave();
    }

    /**
     * Changes the limit. A higher one lets waiters in at once; a lower one makes nobody leave, and
     * is kept as soon as enough have.
     */
    public void limit(int newLimit) {
        tickets.limit(checked(newLimit));
    }

    public int limit() {
        return GateWord.limit(tickets.word());
    }

    /** How many tickets are out, those on their way to a woken thread included. */
    public int inside() {
        return GateWord.inside(tickets.word());
    }

    /** How many sleep before the gate. */
    public int waiting() {
        return tickets.waiting();
    }

    /** Lets nobody in any more and ends all waits. Who is inside leaves as ever. */
    public void close() {
        tickets.close();
        TestHooks.reached(CLOSING);
        tickets.wakeAll();
    }

    /**
     * Has all waiters ask their {@code stop}; those that go on waiting get their places back, but
     * for one who comes in between.
     */
    public void wakeAll() {
        tickets.wakeAll();
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
                queued = tickets.queueUnlessAdmitted(waiter, priority, isFirst);
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
            interrupted |= queued && tickets.leaveQueue(waiter, site);
            if (queued && waiter.signal() == Waiter.GRANTED) {
                if (entry == null || entry == Entry.STOPPED) {
                    tickets.leave();
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

    private Entry entryIfStopped(BooleanSupplier stop) {
        return GateWord.isClosed(tickets.word()) || stop.getAsBoolean() ? Entry.STOPPED : null;
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
