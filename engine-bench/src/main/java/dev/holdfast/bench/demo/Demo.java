// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import dev.holdfast.CloseMode;
import dev.holdfast.Engine;
import dev.holdfast.VerifyReport;
import dev.holdfast.bench.report.EngineCounts;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The main job, seen from the parent: imports under fire, then a load, every row compared.
 *
 * <p>Differences are collected and end nothing by themselves; an exception of the engine ends it.
 */
public final class Demo {
    /*
     * When to kill is a matter of progress, not of time: the n-th kill falls at a random point of
     * the n-th part of the rows, so that a fast machine is killed as often as a slow one. A random
     * pause follows, so that the kill falls at no particular point of a commit. After every second
     * kill the next child is killed too, while it opens the store: recovery is interrupted.
     */

    private static final double LAST_KILL_AT = 0.95;
    private static final long PAUSE_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(40);

    private final DemoOptions options;
    private final List<String> childCommand;
    private final PrintWriter out;
    private final SplittableRandom moments = new SplittableRandom();

    private ImportSource source;
    private ImportPlan plan;
    private StoreCheck check;
    private AtomicIntegerArray versions;
    private DemoResult result;

    /** All batches whose commit any child has acknowledged or a check has found. */
    private final BitSet acknowledged = new BitSet();

    private long rowsPresent;

    /**
     * Makes a demo.
     *
     * @param childCommand the command line that runs {@link ImportChild}, up to its options
     * @param out gets a line for each step
     */
    public Demo(DemoOptions options, List<String> childCommand, PrintWriter out) {
        this.options = options;
        List<String> command = new ArrayList<>(childCommand);
        command.addAll(options.store().arguments());
        command.addAll(options.source().arguments());
        command.add("--threads=" + options.threads());
        this.childCommand = List.copyOf(command);
        this.out = out;
    }

    /** Runs all of it. */
    public DemoResult run() throws IOException, InterruptedException, ExecutionException {
        result = new DemoResult(System.nanoTime());
        source = ImportSource.open(options.store().pageBytes(), options.source());
        plan = new ImportPlan(source.count(), options.source().seed());
        check = new StoreCheck(source, plan, result.differences(), options.threads());
        versions = new AtomicIntegerArray(source.count());
        say(
                "source: %,d entries in %,d transactions, seed %d",
                source.count(), plan.batchCount(), options.source().seed());
        for (int kill = 1; kill <= options.kills(); kill++) {
            importUntilKilled(kill);
            if (kill % 2 == 0) {
                openUntilKilled();
            }
            checkAfterCrash(kill % 2 == 0 ? CloseMode.CLEAN : CloseMode.FAST);
        }
        importToTheEnd();
        putLoad();
        checkAtTheEnd();
        result.endNanos = System.nanoTime();
        return result;
    }

    private void importUntilKilled(int kill) throws IOException, InterruptedException {
        double part = (kill - 1 + moments.nextDouble()) / options.kills();
        long rowsWanted = (long) (part * LAST_KILL_AT * source.count()) - rowsPresent;
        try (ImportProcess child = ImportProcess.start(childCommand, plan, result.importedRows())) {
            child.awaitRows(Math.max(1, rowsWanted));
            child.letRun(moments.nextLong(PAUSE_NANOS_MAX));
            child.kill();
            take(child);
            if (child.isFinished()) {
                say("import %d: all was in before it could be killed", kill);
                return;
            }
            if (child.acknowledged().isEmpty()) {
                result.differences().add("import ended before its first commit: kill=" + kill);
            }
            result.kills++;
            say("import %d: killed after %,d commits", kill, child.acknowledged().cardinality());
        }
    }

    private void openUntilKilled() throws IOException, InterruptedException {
        long openNanos = 2 * TimeUnit.MILLISECONDS.toNanos(1 + result.recoveryMillisMax());
        try (ImportProcess child = ImportProcess.start(childCommand, plan, result.importedRows())) {
            child.awaitOpening();
            child.letRun(moments.nextLong(openNanos));
            child.kill();
            take(child);
            result.kills += child.isFinished() ? 0 : 1;
            if (child.openMicros() < 0) {
                result.killsInRecovery++;
                say("  the next one: killed while it opened the store");
            } else {
                say("  the next one: killed after %,d commits", child.acknowledged().cardinality());
            }
        }
    }

