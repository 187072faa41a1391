// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DiskFullException;
import dev.holdfast.DuplicateKeyException;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.Isolation;
import dev.holdfast.KeyTooLongException;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.LogSpaceTimeoutException;
import dev.holdfast.Range;
import dev.holdfast.Table;
import dev.holdfast.Transaction;
import dev.holdfast.TransactionOptions;
import dev.holdfast.WriteConflictException;
import dev.holdfast.core.buffer.TestThread;
import dev.holdfast.core.db.TestEngines;
import dev.holdfast.core.db.VerifyAfterTest;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SimulatedDisk;
import dev.holdfast.sync.TestHooks;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A statement that does not succeed leaves nothing of itself, and its transaction can be committed.
 * After each test the verifier looks whether a page belongs to nobody. If this failed, a failed put
 * would leave pages that nobody frees, or half a range deleted.
 */
@ExtendWith(VerifyAfterTest.class)
final class StatementAtomicityTest {
    private static final TransactionOptions READ_COMMITTED =
            TransactionOptions.defaults().isolation(Isolation.READ_COMMITTED);

    @AfterEach
    void reset() {
        TestHooks.reset();
    }

    @Test
    void givenALongValue_whenTheDiskIsFull_thenItsPartIsTakenBackAndTheTransactionGoesOn(
            TestEngines engines) {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, TestEngines.small().build());
        Table table = engine.table("t");
        put(engine, table, "k", "old");
        Transaction one = engine.begin();
        one.put(table, bytes("a"), bytes("1"));
        disk.limitCapacity(disk.usedBytes() + (64 << 10));

        assertThatThrownBy(() -> one.put(table, bytes("k"), new byte[8 << 20]))
                .isInstanceOf(DiskFullException.class);
        assertThat(one.get(table, bytes("k"))).isEqualTo(bytes("old"));
        one.put(table, bytes("b"), bytes("2"));
        one.commit();
        disk.unlimitCapacity();

