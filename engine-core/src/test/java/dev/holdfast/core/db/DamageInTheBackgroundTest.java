// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.EngineState;
import dev.holdfast.Snapshot;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import dev.holdfast.Transaction;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.SimulatedDisk;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * One damaged page, and work in the background that needs it. If this failed, a bit in one cold
 * page would keep everybody from everything, after each open again.
 */
@ExtendWith(VerifyAfterTest.class)
final class DamageInTheBackgroundTest {
    private static final int PAGE_BYTES = 4096;
    private static final int ROWS = 400;
    private static final String FILE = "space-16.hfs";
    private static final EngineOptions OPTIONS = TestEngines.small().build();

    private final SimulatedDisk disk = SimulatedDisk.create();

    @Test
    void givenDeletedRowsOnDamagedLeaves_whenPurged_thenTheyAreSkippedAndTheRestWorks(
            TestEngines engines) throws IOException {
        Engine engine = fill(engines);
        SimulatedDisk killed;
        try (Snapshot old = engine.snapshot()) {
            assertThat(old.contains(engine.table("good"), key(1))).isTrue();
            engine.write(
                    transaction -> {
                        for (int i = 0; i < ROWS; i += 2) {
                            transaction.delete(bad(engine), key(i));
                        }
                        return null;
                    });
            killed = killedAndDamaged(engine, engines);
        }

        for (int open = 0; open < 2; open++) {
            Engine again = engines.open(killed, OPTIONS);
            engines.unverified(again);
            if (open == 0) {
                awaitCount(again, Counter.PURGE_DAMAGE_SKIPPED);
            }
            useGoodTable(again);
            assertThatThrownBy(() -> again.read(s -> s.get(bad(again), key(1))))
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining(FILE);
            assertThat(again.state()).isEqualTo(EngineState.OPEN);
            again.close();
        }
    }

    @Test
    void givenALoserWithRowsOnDamagedLeaves_whenTakenBack_thenItIsLeftAndTheRestWorks(
            TestEngines engines) throws IOException {
        Engine engine = fill(engines);
        Transaction loser = engine.begin();
        for (int i = 0; i < ROWS; i += 2) {
            loser.put(bad(engine), key(i), new byte[50]);
        }
        SimulatedDisk killed = killedAndDamaged(engine, engines);

        Engine again = engines.open(killed, OPTIONS);
        engines.unverified(again);
        awaitCount(again, Counter.LOSERS_LEFT);
        useGoodTable(again);
        assertThat(EngineProbe.losersLeft(again)).isEqualTo(1);
        assertThat(again.status()).contains("damageMet=1");

        again.dropTable("bad");
        again.close();
        Engine last = engines.open(killed, OPTIONS);
        engines.unverified(last);
        awaitCount(last, Counter.LOSERS_ROLLED_BACK);
        assertThat(EngineProbe.losersLeft(last)).isZero();
    }

    private Engine fill(TestEngines engines) {
        Engine engine = engines.open(disk, OPTIONS);
        Table good = engine.table("good");
        Table bad = bad(engine);
        engine.write(
                transaction -> {
                    for (int i = 0; i < ROWS; i++) {
                        transaction.put(good, key(i), new byte[100]);
                        transaction.put(bad, key(i), new byte[100]);
                    }
                    return null;
                });
        return engine;
    }

    private static Table bad(Engine engine) {
        return engine.table("bad", TableOptions.ownSpace());
    }

    /** What the disk holds when the process dies, with all leaves of the bad table damaged. */
    private SimulatedDisk killedAndDamaged(Engine engine, TestEngines engines) throws IOException {
        engine.checkpoint();
        engines.unverified(engine);
        SimulatedDisk killed = disk.crash(CrashMode.PROCESS_KILLED, 0).disk();
        killed.flipBit("doublewrite/0.hfd", 0, 1);
        killed.flipBit("doublewrite/1.hfd", 0, 1);
        for (int page = 3; page < 16; page++) {
            killed.flipBit(FILE, (long) page * PAGE_BYTES + 1000, 1);
        }
        return killed;
    }

    private static void useGoodTable(Engine engine) {
        Table good = engine.table("good");
        assertThat((boolean) engine.read(s -> s.contains(good, key(1)))).isTrue();
        engine.write(
                transaction -> {
                    transaction.put(good, key(ROWS), new byte[1]);
                    transaction.delete(good, key(ROWS));
                    return null;
                });
    }

    private static void awaitCount(Engine engine, Counter counter) {
        long deadline = System.nanoTime() + 30_000_000_000L;
        while (EngineProbe.counters(engine).sum(counter) == 0) {
            assertThat(System.nanoTime()).as(counter.name()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static byte[] key(int i) {
        return String.format("key-%04d", i).getBytes(UTF_8);
    }
}
