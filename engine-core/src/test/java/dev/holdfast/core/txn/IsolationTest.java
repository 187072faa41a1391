// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Cursor;
import dev.holdfast.DuplicateKeyException;
import dev.holdfast.Isolation;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import dev.holdfast.WriteConflictException;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Written-out schedules of two or three transactions, one for each anomaly. If this failed, a
 * transaction would see what it may not see, or two would undo each other's work.
 */
final class IsolationTest {
    private TransactionFixture engine;
    private TableHandle table;

    @BeforeEach
    void openWithTwoRows() {
        engine = TransactionFixture.small();
        table = engine.table("t");
        try (Transaction setup = engine.begin()) {
            put(setup, "x", "10");
            put(setup, "y", "20");
            setup.commit();
        }
    }

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void givenTwoWritersOfTwoRows_whenOneWaits_thenTheirWritesDoNotMix(Isolation isolation) {
        // G0, dirty write
        try (Transaction one = engine.begin(isolation);
                Transaction two = engine.begin(isolation)) {
            put(one, "x", "11");

            assertThatThrownBy(() -> put(two, "x", "12")).isInstanceOf(LockTimeoutException.class);
            put(one, "y", "21");
            one.commit();
            two.rollback();
        }

        assertThat(rows()).containsExactly("x=11", "y=21");
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void givenAWriteThatIsRolledBack_whenRead_thenItWasNeverSeen(Isolation isolation) {
        // G1a, aborted read
        try (Transaction one = engine.begin(isolation);
                Transaction two = engine.begin(isolation)) {
            put(one, "x", "101");

            assertThat(get(two, "x")).isEqualTo("10");
            one.rollback();
            assertThat(get(two, "x")).isEqualTo("10");
        }
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void givenTwoWritesOfOneTransaction_whenRead_thenTheFirstIsNeverSeen(Isolation isolation) {
        // G1b, intermediate read
        try (Transaction one = engine.begin(isolation);
                Transaction two = engine.begin(isolation)) {
            put(one, "x", "101");
            assertThat(get(two, "x")).isEqualTo("10");
            put(one, "x", "11");
            one.commit();

            assertThat(get(two, "x"))
                    .isEqualTo(isolation == Isolation.READ_COMMITTED ? "11" : "10");
        }
    }

    @ParameterizedTest
    @EnumSource(Isolation.class)
    void givenTwoThatReadEachOthersRow_whenBothWrite_thenNeitherSawTheOther(Isolation isolation) {
        // G1c, circular information flow
        try (Transaction one = engine.begin(isolation);
                Transaction two = engine.begin(isolation)) {
            put(one, "x", "11");
            put(two, "y", "22");

            assertThat(get(one, "y")).isEqualTo("20");
            assertThat(get(two, "x")).isEqualTo("10");
            one.commit();
            two.commit();
        }
    }

    @Test
    void givenASnapshot_whenAnotherCommitsBetweenItsReads_thenItSeesOneState() {
        // G-single, read skew
        try (Transaction one = engine.begin(Isolation.SNAPSHOT);
                Transaction two = engine.begin(Isolation.SNAPSHOT)) {
            assertThat(get(one, "x")).isEqualTo("10");
            put(two, "x", "12");
            put(two, "y", "18");
            two.commit();

            assertThat(get(one, "y")).isEqualTo("20");
        }
    }

    @Test
    void givenReadCommitted_whenAnotherCommitsBetweenItsReads_thenTheSecondReadSeesIt() {
        try (Transaction one = engine.begin(Isolation.READ_COMMITTED);
                Transaction two = engine.begin(Isolation.SNAPSHOT)) {
            assertThat(get(one, "x")).isEqualTo("10");
            put(two, "y", "18");
            two.commit();

            assertThat(get(one, "y")).isEqualTo("18");
        }
    }

    @Test
    void givenTwoSnapshotsThatReadARow_whenBothWriteIt_thenTheSecondIsRefused() {
        // P4, lost update
        try (Transaction one = engine.begin(Isolation.SNAPSHOT);
                Transaction two = engine.begin(Isolation.SNAPSHOT)) {
            assertThat(get(one, "x")).isEqualTo(get(two, "x"));
            put(one, "x", "11");
            one.commit();

            assertThatThrownBy(() -> put(two, "x", "12"))
                    .isInstanceOf(WriteConflictException.class);
        }

        assertThat(rows()).containsExactly("x=11", "y=20");
    }

    @Test
    void givenTheFaultThatSkipsTheConflictCheck_whenBothWrite_thenAnUpdateIsLost() {
        TestHooks.plant(PlantedFault.CONFLICT_CHECK_SKIPPED);
        try (Transaction one = engine.begin(Isolation.SNAPSHOT);
                Transaction two = engine.begin(Isolation.SNAPSHOT)) {
            put(one, "x", "11");
            one.commit();

            put(two, "x", "12");
            two.commit();
        } finally {
            TestHooks.reset();
        }

        assertThat(rows()).containsExactly("x=12", "y=20");
    }

    @Test
    void givenReadCommitted_whenTheRowWasCommittedMeanwhile_thenTheWriteIsOnTopOfIt() {
        try (Transaction one = engine.begin(Isolation.READ_COMMITTED);
                Transaction two = engine.begin(Isolation.READ_COMMITTED)) {
            assertThat(get(two, "x")).isEqualTo("10");
            put(one, "x", "11");
            one.commit();

            assertThat(two.update(table, bytes("x"), bytes("10"), bytes("12"))).isFalse();
            assertThat(two.update(table, bytes("x"), bytes("11"), bytes("12"))).isTrue();
            two.commit();
        }

        assertThat(rows()).containsExactly("x=12", "y=20");
    }

    @Test
    void givenASnapshot_whenRowsComeAndGo_thenItsScanDoesNotChange() {
        // predicate-many-preceders: phantoms
        try (Snapshot before = engine.snapshot();
                Transaction two = engine.begin()) {
            put(two, "z", "30");
            two.delete(table, bytes("x"));
            put(two, "y", "21");
            two.commit();

            assertThat(rows(before)).containsExactly("x=10", "y=20");
            assertThat(rows()).containsExactly("y=21", "z=30");
        }
    }

    @Test
    void givenItsOwnChanges_whenItReads_thenItSeesThem() {
        try (Transaction one = engine.begin()) {
            put(one, "x", "11");
            one.delete(table, bytes("y"));
            put(one, "z", "30");

            assertThat(rows(one)).containsExactly("x=11", "z=30");
            assertThat(get(one, "y")).isNull();
        }

        assertThat(rows()).containsExactly("x=10", "y=20");
    }

    @Test
    void givenADeletedRow_whenInsertedAgain_thenItIsNoDuplicate() {
        try (Transaction one = engine.begin()) {
            assertThatThrownBy(() -> one.insert(table, bytes("x"), bytes("1")))
                    .isInstanceOf(DuplicateKeyException.class);
            assertThat(one.delete(table, bytes("x"))).isTrue();
            assertThat(one.delete(table, bytes("x"))).isFalse();
            one.insert(table, bytes("x"), bytes("1"));
            one.commit();
        }

        assertThat(rows()).containsExactly("x=1", "y=20");
    }

    @Test
    void givenAChainOfVersions_whenSnapshotsOfEachReadIt_thenEachSeesItsOwn() {
        List<Snapshot> snapshots = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            try (Transaction one = engine.begin()) {
                put(one, "x", "v" + i);
                if (i % 5 == 4) {
                    one.delete(table, bytes("x"));
                }
                one.commit();
            }
            snapshots.add(engine.snapshot());
            engine.purgeAll();
        }

        for (int i = 0; i < 20; i++) {
            assertThat(get(snapshots.get(i), "x")).isEqualTo(i % 5 == 4 ? null : "v" + i);
        }
        snapshots.forEach(Snapshot::close);
    }

    private void put(Transaction transaction, String key, String value) {
        transaction.put(table, bytes(key), bytes(value));
    }

    private String get(Snapshot view, String key) {
        byte[] value = view.get(table, bytes(key));
        return value == null ? null : new String(value, UTF_8);
    }

    private List<String> rows() {
        try (Snapshot now = engine.snapshot()) {
            return rows(now);
        }
    }

    private List<String> rows(Snapshot view) {
        List<String> rows = new ArrayList<>();
        try (Cursor cursor = view.cursor(table, Range.all())) {
            while (cursor.next()) {
                rows.add(new String(cursor.key(), UTF_8) + "=" + new String(cursor.value(), UTF_8));
            }
        }
        return rows;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
