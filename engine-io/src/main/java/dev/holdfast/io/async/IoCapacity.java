// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The one budget of all background IO: so many pages a second, of which the cleaner, read-ahead,
 * purge, warm-up and backup take what they are about to transfer.
 *
 * <p>Nobody waits here: who gets nothing does other things, or sleeps as long as {@link #waitNanos}
 * says. Safe for all threads.
 */
public final class IoCapacity {
    /*
     * A bucket of tokens, one a page, filled by the clock and no higher than BURST_SECONDS of it: an
     * idle minute does not buy a flood. A user gets tokens only while more than its share of the
     * bucket is left for those above it, so that a backup cannot take what the cleaner is about to
     * want. The cleaner may overdraw when the log or the free frames force it to, and purge when its
     * history grows; the debt, bounded by one bucket, is paid by all from what comes in.
     *
     * Feedback. A device that is asked for more than it gives answers later: each window the mean
     * latency of the transfers is compared with the lowest mean of the last BASE_WINDOWS windows.
     * Above SLOW times that, and above SLOW_NANOS_MIN, the rate is cut by a quarter, else it grows
     * by a twentieth up to what was configured. The second bound is for writes that the operating
     * system takes into its cache: ten microseconds at times and two hundred while it writes are no
     * sign of a device that is asked for too much. So a number that is too high for the device, or a
     * neighbour on it, ends in a rate that the device gives, and is told by the report; a number
     * that is too low stays. Multiplicative cut and small growth is what made TCP stable; the base
     * is forgotten after a while since devices change, and a base of an empty device would else
     * forbid every queue.
     */

    static final double BURST_SECONDS = 0.25;
    static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    static final double SLOW = 4;
    static final long SLOW_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(5);
    static final double CUT = 0.75;
    static final double GROWTH = 0.05;
    static final double RATE_SHARE_MIN = 0.125;
    static final int BASE_WINDOWS = 240;

    private static final long TRANSFERS_PER_WINDOW_MIN = 8;
    private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    private final LongSupplier nanoTime;

    /** Guarded by this, as are all below. */
    private int pagesPerSecond;

    /** What the device is trusted with now, as a share of what was configured. */
    private double rateShare = 1;

    private double tokens;
    private long filledAt;

    private long windowEnd;
    private long windowNanos;
    private long windowTransfers;
    private double meanNanos;
    private double baseNanos = Double.MAX_VALUE;
    private double nextBaseNanos = Double.MAX_VALUE;
    private int baseWindows;
    private long cuts;
    private final long[] taken = new long[IoUser.values().length];
    private final long[] denied = new long[IoUser.values().length];

    public IoCapacity(int pagesPerSecond, LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.filledAt = nanoTime.getAsLong();
        this.windowEnd = filledAt + WINDOW_NANOS;
        pagesPerSecond(pagesPerSecond);
        this.tokens = burst();
    }

    /** Sets the budget, also while it is in use; what the device was found to give is forgotten. */
    public synchronized void pagesPerSecond(int pages) {
        if (pages < 1) {
            throw new IllegalArgumentException("IO capacity is not positive: pages=" + pages);
        }
        if (pagesPerSecond > 0) {
            fill();
        }
        pagesPerSecond = pages;
        rateShare = 1;
        tokens = Math.min(tokens, burst());
    }

    /** What was configured. */
    public synchronized int pagesPerSecond() {
        return pagesPerSecond;
    }

    /** What is given out now: less than configured while the device cannot keep up. */
    public synchronized double rate() {
        return pagesPerSecond * rateShare;
    }

    /**
     * Takes so many pages of the budget if they are there for that user; all or none. More than a
     * bucket are given when the bucket is full, and then owed.
     */
    public synchronized boolean tryTake(IoUser who, int pages) {
        fill();
        boolean isGiven = tokens >= needed(who, pages);
        if (isGiven) {
            tokens -= pages;
            taken[who.ordinal()] += pages;
        } else {
            denied[who.ordinal()]++;
        }
        return isGiven;
    }

    /** Takes so many pages that must be transferred whatever the budget says. */
    public synchronized void overdraw(IoUser who, int pages) {
        fill();
        tokens = Math.max(-burst(), tokens - pages);
        taken[who.ordinal()] += pages;
    }

    /** How long until so many pages will be there for that user if nobody else takes any. */
    public synchronized long waitNanos(IoUser who, int pages) {
        fill();
        double missing = needed(who, pages) - tokens;
        return missing <= 0 ? 0 : (long) Math.ceil(missing / rate() * NANOS_PER_SECOND);
    }

    /** Hears how long a background transfer took. */
    public synchronized void observed(long nanos) {
        windowNanos += nanos;
        windowTransfers++;
        long now = nanoTime.getAsLong();
        if (now - windowEnd >= 0) {
            fill();
            if (windowTransfers >= TRANSFERS_PER_WINDOW_MIN) {
                judge((double) windowNanos / windowTransfers);
            }
            windowNanos = 0;
            windowTransfers = 0;
            windowEnd = now + WINDOW_NANOS;
        }
    }

    /** One line for the report. */
    public synchronized String toRow() {
        StringBuilder row = new StringBuilder(128);
        row.append("ioCapacity=").append(pagesPerSecond);
        row.append(String.format(Locale.ROOT, ", rate=%.0f, tokens=%.0f", rate(), tokens));
        row.append(String.format(Locale.ROOT, ", latencyMillis=%.3f", meanNanos / 1e6));
        row.append(", cuts=").append(cuts);
        for (IoUser who : IoUser.values()) {
            row.append(", ").append(who).append('=').append(taken[who.ordinal()]);
            row.append(" (denied=").append(denied[who.ordinal()]).append(')');
        }
        return row.toString();
    }

    /** How many pages the user has taken. */
    public synchronized long taken(IoUser who) {
        return taken[who.ordinal()];
    }

    private void judge(double nanos) {
        meanNanos = nanos;
        baseNanos = Math.min(baseNanos, nanos);
        nextBaseNanos = Math.min(nextBaseNanos, nanos);
        if (++baseWindows == BASE_WINDOWS) {
            baseNanos = nextBaseNanos;
            nextBaseNanos = Double.MAX_VALUE;
            baseWindows = 0;
        }
        if (nanos > SLOW * baseNanos && nanos > SLOW_NANOS_MIN) {
            rateShare = Math.max(RATE_SHARE_MIN, rateShare * CUT);
            cuts++;
        } else {
            rateShare = Math.min(1, rateShare + GROWTH);
        }
        tokens = Math.min(tokens, burst());
    }

    private double needed(IoUser who, int pages) {
        double burst = burst();
        return Math.min(burst, pages + burst * who.keptForOthers());
    }

    private void fill() {
        long now = nanoTime.getAsLong();
        tokens = Math.min(burst(), tokens + (now - filledAt) / NANOS_PER_SECOND * rate());
        filledAt = now;
    }

    private double burst() {
        return Math.max(1, pagesPerSecond * rateShare * BURST_SECONDS);
    }
}
