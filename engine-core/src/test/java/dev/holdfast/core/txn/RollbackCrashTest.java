// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Durability;
import dev.holdfast.Engine;
import dev.holdfast.EngineException;
import dev.holdfast.EngineState;
import dev.holdfast.Table;
import dev.holdfast.Transaction;
import dev.holdfast.core.db.EngineAssembly;
import dev.holdfast.core.db.TestEngines;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.SimulatedDisk;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * P8, with a crash behind each step of a rollback. If this failed, a crash in a rollback would undo
 * something twice, or leave something in place.
 */
final class RollbackCrashTest {
    private static final int ROWS = 12;

    @AfterEach
    void reset() {
        TestHooks.reset();
    }

    @Test
    void givenARollback_whenTheProcessDiesBehindAnyStep_thenTheNextOpenEndsIt() {
        for (SimulatedDisk crashed : crashesInARollback()) {
            assertThat(rowsAfterOpen(crashed)).isEqualTo(ROWS);
        }
    }

    @Test
    void givenTheFaultThatDoesNotLogIt_whenTheProcessDies_thenTheNextOpenUndoesTwice() {
        TestHooks.plant(PlantedFault.ROLLBACK_NOT_LOGGED);
        List<SimulatedDisk> crashes = crashesInARollback();
        TestHooks.reset();

        int noticed = 0;
        for (SimulatedDisk crashed : crashes) {
            noticed += rowsAfterOpen(crashed) == ROWS ? 0 : 1;
        }

        assertThat(noticed).isPositive();
    }

    /** The disk as it is when the process dies behind each step. */
    private static List<SimulatedDisk> crashesInARollback() {
        SimulatedDisk disk = SimulatedDisk.create();
        List<SimulatedDisk> crashes = new ArrayList<>();
        Engine engine = EngineAssembly.open(disk.directory(), TestEngines.small().build());
        Table table = engine.table("t");
        engine.write(
                setup -> {
                    for (int i = 0; i < ROWS; i++) {
                        setup.put(table, key(i), new byte[i]);
                    }
                    return null;
                });
        Transaction one = engine.begin();
        for (int i = 0; i < ROWS; i++) {
            one.put(table, key(i), new byte[100]);
        }
        one.insert(table, key(ROWS), new byte[5]);
        TestHooks.onReached(
                Rollback.STEP_DONE,
                () -> {
                    // Another's commit makes what was logged so far durable.
                    try (Transaction other = engine.begin()) {
                        other.put(engine.table("other"), key(0), new byte[1]);
                        other.commit(Durability.SYNC);
                    }
                    crashes.add(disk.crash(CrashMode.PROCESS_KILLED, crashes.size()).disk());
                });

        one.rollback();

        TestHooks.onReached(Rollback.STEP_DONE, () -> {});
        if (engine.state() == EngineState.OPEN) {
            engine.close();
        }
        assertThat(crashes).hasSize(ROWS + 1);
        return crashes;
    }

    /** How many rows are as they were before; -1 if the store cannot be used. */
    private static int rowsAfterOpen(SimulatedDisk crashed) {
        try (Engine engine =
                EngineAssembly.open(crashed.directory(), TestEngines.small().build())) {
            Table table = engine.table("t");
            int right = 0;
            for (int i = 0; i < ROWS; i++) {
                byte[] key = key(i);
                int row = i;
                boolean isRight =
                        engine.write(
                                writer -> {
                                    // Waits until the loser's row is restored.
                                    byte[] value = writer.get(table, key);
                                    writer.put(table, key, value);
                                    return value.length == row;
                                });
                right += isRight ? 1 : 0;
            }
            boolean isGone = engine.read(reader -> reader.get(table, key(ROWS)) == null);
            return isGone && engine.verify().isSound() ? right : -1;
        } catch (EngineException unusable) {
            return -1;
        }
    }

    private static byte[] key(int row) {
        return ("k" + row).getBytes(UTF_8);
    }
}
