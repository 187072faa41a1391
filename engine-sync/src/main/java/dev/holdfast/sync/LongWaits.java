// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The waits that one check of a {@link WaitWatchdog} found to last too long.
 *
 * @param limitNanos what was too long
 * @param waits the longest first
 * @param others stacks of threads that do not wait, one of which may be the one that is waited for;
 *     not all, and none where every holder is known
 */
public record LongWaits(long limitNanos, List<LongWait> waits, List<ThreadStack> others) {
    static final int WAITS_PRINTED_MAX = 16;

    public LongWaits {
        waits = List.copyOf(waits);
        others = List.copyOf(others);
    }

    /** The longest waits with all stacks, and how many more there are. */
    public String toText() {
        StringBuilder text = new StringBuilder();
        text.append(
                String.format(
                        Locale.ROOT,
                        "long waits: count=%d, limitMillis=%d%n",
                        waits.size(),
                        TimeUnit.NANOSECONDS.toMillis(limitNanos)));
        waits.stream().limit(WAITS_PRINTED_MAX).forEach(wait -> wait.appendTo(text));
        if (waits.size() > WAITS_PRINTED_MAX) {
            text.append(String.format("and more: count=%d%n", waits.size() - WAITS_PRINTED_MAX));
        }
        others.forEach(other -> other.appendTo(text, "not waiting:"));
        return text.toString();
    }

    /**
     * One thread that waits.
     *
     * @param what the latch or the target, in words
     * @param waitedNanos since it began to sleep; the wait goes on
     * @param thread its stack is empty if very many wait
     * @param holder who keeps it waiting; empty where that is not known
     */
    public record LongWait(
            ContentionSite site,
            String what,
            long waitedNanos,
            ThreadStack thread,
            Optional<ThreadStack> holder) {

        private void appendTo(StringBuilder text) {
            text.append(
                    String.format(
                            Locale.ROOT,
                            "wait: site=%s, %s, waitedMillis=%d%n",
                            site.siteName(),
                            what,
                            TimeUnit.NANOSECONDS.toMillis(waitedNanos)));
            thread.appendTo(text, "waiting:");
            holder.ifPresent(known -> known.appendTo(text, "holding:"));
        }
    }
}