    private void importToTheEnd() throws IOException, InterruptedException, ExecutionException {
        try (ImportProcess child = ImportProcess.start(childCommand, plan, result.importedRows())) {
            if (!child.awaitEnd()) {
                result.differences().add("the last import ended before all was in");
            }
            take(child);
            say("last import: %,d commits, all in", child.acknowledged().cardinality());
        }
        if (acknowledged.cardinality() != plan.batchCount()) {
            result.differences()
                    .add(
                            "batches were never acknowledged: expected="
                                    + plan.batchCount()
                                    + ", found="
                                    + acknowledged.cardinality());
        }
    }

    /** Takes over what a child has acknowledged and counted. */
    private void take(ImportProcess child) {
        acknowledged.or(child.acknowledged());
        result.importCommits += child.acknowledged().cardinality();
        result.importNanos += child.importNanos();
        result.countedCommits += child.commits();
        result.countedSyncs += child.logSyncs();
    }

    private void checkAfterCrash(CloseMode closeMode)
            throws InterruptedException, ExecutionException {
        long start = System.nanoTime();
        try (Engine engine =
                Engine.open(options.store().directory(), options.store().options(closeMode))) {
            long opened = System.nanoTime();
            result.recovered(opened - start);
            compare(engine, opened - start);
        }
    }

    private void compare(Engine engine, long openNanos)
            throws InterruptedException, ExecutionException {
        long start = System.nanoTime();
        VerifyReport report = check.verify(engine);
        long verified = System.nanoTime();
        StoreCheck.Result found = check.compare(engine, acknowledged, versions);
        long compared = System.nanoTime();
        BitSet unacknowledged = (BitSet) found.batches().clone();
        unacknowledged.andNot(acknowledged);
        result.batchesUnacknowledged += unacknowledged.cardinality();
        acknowledged.or(found.batches());
        rowsPresent = found.rows();
        result.rows = found.rows();
        result.bytes = found.bytes();
        say(
                "  open %d ms, verify %,d pages %d ms, compare %,d rows (%.1f MB) %d ms;"
                        + " committed, but not acknowledged: %d; differences: %d",
                TimeUnit.NANOSECONDS.toMillis(openNanos),
                report.pages(),
                TimeUnit.NANOSECONDS.toMillis(verified - start),
                found.rows(),
                found.bytes() / 1e6,
                TimeUnit.NANOSECONDS.toMillis(compared - verified),
                unacknowledged.cardinality(),
                result.differences().count());
    }

    private void putLoad() throws InterruptedException, ExecutionException {
        SourceChecksums checksums = new SourceChecksums(source);
        try (Engine engine =
                Engine.open(
                        options.store().directory(), options.store().options(CloseMode.CLEAN))) {
            MixedLoad load =
                    new MixedLoad(
                            engine,
                            source,
                            checksums,
                            versions,
                            result.differences(),
                            result.loadCalls());
            EngineCounts before = EngineCounts.parse(engine.status());
            long start = System.nanoTime();
            result.load =
                    load.run(
                            options.threads(),
                            TimeUnit.SECONDS.toNanos(options.loadSeconds()),
                            options.source().seed());
            result.loadNanos = System.nanoTime() - start;
            result.status = engine.status();
            result.loadCounts = EngineCounts.parse(result.status).minus(before);
        }
        say(
                "mixed load: %d s, %,d reads, %,d scans, %,d updates, %,d transfers",
                options.loadSeconds(),
                result.load.count(LoadKind.READ),
                result.load.count(LoadKind.SCAN),
                result.load.count(LoadKind.UPDATE),
                result.load.count(LoadKind.TRANSFER));
    }

    private void checkAtTheEnd() throws InterruptedException, ExecutionException {
        long start = System.nanoTime();
        try (Engine engine =
                Engine.open(
                        options.store().directory(), options.store().options(CloseMode.CLEAN))) {
            long openNanos = System.nanoTime() - start;
            compare(engine, openNanos);
            long sum = Accounts.open(engine).sum();
            if (sum != Accounts.SUM) {
                result.differences()
                        .add(
                                "sum of accounts changed: expected="
                                        + Accounts.SUM
                                        + ", found="
                                        + sum);
            }
        }
        if (rowsPresent != source.count()) {
            result.differences().add("rows: expected=" + source.count() + ", found=" + rowsPresent);
        }
    }

    private void say(String format, Object... arguments) {
        out.printf(Locale.ROOT, format + "%n", arguments);
        out.flush();
    }
}
