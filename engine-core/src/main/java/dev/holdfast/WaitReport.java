// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.util.List;

/**
 * What threads have waited for, by name: latches, and waits such as those for a row, for the log or
 * for a page that is being read. What went without waiting is not counted. A copy of the counts at
 * one moment, which does not change any more; safe for many threads.
 *
 * <pre>{@code
 * WaitReport before = engine.contention();
 * work();
 * System.out.print(engine.contention().since(before).top(5).toText());
 * }</pre>
 */
public interface WaitReport {
    /** Returns a row for each name, the longest wait first, those without a wait included. */
    List<Row> rows();

    /** Returns a report of the first rows, or of all if there are no more than that. */
    WaitReport top(int count);

    /**
     * Returns what came after an earlier report. Nothing is ever set back, so any number of
     * observers may do so beside each other.
     *
     * @throws IllegalArgumentException if the earlier report is not one that an engine made
     */
    WaitReport since(WaitReport earlier);

    /**
     * Returns a heading and a line for each row that is not quiet. A figure that rests on a sample
     * begins with a tilde; a time of which nothing is known is a dash.
     */
    String toText();

    /**
     * The waits of one name.
     *
     * <p>Times are known as far as {@link EngineOptions#timeWaits()} has waits timed, else zero.
     * Waits that have not ended are counted, but their time is not in it.
     *
     * @param name the name of the latch, or the kind of latch, or the wait
     * @param meaning what it is for, in one sentence
     * @param waits how often it could not be had at once
     * @param spinRounds how many rounds were spun for it
     * @param parks how often a thread was put to sleep for it
     * @param optimisticRestarts how often a reader that held nothing had to begin anew
     * @param timeouts how many of the waits gave up at their limit
     * @param waitNanos the time of all waits together; those not timed count as the mean of others
     * @param isEstimated whether some waits were not timed, so that all times rest on a sample
     * @param medianNanos at least what half of the waits took, at most twice that
     * @param p99Nanos at least what 99 of 100 waits took, at most twice that
     * @param maxNanos at least what the longest wait took, at most twice that
     */
    record Row(
            String name,
            String meaning,
            long waits,
            long spinRounds,
            long parks,
            long optimisticRestarts,
            long timeouts,
            long waitNanos,
            boolean isEstimated,
            long medianNanos,
            long p99Nanos,
            long maxNanos) {}
}
