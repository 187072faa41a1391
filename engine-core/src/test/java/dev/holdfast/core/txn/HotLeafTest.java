// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Cursor;
import dev.holdfast.Isolation;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.undo.RollPointer;
import dev.holdfast.core.undo.UndoReader;
import dev.holdfast.core.undo.UndoVersion;
import dev.holdfast.sync.HeldLatches;
import dev.holdfast.sync.TestHooks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A leaf that is changed at every moment at which somebody could change it. If this failed, a
 * reader of it would begin again for as long as the writers go on.
 */
final class HotLeafTest {
    /** Of the transaction table: old writers lose their cells. */
    private static final int CELLS = 8;

    private static final int WRITES_MAX = 200;

    /** Fewer, and the reader did not have to begin again until it got the latch. */
    private static final int RESTARTS_MIN = 5;

    private final TransactionFixture engine =
            new TransactionFixture(4096, 64, CELLS, Duration.ofSeconds(2));
    private final TableHandle table = engine.table("t");
    private int writes;

    @BeforeEach
    void fillWithRowsWhoseWriterIsForgotten() {
        for (String key : List.of("a", "b", "c")) {
            commit(key, "old");
        }
        for (int i = 0; i < 3 * CELLS; i++) {
            commit("hot", Integer.toString(i));
        }
        engine.purgeAll();
    }

    @AfterEach
    void close() {
        TestHooks.reset();
        engine.close();
    }

    @Test
    void givenAWriterThatNeverPauses_whenALeafIsCopied_thenItIsDecidedInTheEnd() {
        TestHooks.onReached(LeafView.COPIED, this::writeIfNobodyHolds);

        List<String> keys = keys();

        assertThat(keys).containsExactly("a", "b", "c", "hot");
        assertThat(writes).isGreaterThan(LeafView.FAILURES_MAX);
    }

    @Test
    void givenAWriterThatNeverPauses_whenAVersionIsBehindACommittedOne_thenItIsFoundInTheEnd() {
        try (Snapshot before = engine.snapshot()) {
            commit("b", "new");
            TestHooks.onReached(VersionChain.VALIDATED, this::writeIfNobodyHolds);

            assertThat(get(before, "b")).isEqualTo("old");
        }

        assertThat(writes).isGreaterThan(RESTARTS_MIN);
    }

    @Test
    void givenAWriterThatNeverPauses_whenTheTableForgotTheNewerOne_thenTheOldIsFoundInTheEnd() {
        try (Snapshot before = engine.snapshot()) {
            commit("b", "new");
            for (int i = 0; i < 3 * CELLS; i++) {
                commit("hot", Integer.toString(i));
            }
            assertThat(engine.system.table().spilledRanges()).isPositive();
            TestHooks.onReached(VersionChain.VALIDATED, this::writeIfNobodyHolds);

            assertThat(get(before, "b")).isEqualTo("old");
        }

        assertThat(writes).isPositive();
    }

    @Test
    void givenAWriterThatNeverPauses_whenAVersionIsBehindADeletionUnderWay_thenItIsFound() {
        try (Transaction deleting = engine.begin()) {
            deleting.put(table, bytes("b"), bytes("between"));
            deleting.delete(table, bytes("b"));
            TestHooks.onReached(VersionChain.VALIDATED, this::writeIfNobodyHolds);

            try (Snapshot before = engine.snapshot()) {
                assertThat(get(before, "b")).isEqualTo("old");
            }
        }

        assertThat(writes).isGreaterThan(RESTARTS_MIN);
    }

    @Test
    void givenAWriterThatNeverPauses_whenACursorNeedsOlderVersions_thenTheyAreFoundInTheEnd() {
        try (Snapshot before = engine.snapshot()) {
            commit("b", "new");
            commit("c", "new");
            TestHooks.onReached(VersionChain.VALIDATED, this::writeIfNobodyHolds);

            List<String> rows = TransactionFixture.rows(before, table);

            assertThat(rows).hasSize(4).contains(row("a", "old"), row("b", "old"), row("c", "old"));
        }
        assertThat(writes).isGreaterThan(RESTARTS_MIN);
    }

    @Test
    void givenUndoThatIsNotInThePool_whenReadUnderTheLatch_thenItIsNotLoaded() {
        Space space = engine.undoSpaces().get(0);
        long unused = PageId.of(space.spaceId(), (int) space.pageCount() - 1);
        assertThat(engine.under.under.pool.find(unused)).isNegative();

        UndoReader.Found found =
                new UndoReader(engine.undo)
                        .read(
                                RollPointer.of(unused, 96),
                                table.tree().treeId(),
                                bytes("b"),
                                1,
                                1,
                                new UndoVersion(),
                                false);

        assertThat(found).isEqualTo(UndoReader.Found.NOT_RESIDENT);
    }

    /** What a writer in another thread would do: wait if the leaf is held, else change it. */
    private void writeIfNobodyHolds() {
        if (HeldLatches.holdsNone()) {
            writes++;
            assertThat(writes).as("restarts").isLessThan(WRITES_MAX);
            commit("hot", "w" + writes);
        }
    }

    private List<String> keys() {
        try (Snapshot now = engine.snapshot();
                Cursor cursor = now.cursor(table, Range.all())) {
            List<String> keys = new ArrayList<>();
            while (cursor.next()) {
                keys.add(text(cursor.key()));
            }
            return keys;
        }
    }

    private static String row(String key, String value) {
        return hex(key) + "=" + hex(value);
    }

    private static String hex(String text) {
        return HexFormat.of().formatHex(bytes(text));
    }

    private void commit(String key, String value) {
        try (Transaction one = engine.begin(Isolation.READ_COMMITTED)) {
            one.put(table, bytes(key), bytes(value));
            one.commit();
        }
    }

    private String get(Snapshot view, String key) {
        return text(view.get(table, bytes(key)));
    }

    private static String text(byte[] value) {
        return new String(value, UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
