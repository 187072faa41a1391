// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.EngineOptions;
import dev.holdfast.EngineState;
import dev.holdfast.core.recovery.RecoveryReport;
import dev.holdfast.core.redo.LogSpace;
import dev.holdfast.core.redo.RedoLog;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.txn.TransactionSystem;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.io.checksum.ChecksumKinds;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * The text of {@link dev.holdfast.Engine#status}: sections with a line each for what belongs
 * together. Takes no latch that a transaction wants; figures may be a moment apart.
 */
final class StatusReport {
    private static final String RULE = "-".repeat(72);

    private final EngineOptions options;
    private final StorageLayer storage;
    private final TransactionLayer transactions;
    private final EngineState state;
    private final Counters counters;
    private final StringBuilder text = new StringBuilder(4096);

    StatusReport(
            EngineOptions options,
            StorageLayer storage,
            TransactionLayer transactions,
            EngineState state) {
        this.options = options;
        this.storage = storage;
        this.transactions = transactions;
        this.state = state;
        this.counters = storage.counters();
    }

    String toText() {
        engine();
        if (state != EngineState.CLOSED) {
            log();
            pool();
            files();
            transactions();
            agents();
        }
        section("WAITS (of the whole JVM)");
        text.append(SiteWaits.now().toText());
        section("LONG WAITS (of the whole JVM)");
        storage.describeWatch(text);
        counters();
        return text.toString();
    }

    private void section(String title) {
        text.append(RULE).append('\n').append(title).append('\n').append(RULE).append('\n');
    }

    private void line(String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values)).append('\n');
    }

    private void engine() {
        section("ENGINE");
        line(
                "state=%s, store=%s, pageBytes=%d, poolBytes=%d",
                state, storage.store().name(), options.pageBytes(), options.poolBytes());
        Throwable cause = storage.health().cause();
        if (cause != null) {
            line("failure=%s", cause);
        }
        long damageMet = storage.health().damageMet();
        if (damageMet > 0) {
            line("damage met in the background: damageMet=%d", damageMet);
        }
        Exception outOfRoom = storage.health().outOfRoom();
        if (outOfRoom != null) {
            line("disk is full: noRoomMet=%d, newest=%s", storage.health().noRoomMet(), outOfRoom);
        }
        if (storage.health().warningsLost() > 0) {
            line("log does not take warnings: warningsLost=%d", storage.health().warningsLost());
        }
        RecoveryReport recovery = storage.recovery();
        line("recovery: %s", recovery == null ? "created=true" : recovery.toText());
    }

    private void log() {
        section("LOG");
        RedoLog log = storage.log();
        LogSpace space = log.space();
        line(
                "appendLsn=%d, closedLsn=%d, writtenLsn=%d, durableLsn=%d, checkpointLsn=%d",
                log.appendLsn(),
                log.closedLsn(),
                log.writtenLsn(),
                log.durableLsn(),
                space.checkpointLsn());
        line(
                "ageBytes=%d, ageLimitBytes=%d, capacityBytes=%d, grantedBytes=%d",
                space.age(), space.ageLimit(), space.capacity(), space.granted());
        long syncs = counters.sum(Counter.LOG_SYNCS);
        line(
                "syncs=%d, commits=%d, commitsPerSync=%.2f, ringWaits=%d, durabilityWaits=%d",
                syncs,
                counters.sum(Counter.COMMITS),
                ratio(counters.sum(Counter.COMMITS), syncs),
                counters.sum(Counter.LOG_RING_WAITS),
                counters.sum(Counter.LOG_DURABILITY_WAITS));
    }

    private static double ratio(long part, long whole) {
        return whole == 0 ? 0 : (double) part / whole;
    }

    private void pool() {
        section("BUFFER POOL");
        line(
                "frames=%d, free=%d, dirty=%d, freeFrameWaits=%d",
                storage.pool().frameCount(),
                storage.pool().freeCount(),
                storage.pool().dirtyCount(),
                counters.sum(Counter.FREE_FRAME_WAITS));
        // The misses first: each has its fix later, so the ratio is never below what is true.
        long misses = counters.sum(Counter.PAGE_FIXES_MISSED);
        long fixes = counters.sum(Counter.PAGE_FIXES);
        line("fixes=%d, hitRatio=%.4f", fixes, ratio(Math.max(0, fixes - misses), fixes));
        line(
                "misses=%d, read=%d, written=%d, evicted=%d, discarded=%d, corrupt=%d",
                misses,
                counters.sum(Counter.PAGE_READS),
                counters.sum(Counter.PAGES_WRITTEN),
                counters.sum(Counter.PAGES_EVICTED),
                counters.sum(Counter.PAGES_DISCARDED),
                counters.sum(Counter.PAGES_CORRUPT));
        line(
                "cleanerRounds=%d, checkpoints=%d, doublewriteBatches=%d, doublewritePages=%d",
                counters.sum(Counter.CLEANER_ROUNDS),
                counters.sum(Counter.CHECKPOINTS),
                counters.sum(Counter.DOUBLEWRITE_BATCHES),
                counters.sum(Counter.DOUBLEWRITE_PAGES));
    }

    private void files() {
        section("FILES");
        text.append(OpenFiles.now(storage).toText());
        section("SPACES");
        ChecksumKinds checksums = storage.store().files().checksums();
        List<Space> spaces = storage.spaces().all();
        spaces.sort(Comparator.comparingInt(Space::spaceId));
        for (Space space : spaces) {
            line(
                    "%s, freePagesKnown=%d, checksums=%s",
                    space,
                    space.freePagesKnown(),
                    checksums.names(storage.store().files().allowedKinds(space.spaceId())));
        }
        text.append("conversion of checksums: ");
        text.append(transactions.checksums().progress().toText());
    }

    private void transactions() {
        section("TRANSACTIONS");
        TransactionSystem system = transactions.transactions();
        line(
                "views=%d, waitingToBegin=%d, waitingToWrite=%d, horizonLsn=%d,"
                        + " nextTransactionIdBelow=%d",
                system.viewsInUse(),
                system.admissionsWaiting(),
                system.writersWaiting(),
                system.horizon(),
                system.transactionIdHighWater());
        line(
                "commits=%d, rollbacks=%d, lockQueues=%d, lockWaits=%d, lockTimeouts=%d",
                counters.sum(Counter.COMMITS),
                counters.sum(Counter.ROLLBACKS),
                system.lockQueues(),
                counters.sum(Counter.ROW_LOCK_WAITS),
                counters.sum(Counter.ROW_LOCK_TIMEOUTS));
        line(
                "purge: segmentsWaiting=%d, logsPurged=%d, rowsPurged=%d, budgetPauses=%d,"
                        + " losersLeft=%d",
                system.historyWaiting(),
                counters.sum(Counter.UNDO_LOGS_PURGED),
                counters.sum(Counter.ROWS_PURGED),
                counters.sum(Counter.PURGE_BUDGET_PAUSES),
                transactions.losersLeft());
    }

    private void agents() {
        section("AGENTS");
        storage.describeAgents(text);
        transactions.describeAgents(text);
    }

    private void counters() {
        section("COUNTERS");
        for (Counter counter : Counter.values()) {
            long sum = counters.sum(counter);
            if (sum != 0) {
                line("%s.%s=%d %s", counter.owner(), counter, sum, counter.unit());
            }
        }
    }
}
