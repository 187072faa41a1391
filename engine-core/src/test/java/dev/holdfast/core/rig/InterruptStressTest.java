// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Durability;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.EngineState;
import dev.holdfast.WaitInterruptedException;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Threads are interrupted at random while they read and commit on real files. If this failed, an
 * interrupt of one thread could close a file for all, break a change in the middle, be swallowed,
 * or end an operation that has no reason to end.
 */
@ExtendWith(SeedExtension.class)
final class InterruptStressTest {
    private static final int PAIRS = 3000;
    private static final int VALUE_BYTES = 240;
    private static final long PAUSE_NANOS = 200_000;

    private final AtomicLong interruptsSeen = new AtomicLong();
    private final AtomicLong operations = new AtomicLong();

    @Test
    void givenThreadsThatReadAndCommit_whenInterrupted_thenNeitherStoreNorOthersAreHarmed(
            SeededRandom random, @TempDir Path temporary, TestReporter reporter) throws Exception {
        Duration time = SeedExtension.everydayOrSoak(Duration.ofSeconds(5), Duration.ofMinutes(5));
        EngineOptions options = RigEngine.options().build();
        Path store = temporary.resolve("store");
        try (Engine engine = Engine.open(store, options)) {
            PairedRows rows = new PairedRows(engine, PAIRS, VALUE_BYTES);
            rows.load();

            run(rows, random, time);

            assertThat(engine.state()).isEqualTo(EngineState.OPEN);
            rows.checkAll(random);
            StoreCheck.verify(engine);
        }
        try (Engine engine = Engine.open(store, options)) {
            new PairedRows(engine, PAIRS, VALUE_BYTES).checkAll(random);
            StoreCheck.verify(engine);
        }
        reporter.publishEntry("interrupts", interruptsSeen + " in " + operations + " operations");
        assertThat(interruptsSeen.get()).isGreaterThan(50);
    }

    private void run(PairedRows rows, SeededRandom random, Duration time)
            throws InterruptedException {
        StressThreads threads = new StressThreads(random, time);
        List<Thread> victims = new ArrayList<>();
        victims.add(threads.start("read", interrupted(rows::readPairs)));
        victims.add(threads.start("scan", interrupted(r -> rows.scan(r, 100))));
        victims.add(threads.start("write", interrupted(r -> rows.update(r, Durability.LAZY))));
        victims.add(threads.start("commit", interrupted(r -> rows.update(r, Durability.SYNC))));
        threads.start("othersRead", rows::readPairs);
        threads.start("othersCommit", r -> rows.update(r, Durability.SYNC));
        threads.start(
                "interrupt",
                r -> {
                    r.pick(victims).interrupt();
                    LockSupport.parkNanos(this, PAUSE_NANOS);
                });
        threads.join();
    }

    /** Work that may be interrupted: the flag outlives it, and only a wait for others ends. */
    private Consumer<SeededRandom> interrupted(Consumer<SeededRandom> work) {
        return random -> {
            if (random.oneIn(8)) {
                Thread.currentThread().interrupt();
            }
            boolean before = Thread.currentThread().isInterrupted();
            try {
                work.accept(random);
            } catch (WaitInterruptedException onlyWhileInterrupted) {
                assertThat(Thread.currentThread().isInterrupted()).isTrue();
            }
            assertThat(Thread.currentThread().isInterrupted() || !before)
                    .as("an interrupt was swallowed")
                    .isTrue();
            operations.incrementAndGet();
            if (Thread.interrupted()) {
                interruptsSeen.incrementAndGet();
            }
        };
    }
}
