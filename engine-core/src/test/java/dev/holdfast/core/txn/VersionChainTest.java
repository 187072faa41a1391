// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.Cursor;
import dev.holdfast.EngineFailedException;
import dev.holdfast.Isolation;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import dev.holdfast.WriteConflictException;
import dev.holdfast.core.btree.LeafRecord;
import dev.holdfast.core.btree.ReadPosition;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.buffer.TestThread;
import dev.holdfast.core.undo.RollPointer;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * P4 and P6, step by step: a reader is stopped where a writer could deceive it. If this failed, a
 * reader would see a version that is not its own, follow a pointer to what is somebody else's by
 * then, or never come back.
 */
final class VersionChainTest {
    private TransactionFixture engine = TransactionFixture.withoutFreeing();
    private TableHandle table = engine.table("t");

    @AfterEach
    void close() {
        TestHooks.reset();
        engine.close();
    }

    private void reopen(TransactionFixture other) {
        engine.close();
        engine = other;
        table = engine.table("t");
    }

    @Test
    void givenAReaderInTheChain_whenTheWriterIsRolledBack_thenItReadsAgain() throws Exception {
        commit("k", "old");
        Transaction writer = engine.begin();
        put(writer, "k", "first");
        put(writer, "k", "second");

        TestHooks.Pause validated = TestHooks.pauseAt(VersionChain.VALIDATED);
        TestThread<String> reader = TestThread.start(() -> read("k"));
        validated.awaitReached();
        writer.rollback();
        commit("other", "x".repeat(300));
        commit("k", "newer");
        validated.resume();

        assertThat(reader.result()).isEqualTo("old");
        assertThat(engine.count(Counter.ROW_READ_RESTARTS)).isPositive();
    }

    @Test
    void givenACursorInTheChain_whenTheWriterIsRolledBack_thenItLoadsTheLeafAgain()
            throws Exception {
        commit("a", "1");
        commit("k", "old");
        Transaction writer = engine.begin();
        put(writer, "k", "first");
        TestHooks.Pause validated = TestHooks.pauseAt(VersionChain.VALIDATED);
        TestThread<String> reader =
                TestThread.start(
                        () -> {
                            try (Snapshot now = engine.snapshot();
                                    Cursor cursor = now.cursor(table, Range.all())) {
                                cursor.next();
                                cursor.next();
                                return text(cursor.value());
                            }
                        });
        validated.awaitReached();

        writer.rollback();
        commit("k", "newer");
        validated.resume();

        assertThat(reader.result()).isEqualTo("old");
    }

    @Test
    void givenAWriterSeenInTheRow_whenItIsRolledBackBeforeTheLookup_thenAbsentIsNotBelieved()
            throws Exception {
        commit("k", "old");
        Transaction writer = engine.begin();
        put(writer, "k", "never committed");
        TestHooks.Pause seen = TestHooks.pauseAt(RowReader.WRITER_SEEN);
        TestThread<String> reader = TestThread.start(() -> read("k"));
        seen.awaitReached();

        writer.rollback();
        seen.resume();

        assertThat(reader.result()).isEqualTo("old");
        assertThat(engine.count(Counter.ROW_READ_RESTARTS)).isEqualTo(1);
    }

    @Test
    void givenALeafCopiedForACursor_whenItsWriterIsRolledBack_thenAbsentIsNotBelieved()
            throws Exception {
        commit("k", "old");
        List<String> before = engine.rows(table);
        Transaction writer = engine.begin();
        put(writer, "k", "never committed");
        put(writer, "l", "never committed");
        TestHooks.Pause copied = TestHooks.pauseAt(LeafView.COPIED);
        TestThread<List<String>> reader = TestThread.start(() -> engine.rows(table));
        copied.awaitReached();

        writer.rollback();
        copied.resume();

        assertThat(reader.result()).isEqualTo(before);
    }

    @Test
    void givenADeletionTakenBackAndDoneAgain_whenReadAcrossIt_thenTheValueIsNotTheOneBetween()
            throws Exception {
        commit("k", "old");
        commit("l", "abc");
        Transaction writer = engine.begin();
        put(writer, "k", "between");
        writer.delete(table, bytes("k"));
        TestHooks.Pause validated = TestHooks.pauseAt(VersionChain.VALIDATED);
        TestThread<String> reader = TestThread.start(() -> read("k"));
        validated.awaitReached();

        // Both taken back; then a record of the same length, and a deletion where the first was.
        TransactionHandle handle = (TransactionHandle) writer;
        Workspace workspace = new Workspace(engine.system);
        new Rollback(engine.system, workspace).to(handle.undoLog(), 0);
        put(writer, "l", "lll");
        writer.delete(table, bytes("k"));
        validated.resume();

        assertThat(reader.result()).isEqualTo("old");
    }

