// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What happened on the slow path of one {@link ContentionSite}. The fast path does not come here.
 *
 * <p>Whether waits are timed is a setting of this object, {@link WaitTiming#OFF} at first. A wait
 * is all the time from the first failed attempt to the acquire, spinning included. Nothing is ever
 * reset.
 */
public final class SiteCounters {
    /*
     * field          written by                 read by      mode
     * cells, waits   any waiting thread         reports      atomic adds on stripes
     * timing         who configures             waiters      volatile
     * spinAverage    any waiting thread         waiters      opaque: a lost update only makes the
     *                                                        next spin a little longer or shorter
     *
     * An untimed wait costs two atomic adds on one line of the thread's stripe, a timed one five on
     * three lines and two looks at the clock.
     */

    static final int SAMPLE_EVERY = 64;

    /** The token of a wait that is not timed. */
    static final long NOT_TIMED = Long.MIN_VALUE;

    private static final int CONTENDED = 0;
    private static final int SPIN_ROUNDS = 1;
    private static final int PARKS = 2;
    private static final int RESTARTS = 3;
    private static final int TIMEOUTS = 4;
    private static final int TIMED = 5;
    private static final int TIMED_NANOS = 6;
    private static final int CELLS = 7;

    private static final VarHandle SPIN_AVERAGE;

    static {
        try {
            SPIN_AVERAGE =
                    MethodHandles.lookup()
                            .findVarHandle(SiteCounters.class, "spinAverage", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final StripedCells cells = new StripedCells(CELLS);
    private final Histogram waits = Histogram.striped();
    private volatile WaitTiming timing = WaitTiming.OFF;

    @SuppressWarnings("UnusedVariable") // accessed through SPIN_AVERAGE
    private int spinAverage;

    public void timing(WaitTiming newTiming) {
        timing = newTiming;
    }

    public WaitTiming timing() {
        return timing;
    }

    /** How many waits have begun. */
    public long contendedAcquires() {
        return cells.sum(CONTENDED);
    }

    public long spinRounds() {
        return cells.sum(SPIN_ROUNDS);
    }

    public long parks() {
        return cells.sum(PARKS);
    }

    public long optimisticRestarts() {
        return cells.sum(RESTARTS);
    }

    /** How many waits ended because their time was up. */
    public long timeouts() {
        return cells.sum(TIMEOUTS);
    }

    /** How many waits have begun with the clock running; the ended ones are in {@link #waits}. */
    public long timedWaits() {
        return cells.sum(TIMED);
    }

    /** The sum of the timed waits that have ended. */
    public long timedWaitNanos() {
        return cells.sum(TIMED_NANOS);
    }

    /** The timed waits that have ended, in nanoseconds. */
    public Histogram.Snapshot waits() {
        return waits.snapshot();
    }

    /** To be called by an optimistic reader whose validation failed, once per restart. */
    public void countOptimisticRestart() {
        cells.getAndAdd(RESTARTS, 1);
    }

    /** To be called when a wait has ended because its time was up. */
    public void countTimeout() {
        cells.getAndAdd(TIMEOUTS, 1);
    }

    /**
     * To be called when a thread begins to wait: counts it, and starts the clock if this wait is to
     * be timed. A named wait is begun by {@link CurrentWait#begin}, which calls this.
     *
     * @return a token for {@link #waitEnded}
     */
    public long waitBegan() {
        long before = cells.getAndAdd(CONTENDED, 1);
        WaitTiming now = timing;
        if (now == WaitTiming.OFF || (now == WaitTiming.SAMPLED && before % SAMPLE_EVERY != 0)) {
            return NOT_TIMED;
        }
        cells.getAndAdd(TIMED, 1);
        return System.nanoTime();
    }

    /** Whether that wait is timed; its token is then the time at which it began. */
    static boolean isTimed(long token) {
        return token != NOT_TIMED;
    }

    /** To be called when that wait is over. */
    public void waitEnded(long token) {
        if (isTimed(token)) {
            long nanos = System.nanoTime() - token;
            cells.getAndAdd(TIMED_NANOS, nanos);
            waits.record(nanos);
        }
    }

    /** To be called before a park. */
    public void countPark() {
        cells.getAndAdd(PARKS, 1);
    }

    int spinRoundsToTry() {
        return Spin.rounds((int) SPIN_AVERAGE.getOpaque(this));
    }

    void countSpin(int rounds, boolean succeeded) {
        if (rounds > 0) {
            cells.getAndAdd(SPIN_ROUNDS, rounds);
        }
        int average = (int) SPIN_AVERAGE.getOpaque(this);
        SPIN_AVERAGE.setOpaque(this, Spin.averaged(average, succeeded ? rounds : 0));
    }
}
