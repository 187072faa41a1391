// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Engine;
import dev.holdfast.EngineException;
import dev.holdfast.Snapshot;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import dev.holdfast.VerifyReport;

/**
 * A run of numbered steps, each a transaction on two tables in two files, that says afterwards what
 * a store must hold: every step that was acknowledged, of the others none in part, and no step
 * without all before it.
 */
final class FaultGame {
    private static final int VALUE_BYTES = 200;
    private static final int CHECKPOINT_EVERY = 10;

    private final int steps;
    private int acknowledged;

    FaultGame(int steps) {
        this.steps = steps;
    }

    /** Makes the tables and a first step, to be run before there are faults. */
    void begin(Engine engine) {
        engine.table("shared");
        engine.table("own", TableOptions.ownSpace());
        step(engine, 0);
        engine.checkpoint();
    }

    /** Runs the steps; returns what ended it, or null if all were made. */
    EngineException run(Engine engine) {
        try {
            for (int i = acknowledged; i < steps; i++) {
                step(engine, i);
                if (i % CHECKPOINT_EVERY == 0) {
                    engine.checkpoint();
                }
            }
            engine.checkpoint();
            return null;
        } catch (EngineException end) {
            return end;
        }
    }

    private void step(Engine engine, int number) {
        Table shared = engine.table("shared");
        Table own = engine.table("own", TableOptions.ownSpace());
        engine.write(
                transaction -> {
                    transaction.put(shared, key(number), value(number));
                    transaction.put(own, key(number), value(number));
                    if (number >= 3) {
                        transaction.put(shared, key(number - 3), value(number));
                        transaction.delete(own, key(number - 3));
                    }
                    return null;
                });
        acknowledged = number + 1;
    }

    /** Steps that were acknowledged as durable. */
    int acknowledged() {
        return acknowledged;
    }

    /** Compares a store that was opened anew. */
    void check(Engine engine) {
        VerifyReport report = engine.verify();
        assertThat(report.isSound()).as(report.toText()).isTrue();
        int found = 0;
        try (Snapshot snapshot = engine.snapshot()) {
            Table shared = engine.table("shared");
            Table own = engine.table("own", TableOptions.ownSpace());
            while (snapshot.contains(shared, key(found))) {
                found++;
            }
            assertThat(found).as("steps").isBetween(acknowledged, steps);
            for (int i = 0; i < steps; i++) {
                boolean isOwn = i < found && i >= found - 3;
                assertThat(snapshot.contains(own, key(i))).as("own step " + i).isEqualTo(isOwn);
                if (i < found) {
                    int writer = i + 3 < found ? i + 3 : i;
                    assertThat(snapshot.get(shared, key(i))).isEqualTo(value(writer));
                } else {
                    assertThat(snapshot.contains(shared, key(i))).as("step " + i).isFalse();
                }
            }
        }
    }

    private static byte[] value(int number) {
        byte[] value = new byte[VALUE_BYTES];
        value[number % VALUE_BYTES] = (byte) (number + 1);
        return value;
    }

    private static byte[] key(int number) {
        return String.format("step-%05d", number).getBytes(UTF_8);
    }
}