    @Test
    void givenATransactionGettingItsNumber_whenRead_thenTheReaderWaitsAndSeesIt() throws Exception {
        commit("k", "old");
        Transaction writer = engine.begin();
        put(writer, "k", "new");
        TestHooks.Pause committing = TestHooks.pauseAt(TransactionSystem.COMMITTING);
        TestThread<Void> commit = TestThread.start(() -> done(writer::commit));
        committing.awaitReached();
        TestThread<String> reader = TestThread.start(() -> read("k"));
        TestThread<String> scan = TestThread.start(() -> String.join(",", engine.rows(table)));
        TestThread<Void> other =
                TestThread.start(
                        () -> {
                            try (Transaction next = engine.begin(Isolation.READ_COMMITTED)) {
                                put(next, "k", "newest");
                                next.commit();
                            }
                            return null;
                        });
        reader.awaitParked();
        scan.awaitParked();
        other.awaitParked();

        committing.resume();

        commit.result();
        // The snapshot was taken before the number: it is not above it.
        assertThat(reader.result()).isEqualTo("old");
        scan.result();
        other.result();
        assertThat(read("k")).isEqualTo("newest");
    }

    @Test
    void givenACommitThatFailsBehindCommitting_whenRead_thenTheReaderIsToldNotKept()
            throws Exception {
        TransactionFixture failing = TransactionFixture.withoutFreeing();
        TableHandle own = failing.table("t");
        Transaction writer = failing.begin();
        writer.put(own, bytes("k"), bytes("new"));
        TestHooks.onReached(
                TransactionSystem.COMMITTING,
                () -> {
                    throw new IllegalStateException("planted");
                });

        assertThatThrownBy(writer::commit).isInstanceOf(EngineFailedException.class);
        assertThatThrownBy(() -> failing.snapshot().get(own, bytes("k")))
                .isInstanceOf(EngineFailedException.class);

        assertThatThrownBy(failing::close).isInstanceOf(AssertionError.class);
    }

    @Test
    void givenAFullTable_whenAnOldSnapshotReads_thenTheUndoLogTellsWhatTheTableForgot() {
        reopen(new TransactionFixture(4096, 256, 8, Duration.ofMillis(200)));
        commit("k", "old");
        Snapshot before = engine.snapshot();
        commit("k", "new");
        Snapshot between = engine.snapshot();
        for (int i = 0; i < 50; i++) {
            commit("x" + i, "filler");
        }

        assertThat(engine.system.table().spilledRanges()).isPositive();
        assertThat(get(before, "k")).isEqualTo("old");
        assertThat(get(before, "x7")).isNull();
        assertThat(get(between, "k")).isEqualTo("new");
        assertThat(TransactionFixture.rows(before, table)).hasSize(1);
        assertThat(TransactionFixture.rows(between, table)).hasSize(1);
        before.close();
        between.close();
        engine.purgeAll();
        assertThat(engine.system.table().spilledRanges()).isZero();
        assertThat(engine.rows(table)).hasSize(51);
    }

    @Test
    void givenAFullTable_whenAnOldTransactionWrites_thenItsConflictIsFoundAllTheSame() {
        reopen(new TransactionFixture(4096, 256, 8, Duration.ofMillis(200)));
        commit("k", "old");
        commit("free", "old");
        try (Transaction late = engine.begin()) {
            commit("k", "new");
            for (int i = 0; i < 50; i++) {
                commit("x" + i, "filler");
            }

            assertThatThrownBy(() -> put(late, "k", "mine"))
                    .isInstanceOf(WriteConflictException.class);
            put(late, "free", "mine");
            late.commit();
        }

        assertThat(read("k")).isEqualTo("new");
        assertThat(read("free")).isEqualTo("mine");
    }

