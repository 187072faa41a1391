// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.sync.LongWaits;
import dev.holdfast.sync.LongWaits.LongWait;
import dev.holdfast.sync.WaitWatchdog;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The agent that tells of waits that last too long: each once, in the log, and the newest of them
 * in the status. It does nothing about them, and nothing that goes wrong here harms the engine.
 */
final class WaitWatch implements BackgroundAgent.Body {
    private static final Logger LOG = LoggerFactory.getLogger(WaitWatch.class);
    private static final long LOOK_MILLIS_MAX = 1000;
    private static final long LOOK_MILLIS_MIN = 10;
    private static final int LOOKS_PER_LIMIT = 4;
    private static final int WAITS_SHOWN_MAX = 4;

    private final Counters counters;
    private final WaitWatchdog watchdog;
    private final Consumer<String> warning;

    /** Null before the first; written by who looks. */
    private volatile LongWaits newest;

    WaitWatch(Duration limit, WaitNames names, Counters counters) {
        this(limit, names::nameOf, names::holderOf, counters, LOG::warn);
    }

    /** Tells the consumer in place of the log. */
    WaitWatch(
            Duration limit,
            WaitWatchdog.Namer namer,
            WaitWatchdog.Holders holders,
            Counters counters,
            Consumer<String> warning) {
        this.counters = counters;
        this.watchdog = new WaitWatchdog(limit.toNanos(), this::tell, namer, holders);
        this.warning = warning;
    }

    /** How often to look: about once a second, or a few times within a shorter limit. */
    long intervalMillis() {
        long part = TimeUnit.NANOSECONDS.toMillis(watchdog.limitNanos()) / LOOKS_PER_LIMIT;
        return Math.max(LOOK_MILLIS_MIN, Math.min(LOOK_MILLIS_MAX, part));
    }

    @Override
    public boolean run() {
        look(System.nanoTime());
        return false;
    }

    /** Looks as if it were that time. */
    void look(long nowNanos) {
        try {
            watchdog.check(nowNanos);
        } catch (RuntimeException watchedInVain) {
            // A logging provider that throws, for one: no reason for the engine to fail.
            LOG.debug("watch of waits failed", watchedInVain);
        }
    }

    private void tell(LongWaits found) {
        counters.add(Counter.LONG_WAITS, found.waits().size());
        newest = found;
        warning.accept(found.toText());
    }

    /** The newest of the long waits, a line each. */
    void describe(StringBuilder text) {
        text.append("limitMillis=").append(TimeUnit.NANOSECONDS.toMillis(watchdog.limitNanos()));
        text.append(", longWaits=").append(watchdog.reported()).append('\n');
        LongWaits last = newest;
        if (last != null) {
            last.waits().stream().limit(WAITS_SHOWN_MAX).forEach(wait -> describe(wait, text));
        }
    }

    private static void describe(LongWait wait, StringBuilder text) {
        text.append(
                String.format(
                        Locale.ROOT,
                        "last told: site=%s, %s, waitedMillis=%d, thread=%s%s%n",
                        wait.site().siteName(),
                        wait.what(),
                        TimeUnit.NANOSECONDS.toMillis(wait.waitedNanos()),
                        wait.thread().name(),
                        wait.holder().map(holder -> ", holder=" + holder.name()).orElse("")));
    }
}
