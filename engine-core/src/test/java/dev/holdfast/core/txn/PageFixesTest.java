// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Cursor;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import dev.holdfast.core.watch.Counter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Fixed pages are counted, each level one. If this failed, the hit ratio would be invented. */
final class PageFixesTest {
    private static final int ROWS = 400;

    /** A root and its leaves: 400 rows of a hundred bytes on pages of 4 KiB. */
    private static final int LEVELS = 2;

    private TransactionFixture engine;
    private TableHandle table;

    @BeforeEach
    void openWithRows() {
        engine = TransactionFixture.small();
        table = engine.table("t");
        try (Transaction setup = engine.begin()) {
            for (int i = 0; i < ROWS; i++) {
                setup.put(table, key(i), new byte[100]);
            }
            setup.commit();
        }
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void givenARowInThePool_whenItIsRead_thenEachLevelIsAFixAndNoneMissed() {
        try (Snapshot now = engine.snapshot()) {
            long fixes = engine.count(Counter.PAGE_FIXES);
            long missed = engine.count(Counter.PAGE_FIXES_MISSED);

            for (int i = 0; i < 50; i++) {
                assertThat(now.get(table, key(i))).hasSize(100);
            }

            assertThat(engine.count(Counter.PAGE_FIXES) - fixes).isEqualTo(50 * LEVELS);
            assertThat(engine.count(Counter.PAGE_FIXES_MISSED)).isEqualTo(missed);
        }
    }

    @Test
    void givenACursor_whenItWalks_thenItsDescentsAreCounted() {
        try (Snapshot now = engine.snapshot()) {
            long fixes = engine.count(Counter.PAGE_FIXES);
            long leaves = engine.count(Counter.CURSOR_LEAVES);

            walk(now);

            long walked = engine.count(Counter.CURSOR_LEAVES) - leaves;
            assertThat(walked).isGreaterThan(5);
            assertThat(engine.count(Counter.PAGE_FIXES) - fixes).isEqualTo(walked * LEVELS);
        }
    }

    @Test
    void givenMoreSnapshotsThanAreKept_whenTheyHaveEnded_thenTheirFixesAreStillCounted() {
        long fixes = engine.count(Counter.PAGE_FIXES);
        List<Snapshot> open = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            open.add(engine.snapshot());
            open.get(i).get(table, key(i));
        }

        open.forEach(Snapshot::close);

        assertThat(engine.count(Counter.PAGE_FIXES) - fixes).isEqualTo(200 * LEVELS);
    }

    @Test
    void givenAWrite_whenItIsDone_thenItsLatchedPagesAreCountedToo() {
        try (Transaction writer = engine.begin()) {
            writer.put(table, key(7), new byte[100]);
            long fixes = engine.count(Counter.PAGE_FIXES);

            writer.put(table, key(7), new byte[100]);

            // The way down, and the undo page.
            assertThat(engine.count(Counter.PAGE_FIXES) - fixes).isBetween(LEVELS + 1L, 8L);
        }
    }

    private void walk(Snapshot now) {
        try (Cursor cursor = now.cursor(table, Range.all())) {
            int count = 0;
            while (cursor.next()) {
                count++;
            }
            assertThat(count).isEqualTo(ROWS);
        }
    }

    private static byte[] key(int row) {
        return ("key-" + (1_000 + row)).getBytes(UTF_8);
    }
}
