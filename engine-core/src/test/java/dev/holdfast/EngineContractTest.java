// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.core.db.TestEngines;
import dev.holdfast.core.db.VerifyAfterTest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What callers are told in the API's pages. If this failed, a limit would not be kept or not be
 * named, a wrong use would do something else than throw what it says, or a right one would throw.
 */
@ExtendWith(VerifyAfterTest.class)
final class EngineContractTest {
    private static final int KEY_BYTES_MAX = 512;

    private Engine engine;
    private Table table;

    @BeforeEach
    void open(TestEngines engines) {
        engine = engines.open();
        table = engine.table("t");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 255, 511, KEY_BYTES_MAX})
    void givenAKeyWithinTheLimit_whenPut_thenItIsFound(int length) {
        assertThat(Limits.keyBytesMax(4096)).isEqualTo(KEY_BYTES_MAX);
        byte[] key = bytes(length, 7);

        put(key, bytes(3, 1));

        assertThat(get(key)).isEqualTo(bytes(3, 1));
        assertThat(keys()).containsExactly(key);
    }

    @Test
    void givenAKeyOverTheLimit_whenUsed_thenWritesAreRefusedAndReadsFindNothing() {
        byte[] key = bytes(KEY_BYTES_MAX + 1, 7);

        try (Transaction transaction = engine.begin()) {
            assertThatThrownBy(() -> transaction.put(table, key, bytes(1, 1)))
                    .isInstanceOf(KeyTooLongException.class)
                    .hasMessageContaining(Integer.toString(key.length))
                    .hasMessageContaining(Integer.toString(KEY_BYTES_MAX));
            assertThatThrownBy(() -> transaction.delete(table, key))
                    .isInstanceOf(KeyTooLongException.class);
            assertThat(transaction.get(table, key)).isNull();
            assertThat(transaction.contains(table, key)).isFalse();
            transaction.put(table, bytes(1, 1), bytes(1, 1));
            transaction.commit();
        }
        assertThat(keys()).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 70_000, 1 << 20, 16 << 20})
    void givenAValueWithinTheLimit_whenPut_thenItComesBackByteForByte(int length) {
        byte[] value = bytes(length, length);

        put(bytes(2, 1), value);

        assertThat(get(bytes(2, 1))).isEqualTo(value);
        ByteBuffer target = ByteBuffer.allocate(length + 3).position(1);
        int found = engine.read(snapshot -> snapshot.get(table, bytes(2, 1), target));
        assertThat(found).isEqualTo(length);
        assertThat(target.position()).isEqualTo(length + 1);
        assertThat(Arrays.copyOfRange(target.array(), 1, length + 1)).isEqualTo(value);
    }

    @Test
    void givenAValueOverTheLimit_whenPut_thenItIsRefusedByName() {
        byte[] value = new byte[Limits.VALUE_BYTES_MAX + 1];

        assertThatThrownBy(() -> put(bytes(1, 1), value))
                .isInstanceOf(ValueTooLongException.class)
                .hasMessageContaining(Integer.toString(value.length));
        assertThat(keys()).isEmpty();
    }

    @Test
    void givenABufferThatIsTooSmall_whenGot_thenTheLengthIsToldAndThePositionStays() {
        put(bytes(2, 1), bytes(100, 5));
        ByteBuffer target = ByteBuffer.allocateDirect(99);

        int found = engine.read(snapshot -> snapshot.get(table, bytes(2, 1), target));

        assertThat(found).isEqualTo(100);
        assertThat(target.position()).isZero();
        int absent = engine.read(snapshot -> snapshot.get(table, bytes(2, 9), target));
        assertThat(absent).isEqualTo(-1);
    }

    @Test
    void givenNulls_whenPassed_thenTheParameterIsNamed() {
        try (Transaction transaction = engine.begin()) {
            byte[] some = bytes(1, 1);
            refusesNull("key", () -> transaction.get(table, null));
            refusesNull("key", () -> transaction.put(table, null, some));
            refusesNull("value", () -> transaction.put(table, some, null));
            refusesNull("value", () -> transaction.insert(table, some, null));
            refusesNull("expected", () -> transaction.update(table, some, null, some));
            refusesNull("table", () -> transaction.get(null, some));
            refusesNull("range", () -> transaction.cursor(table, null));
            refusesNull("range", () -> transaction.deleteRange(table, null));
            refusesNull("durability", () -> transaction.commit(null));
            refusesNull("target", () -> transaction.get(table, some, null));
            refusesNull("key", () -> transaction.cursor(table, Range.all()).seek(null));
            transaction.put(table, some, some);
            transaction.commit();
        }
        refusesNull("name", () -> engine.table(null));
        refusesNull("options", () -> engine.table("t", null));
        refusesNull("name", () -> engine.dropTable(null));
        refusesNull("from", () -> engine.renameTable(null, "u"));
        refusesNull("to", () -> engine.renameTable("t", null));
        refusesNull("work", () -> engine.read(null));
        refusesNull("work", () -> engine.write(null));
        refusesNull("options", () -> engine.begin(null));
        refusesNull("directory", () -> Engine.open(null));
        refusesNull("options", () -> Engine.inMemory(null));
    }

    private static void refusesNull(String parameter, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining(parameter);
    }

    @Test
    void givenTableNames_whenTheyAreEmptyOrLong_thenTheLimitIsKept() {
        String longest = "ä".repeat(127) + "b";

        assertThat(longest.getBytes(UTF_8)).hasSize(Limits.TABLE_NAME_BYTES_MAX);
        engine.table(longest);
        assertThatThrownBy(() -> engine.table(longest + "c"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("256");
        assertThatThrownBy(() -> engine.table("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> engine.renameTable("t", ""))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(engine.tables()).containsExactly("t", longest);
    }

    @Test
    void givenANameWithAnUnpairedSurrogate_whenATableIsMadeOrRenamed_thenItIsRefused() {
        assertThatThrownBy(() -> engine.table("\ud800"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> engine.renameTable("t", "a\udc00b"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(engine.tables()).containsExactly("t");
    }

    @Test
    void givenTables_whenRenamedOrDropped_thenHandlesFollowOrEnd() {
        put(bytes(1, 1), bytes(1, 1));
        Snapshot before = engine.snapshot();
        assertThatThrownBy(() -> engine.renameTable("none", "x"))
                .isInstanceOf(NoSuchTableException.class);
        engine.table("other");
        assertThatThrownBy(() -> engine.renameTable("t", "other"))
                .isInstanceOf(TableExistsException.class);
        engine.renameTable("t", "t");
        assertThat(engine.tables()).containsExactly("other", "t");
        assertThatThrownBy(() -> engine.renameTable("none", "none"))
                .isInstanceOf(NoSuchTableException.class);
        engine.renameTable("t", "renamed");
        assertThat(table.name()).isEqualTo("renamed");
        assertThat(get(bytes(1, 1))).isNotNull();

        engine.dropTable("renamed");

        assertThatThrownBy(() -> before.get(table, bytes(1, 1)))
                .isInstanceOf(NoSuchTableException.class)
                .hasMessageContaining("renamed");
        Table anew = engine.table("renamed");
        assertThatThrownBy(() -> get(bytes(1, 1))).isInstanceOf(NoSuchTableException.class);
        byte[] found = engine.read(snapshot -> snapshot.get(anew, bytes(1, 1)));
        assertThat(found).isNull();
        assertThatThrownBy(() -> engine.dropTable("none")).isInstanceOf(NoSuchTableException.class);
        before.close();
    }

    @Test
    void givenATableOfAnotherEngine_whenUsed_thenItIsRefused(TestEngines engines) {
        Table foreign = engines.open().table("t");

        assertThatThrownBy(() -> engine.read(snapshot -> snapshot.get(foreign, bytes(1, 1))))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void givenAFinishedTransaction_whenUsed_thenItSaysHowItEnded() {
        Transaction committed = engine.begin();
        committed.put(table, bytes(1, 1), bytes(1, 1));
        Cursor cursor = committed.cursor(table, Range.all());
        committed.commit();
        Transaction rolledBack = engine.begin();
        rolledBack.rollback();
        Snapshot closed = engine.snapshot();
        closed.close();

        assertThatThrownBy(() -> committed.get(table, bytes(1, 1)))
                .isInstanceOf(TransactionFinishedException.class)
                .hasMessageContaining("committed");
        assertThatThrownBy(committed::commit).isInstanceOf(TransactionFinishedException.class);
        assertThatThrownBy(committed::rollback).isInstanceOf(TransactionFinishedException.class);
        assertThatThrownBy(cursor::next).isInstanceOf(TransactionFinishedException.class);
        assertThatThrownBy(() -> rolledBack.put(table, bytes(1, 1), bytes(1, 1)))
                .isInstanceOf(TransactionFinishedException.class)
                .hasMessageContaining("rolled back");
        assertThatThrownBy(() -> closed.contains(table, bytes(1, 1)))
                .isInstanceOf(TransactionFinishedException.class)
                .hasMessage("snapshot is finished: end=closed");
        committed.close();
        rolledBack.close();
        closed.close();
    }

    @Test
    void givenACursor_whenItStandsNowhere_thenThatIsAnIllegalState() {
        put(bytes(1, 1), bytes(1, 1));
        try (Snapshot snapshot = engine.snapshot();
                Cursor cursor = snapshot.cursor(table, Range.all())) {
            assertThatThrownBy(cursor::key).isInstanceOf(IllegalStateException.class);
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.keyView().isReadOnly()).isTrue();
            assertThat(cursor.next()).isFalse();
            assertThatThrownBy(cursor::value).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(cursor::valueView).isInstanceOf(IllegalStateException.class);
            assertThat(cursor.previous()).isTrue();
            assertThat(cursor.previous()).isFalse();
            assertThat(cursor.last()).isTrue();
        }
        try (Snapshot snapshot = engine.snapshot()) {
            Cursor cursor = snapshot.cursor(table, Range.all());
            cursor.close();
            cursor.close();
            assertThatThrownBy(cursor::next).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void givenArraysOfTheCaller_whenChangedAfterwards_thenTheStoreIsNot() {
        byte[] key = bytes(3, 1);
        byte[] value = bytes(3, 2);
        try (Transaction transaction = engine.begin()) {
            transaction.put(table, key, value);
            Arrays.fill(key, (byte) 99);
            Arrays.fill(value, (byte) 99);
            transaction.commit();
        }

        byte[] found = get(bytes(3, 1));
        assertThat(found).isEqualTo(bytes(3, 2));
        Arrays.fill(found, (byte) 0);
        assertThat(get(bytes(3, 1))).isEqualTo(bytes(3, 2));
    }

    @Test
    void givenStatements_whenTheyMeetARowOrNone_thenTheyDoWhatTheySay() {
        byte[] key = bytes(1, 1);
        engine.write(
                transaction -> {
                    assertThat(transaction.replace(table, key, bytes(1, 1))).isFalse();
                    assertThat(transaction.update(table, key, bytes(1, 0), bytes(1, 1))).isFalse();
                    assertThat(transaction.delete(table, key)).isFalse();
                    transaction.insert(table, key, bytes(1, 1));
                    DuplicateKeyException twice =
                            catchThrowableOfType(
                                    DuplicateKeyException.class,
                                    () -> transaction.insert(table, key, bytes(1, 2)));
                    assertThat(twice.key()).isEqualTo(key);
                    assertThat(transaction.update(table, key, bytes(1, 9), bytes(1, 3))).isFalse();
                    assertThat(transaction.update(table, key, bytes(1, 1), bytes(1, 3))).isTrue();
                    assertThat(transaction.replace(table, key, bytes(1, 4))).isTrue();
                    assertThat(transaction.get(table, key)).isEqualTo(bytes(1, 4));
                    return null;
                });

        assertThat(get(key)).isEqualTo(bytes(1, 4));
        long deleted = engine.write(transaction -> transaction.deleteRange(table, Range.all()));
        assertThat(deleted).isEqualTo(1);
        assertThat(keys()).isEmpty();
    }

    @Test
    void givenWorkThatThrows_whenWritten_thenNothingOfItStaysAndTheExceptionIsItsOwn() {
        IllegalStateException own = new IllegalStateException("mine");

        assertThatThrownBy(
                        () ->
                                engine.write(
                                        transaction -> {
                                            transaction.put(table, bytes(1, 1), bytes(1, 1));
                                            throw own;
                                        }))
                .isSameAs(own);
        assertThat(keys()).isEmpty();
    }

    @Test
    void givenAConflict_whenWritten_thenTheWorkIsRunAgainUntilTheLimit(TestEngines engines) {
        Engine limited = engines.open(TestEngines.small().writeAttempts(3).build());
        Table rows = limited.table("t");
        AtomicInteger runs = new AtomicInteger();

        assertThatThrownBy(
                        () ->
                                limited.write(
                                        transaction -> {
                                            runs.incrementAndGet();
                                            // Committed after the snapshot of the outer one.
                                            limited.write(
                                                    other -> {
                                                        other.put(rows, bytes(1, 1), bytes(1, 1));
                                                        return null;
                                                    });
                                            transaction.put(rows, bytes(1, 1), bytes(1, 2));
                                            return null;
                                        }))
                .isInstanceOf(WriteConflictException.class);
        assertThat(runs).hasValue(3);
        assertThat(limited.status())
                .contains("db.WRITE_RETRIES_CONFLICT=2 ")
                .contains("db.WRITES_GIVEN_UP=1 ")
                .contains("db.WRITE_RETRY_NANOS=");
    }

    @Test
    void givenNestedWrites_whenTheyTouchOtherRows_thenEachIsItsOwn() {
        engine.write(
                outer -> {
                    outer.put(table, bytes(1, 1), bytes(1, 1));
                    engine.write(
                            inner -> {
                                assertThat(inner.get(table, bytes(1, 1))).isNull();
                                inner.put(table, bytes(1, 2), bytes(1, 2));
                                return null;
                            });
                    assertThat(outer.get(table, bytes(1, 2))).isNull();
                    return null;
                });

        assertThat(keys()).hasSize(2);
    }

    @Test
    void givenARowOfAnother_whenWaitedForTooLong_thenTableAndKeyAreNamed() {
        Transaction holder = engine.begin();
        holder.put(table, bytes(2, 1), bytes(1, 1));
        TransactionOptions impatient = TransactionOptions.defaults().lockWaitTimeout(Duration.ZERO);
        try (Transaction transaction = engine.begin(impatient)) {
            assertThatThrownBy(() -> transaction.put(table, bytes(2, 1), bytes(1, 2)))
                    .isInstanceOf(LockTimeoutException.class)
                    .hasMessageContaining("table=t")
                    .hasMessageContaining("0x0101");
            transaction.put(table, bytes(2, 2), bytes(1, 2));
            transaction.commit();
        }
        holder.commit();

        assertThat(keys()).hasSize(2);
    }

    @Test
    void givenAThreadThatIsInterrupted_whenItWaitsForARow_thenItIsToldAndTheFlagStays() {
        Transaction holder = engine.begin();
        holder.put(table, bytes(2, 1), bytes(1, 1));
        try (Transaction transaction = engine.begin()) {
            Thread.currentThread().interrupt();

            assertThatThrownBy(() -> transaction.put(table, bytes(2, 1), bytes(1, 2)))
                    .isInstanceOf(WaitInterruptedException.class);

            assertThat(Thread.interrupted()).isTrue();
            transaction.put(table, bytes(2, 2), bytes(1, 2));
            transaction.commit();
        }
        holder.rollback();

        assertThat(keys()).hasSize(1);
    }

    @Test
    void givenATransactionThatTwoThreadsUse_whenTheyMeet_thenOneIsToldSo() throws Exception {
        Transaction transaction = engine.begin();
        transaction.put(table, bytes(1, 1), new byte[1 << 20]);
        CyclicBarrier barrier = new CyclicBarrier(2);
        AtomicInteger told = new AtomicInteger();
        AtomicReference<Throwable> other = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Thread thread =
                    new Thread(
                            () -> {
                                try {
                                    barrier.await();
                                    while (told.get() == 0) {
                                        useOnce(transaction, told);
                                    }
                                } catch (Throwable thrown) {
                                    other.set(thrown);
                                }
                            });
            threads.add(thread);
            thread.start();
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(other.get()).isNull();
        assertThat(told.get()).isPositive();
        transaction.commit();
        assertThat(keys()).hasSize(1);
    }

    private void useOnce(Transaction transaction, AtomicInteger told) {
        try {
            transaction.get(table, bytes(1, 1));
        } catch (ConcurrentUseException expected) {
            told.incrementAndGet();
        }
    }

    @Test
    void givenATransaction_whenItMovesToAnotherThread_thenItGoesOn() throws Exception {
        Transaction transaction = engine.begin();
        transaction.put(table, bytes(1, 1), bytes(1, 1));

        Thread thread = new Thread(transaction::commit);
        thread.start();
        thread.join();

        assertThat(keys()).hasSize(1);
    }

    @Test
    void givenTypedTables_whenUsed_thenKeysSortAsTheirTypesDo() {
        TypedTable<Long, String> typed = engine.table("typed", Codec.LONG, Codec.STRING);
        TypedTable<UUID, byte[]> ids = engine.table("ids", Codec.UUID, Codec.BYTES);
        UUID id = new UUID(-1, 5);
        engine.write(
                transaction -> {
                    typed.put(transaction, 5L, "five");
                    typed.put(transaction, -5L, "minus five");
                    typed.insert(transaction, Long.MIN_VALUE, "least");
                    ids.put(transaction, id, new byte[] {1});
                    return null;
                });

        List<Long> found = new ArrayList<>();
        engine.read(
                snapshot -> {
                    try (TypedCursor<Long, String> cursor =
                            typed.cursor(snapshot, Range.atLeast(typed.keyBytes(-5L)))) {
                        while (cursor.next()) {
                            found.add(cursor.key());
                        }
                    }
                    assertThat(typed.get(snapshot, 5L)).isEqualTo("five");
                    assertThat(typed.get(snapshot, 6L)).isNull();
                    assertThat(ids.get(snapshot, id)).containsExactly(1);
                    return null;
                });
        assertThat(found).containsExactly(-5L, 5L);
    }

    @Test
    void givenDurabilities_whenCommitted_thenAllAreThere(TestEngines engines) {
        for (Durability durability : Durability.values()) {
            Transaction transaction = engine.begin();
            transaction.put(table, bytes(1, durability.ordinal()), bytes(1, 1));
            transaction.commit(durability);
        }
        try (Snapshot snapshot = engine.snapshot()) {
            snapshot.awaitDurable();
        }

        engine = engines.reopen(engine);
        table = engine.table("t");
        assertThat(keys()).hasSize(3);
    }

    @Test
    void givenAnEngine_whenAsked_thenItTellsItsStatusAndItsWaits() {
        put(bytes(1, 1), bytes(1, 1));
        engine.checkpoint();

        assertThat(engine.status())
                .contains("state=OPEN")
                .contains("LOG")
                .contains("BUFFER POOL")
                .contains("main.hfs, 1, read: ")
                .contains("TRANSACTIONS")
                .contains("cleaner: rounds=");
        assertThat(engine.contention().rows())
                .extracting(WaitReport.Row::name)
                .contains("PAGE", "ROW_LOCK", "LOG_DURABILITY");
        VerifyReport report = engine.verify();
        assertThat(report.isSound()).isTrue();
        assertThat(report.tables()).isEqualTo(1);
        assertThat(report.rows()).isEqualTo(1);
        assertThat(report.pages()).isPositive();
    }

    private void put(byte[] key, byte[] value) {
        engine.write(
                transaction -> {
                    transaction.put(table, key, value);
                    return null;
                });
    }

    private byte[] get(byte[] key) {
        return engine.read(snapshot -> snapshot.get(table, key));
    }

    private List<byte[]> keys() {
        return engine.read(
                snapshot -> {
                    List<byte[]> keys = new ArrayList<>();
                    try (Cursor cursor = snapshot.cursor(table, Range.all())) {
                        while (cursor.next()) {
                            keys.add(cursor.key());
                        }
                    }
                    return keys;
                });
    }

    /** Bytes that differ along the array, so that a part in the wrong place shows. */
    private static byte[] bytes(int length, int seed) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (length < 8 ? seed : seed + i * 31 + (i >> 8));
        }
        return bytes;
    }
}
