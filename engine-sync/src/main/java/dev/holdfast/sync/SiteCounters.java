// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What happened on the slow path of one {@link ContentionSite}. The fast path does not come here.
 *
 * <p>Whether waits are timed is a setting of this object, {@link WaitTiming#OFF} at first. A wait
 * is all the time from the first failed attempt to the acquire, spinning included.
 */
public final class SiteCounters {
    /*
     * field          written by                 read by      mode
     * counters       any waiting thread         reports      atomic adds on stripes
     * timing         who configures             waiters      volatile
     * spinAverage    any waiting thread         waiters      opaque: a lost update only makes the
     *                                                        next spin a little longer or shorter
     */

    static final int SAMPLE_EVERY = 64;

    static final long NOT_TIMED = Long.MIN_VALUE;
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

    private final StripedCounter contendedAcquires = new StripedCounter();
    private final StripedCounter spinRounds = new StripedCounter();
    private final StripedCounter parks = new StripedCounter();
    private final StripedCounter optimisticRestarts = new StripedCounter();
    private final StripedCounter timedWaits = new StripedCounter();
    private final StripedCounter timedWaitNanos = new StripedCounter();
    private final Histogram waits = new Histogram();
    private volatile WaitTiming timing = WaitTiming.OFF;

    @SuppressWarnings("UnusedVariable") // accessed through SPIN_AVERAGE
    private int spinAverage;

    public void timing(WaitTiming newTiming) {
        timing = newTiming;
    }

    public WaitTiming timing() {
        return timing;
    }

    public long contendedAcquires() {
        return contendedAcquires.sum();
    }

    public long spinRounds() {
        return spinRounds.sum();
    }

    public long parks() {
        return parks.sum();
    }

    public long optimisticRestarts() {
        return optimisticRestarts.sum();
    }

    /** How many waits were timed. */
    public long timedWaits() {
        return timedWaits.sum();
    }

    /** The sum of the waits that were timed. */
    public long timedWaitNanos() {
        return timedWaitNanos.sum();
    }

    /** The timed waits in nanoseconds. */
    public Histogram.Snapshot waits() {
        return waits.snapshot();
    }

    /** To be called by an optimistic reader whose validation failed, once per restart. */
    public void countOptimisticRestart() {
        optimisticRestarts.increment();
    }

    /**
     * To be called when a thread begins to wait: counts it, and starts the clock if this wait is to
     * be timed.
     *
     * @return a token for {@link #waitEnded}
     */
    public long waitBegan() {
        long before = contendedAcquires.addToCell(1);
        WaitTiming now = timing;
        boolean timed =
                now == WaitTiming.FULL || (now == WaitTiming.SAMPLED && before % SAMPLE_EVERY == 0);
        return timed ? System.nanoTime() : NOT_TIMED;
    }

    /** Whether that wait is timed; its token is then the time at which it began. */
    static boolean isTimed(long token) {
        return token != NOT_TIMED;
    }

    /** To be called when that wait is over. */
    public void waitEnded(long token) {
        if (isTimed(token)) {
            long nanos = System.nanoTime() - token;
            timedWaits.increment();
            timedWaitNanos.add(nanos);
            waits.record(nanos);
        }
    }

    /** To be called before a park. */
    public void countPark() {
        parks.increment();
    }

    int spinRoundsToTry() {
        return Spin.rounds((int) SPIN_AVERAGE.getOpaque(this));
    }

    void countSpin(int rounds, boolean succeeded) {
        if (rounds > 0) {
            spinRounds.add(rounds);
        }
        int average = (int) SPIN_AVERAGE.getOpaque(this);
        SPIN_AVERAGE.setOpaque(this, Spin.averaged(average, succeeded ? rounds : 0));
    }
}