        assertThat(get(engine, table, "a")).isEqualTo("1");
        assertThat(get(engine, table, "b")).isEqualTo("2");
        assertThat(get(engine, table, "k")).isEqualTo("old");
    }

    @Test
    void givenALongValue_whenTheLogHasNoSpaceInTime_thenItsPartIsTakenBack(TestEngines engines) {
        SimulatedDisk disk = SimulatedDisk.create();
        EngineOptions options =
                TestEngines.small()
                        .poolBytes(8 << 20)
                        .logSpaceTimeout(Duration.ofMillis(100))
                        .build();
        Engine engine = engines.open(disk, options);
        Table table = engine.table("t");
        put(engine, table, "k", "old");
        Transaction one = engine.begin();
        one.put(table, bytes("a"), bytes("1"));
        Fault stuck = disk.faults().add(Fault.on(Operation.WRITE, "main.hfs").stuck());

        try {
            assertThatThrownBy(() -> one.put(table, bytes("k"), new byte[3 << 20]))
                    .isInstanceOf(LogSpaceTimeoutException.class);
            assertThat(one.get(table, bytes("k"))).isEqualTo(bytes("old"));
        } finally {
            disk.faults().clear();
            stuck.release();
        }
        one.put(table, bytes("b"), bytes("2"));
        one.commit();

        assertThat(get(engine, table, "a")).isEqualTo("1");
        assertThat(get(engine, table, "b")).isEqualTo("2");
        assertThat(get(engine, table, "k")).isEqualTo("old");
    }

    @Test
    void givenALongValueIsWritten_whenItsRowHasGoneMeanwhile_thenNothingOfItIsLeft(
            TestEngines engines) throws Exception {
        Engine engine = engines.open();
        Table table = engine.table("t");
        put(engine, table, "k", "old");
        Transaction one = engine.begin(READ_COMMITTED);
        TestHooks.Pause written = TestHooks.pauseAt(RowWriter.CHAIN_WRITTEN);
        TestThread<Boolean> replace =
                TestThread.start(() -> one.replace(table, bytes("k"), new byte[100_000]));
        written.awaitReached();

        engine.write(other -> other.delete(table, bytes("k")));
        written.resume();

        assertThat(replace.result()).isFalse();
        one.put(table, bytes("a"), bytes("1"));
        one.commit();
        assertThat(get(engine, table, "k")).isNull();
        assertThat(get(engine, table, "a")).isEqualTo("1");
    }

    @Test
    void givenALongValueIsWritten_whenAnotherTakesTheRow_thenTheConflictTakesItBack(
            TestEngines engines) throws Exception {
        Engine engine = engines.open();
        Table table = engine.table("t");
        Transaction one = engine.begin();
        TestHooks.Pause written = TestHooks.pauseAt(RowWriter.CHAIN_WRITTEN);
        TestThread<Void> insert =
                TestThread.start(
                        () -> {
                            one.insert(table, bytes("k"), new byte[100_000]);
                            return null;
                        });
        written.awaitReached();

        put(engine, table, "k", "another's");
        written.resume();

        assertThatThrownBy(insert::result).isInstanceOf(WriteConflictException.class);
        one.put(table, bytes("a"), bytes("1"));
        one.commit();
        assertThat(get(engine, table, "k")).isEqualTo("another's");
    }

    @Test
    void givenARange_whenARowInItIsLocked_thenTheRowsBeforeItAreBack(TestEngines engines) {
        Engine engine =
                engines.open(TestEngines.small().lockWaitTimeout(Duration.ofMillis(30)).build());
        Table table = engine.table("t");
        for (int i = 0; i < 9; i++) {
            put(engine, table, "k" + i, "v" + "x".repeat(i * 300));
        }
        Transaction holder = engine.begin();
        holder.put(table, bytes("k6"), bytes("held"));
        Transaction one = engine.begin();
        one.delete(table, bytes("k1"));

        assertThatThrownBy(() -> one.deleteRange(table, Range.all()))
                .isInstanceOf(LockTimeoutException.class);
        assertThat(one.get(table, bytes("k0"))).isNotNull();
        assertThat(one.get(table, bytes("k1"))).isNull();
        assertThat(one.get(table, bytes("k5"))).isNotNull();
        one.commit();
        holder.rollback();

        assertThat(get(engine, table, "k0")).isEqualTo("v");
        assertThat(get(engine, table, "k1")).isNull();
        assertThat(get(engine, table, "k6")).hasSize(1801);
    }

    @Test
    void givenStatementsThatAreRefused_whenTheTransactionCommits_thenTheRestIsThere(
            TestEngines engines) {
        Engine engine = engines.open();
        Table table = engine.table("t");
        put(engine, table, "k", "old");
        try (Transaction one = engine.begin()) {
            one.put(table, bytes("a"), bytes("1"));
            assertThatThrownBy(() -> one.insert(table, bytes("k"), new byte[100_000]))
                    .isInstanceOf(DuplicateKeyException.class);
            assertThatThrownBy(() -> one.put(table, new byte[513], new byte[1]))
                    .isInstanceOf(KeyTooLongException.class);
            assertThat(one.update(table, bytes("k"), new byte[100_000], new byte[100_000]))
                    .isFalse();
            assertThat(one.replace(table, bytes("none"), new byte[100_000])).isFalse();
            one.commit();
        }

        assertThat(get(engine, table, "a")).isEqualTo("1");
        assertThat(get(engine, table, "k")).isEqualTo("old");
    }

    private static void put(Engine engine, Table table, String key, String value) {
        engine.write(
                transaction -> {
                    transaction.put(table, bytes(key), bytes(value));
                    return null;
                });
    }

    private static String get(Engine engine, Table table, String key) {
        byte[] value = engine.read(snapshot -> snapshot.get(table, bytes(key)));
        return value == null ? null : new String(value, UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