    @Test
    void givenAnUndoRecordThatIsDamaged_whenFollowed_thenItIsNamedAndNotTriedForEver() {
        commit("k", "old");
        Snapshot before = engine.snapshot();
        commit("k", "new");
        long roll = rollOf("k");
        BufferPool pool = engine.under.under.pool;
        int frame = pool.fixExclusive(RollPointer.pageId(roll));
        ByteBuffer chunk = pool.chunk(frame);
        int entry = pool.offset(frame) + RollPointer.offset(roll);
        byte type = PageMemory.getByte(chunk, entry + 2);
        PageMemory.putByte(chunk, entry + 2, (byte) 77);
        pool.unfixExclusive(frame);

        assertThatThrownBy(() -> get(before, "k"))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("undo record is not the row's");
        assertThatThrownBy(() -> TransactionFixture.rows(before, table))
                .isInstanceOf(CorruptionException.class);
        assertThat(read("k")).isEqualTo("new");

        frame = pool.fixExclusive(RollPointer.pageId(roll));
        PageMemory.putByte(pool.chunk(frame), entry + 2, type);
        pool.unfixExclusive(frame);
        before.close();
    }

    private long rollOf(String key) {
        ReadPosition position = new ReadPosition(engine.under.under.pool);
        table.tree().search(bytes(key), key.length(), position);
        return LeafRecord.roll(position.chunk(), position.record());
    }

    @Test
    void givenAReaderInAnEpoch_whenAWriterGivesUndoPagesBack_thenTheyAreNotFree() throws Exception {
        assertThat(undoPagesFreedUnderAReader()).isZero();
    }

    @Test
    void givenTheFaultThatReusesUndoAtOnce_whenAReaderIsInAnEpoch_thenTheyAreFree()
            throws Exception {
        TestHooks.plant(PlantedFault.UNDO_REUSED_AT_ONCE);

        assertThat(undoPagesFreedUnderAReader()).isPositive();
    }

    /** Pages of undo that are free again while a reader is about to read in one of them. */
    private long undoPagesFreedUnderAReader() throws Exception {
        commit("k", "old");
        Transaction writer = engine.begin();
        for (int i = 0; i < 60; i++) {
            put(writer, "k", i + "x".repeat(900));
        }
        TestHooks.Pause validated = TestHooks.pauseAt(VersionChain.VALIDATED);
        TestThread<String> reader = TestThread.start(() -> read("k"));
        validated.awaitReached();
        long before = engine.count(Counter.SPACE_PAGES_FREED);

        writer.rollback();
        engine.freeCondemned();
        long freed = engine.count(Counter.SPACE_PAGES_FREED) - before;
        validated.resume();

        assertThat(engine.count(Counter.SPACE_PAGES_CONDEMNED)).isGreaterThan(10);
        assertThat(reader.result()).isEqualTo("old");
        engine.freeCondemned();
        assertThat(engine.count(Counter.SPACE_PAGES_FREED) - before).isGreaterThan(10);
        return freed;
    }

    @Test
    void givenAComparisonWithALongValue_whenItsPagesAreGivenBack_thenItStillReadsThem()
            throws Exception {
        assertThat(updatedWhileItsChainGoes()).isFalse();
    }

    @Test
    void givenTheFaultThatReusesPagesAtOnce_whenALongValueIsCompared_thenAnothersPagesAreRead() {
        TestHooks.plant(PlantedFault.FREED_PAGE_REUSED_AT_ONCE);

        assertThatThrownBy(this::updatedWhileItsChainGoes).isInstanceOf(CorruptionException.class);
    }

    /** P6 without a snapshot: under READ_COMMITTED a writer keeps no version. */
    private boolean updatedWhileItsChainGoes() throws Exception {
        String longValue = "v".repeat(10_000);
        commit("k", longValue);
        Transaction writer = engine.begin(Isolation.READ_COMMITTED);
        TestHooks.Pause seen = TestHooks.pauseAt(RowWriter.CHAIN_SEEN);
        TestThread<Boolean> update =
                TestThread.start(
                        () -> writer.update(table, bytes("k"), bytes(longValue), bytes("updated")));
        seen.awaitReached();

        commit("k", "short");
        engine.purgeAll();
        engine.freeCondemned();
        commit("other", "w".repeat(17_000));
        seen.resume();

        try {
            return update.result();
        } finally {
            writer.rollback();
        }
    }

    private static Void done(Runnable work) {
        work.run();
        return null;
    }

    private void commit(String key, String value) {
        try (Transaction one = engine.begin(Isolation.READ_COMMITTED)) {
            put(one, key, value);
            one.commit();
        }
    }

    private void put(Transaction transaction, String key, String value) {
        transaction.put(table, bytes(key), bytes(value));
    }

    private String read(String key) {
        try (Snapshot now = engine.snapshot()) {
            return get(now, key);
        }
    }

    private String get(Snapshot view, String key) {
        byte[] value = view.get(table, bytes(key));
        return value == null ? null : text(value);
    }

    private static String text(byte[] value) {
        return new String(value, UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
