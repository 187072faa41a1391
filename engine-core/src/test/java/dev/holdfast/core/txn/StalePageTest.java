// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.Cursor;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import dev.holdfast.core.btree.LeafSnapshot;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.io.memory.PageMemory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A tree of pages that are sound each and do not belong together, as a lost write or a mixed up
 * backup leaves it. If this failed, a cursor could walk in circles for ever.
 */
final class StalePageTest {
    private static final int PAGE_BYTES = 4096;
    private static final int ROWS = 400;

    /** More steps than there are rows: whoever takes them walks in circles. */
    private static final int STEPS_MAX = 10 * ROWS;

    private TransactionFixture engine;
    private TableHandle table;

    @BeforeEach
    void putTheFirstLeafOverTheSecond() {
        engine = TransactionFixture.small();
        table = engine.table("t");
        try (Transaction setup = engine.begin()) {
            for (int i = 0; i < ROWS; i++) {
                setup.put(table, ("key-" + (1_000 + i)).getBytes(UTF_8), new byte[100]);
            }
            setup.commit();
        }
        LeafSnapshot leaf = new LeafSnapshot(table.tree());
        leaf.seekFirst();
        int first = leaf.frame();
        assertThat(leaf.nextLeaf()).isZero();
        overwrite(leaf.pageId(), first);
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void givenALeafOfOtherFences_whenACursorWalksOn_thenItIsDamage() {
        try (Snapshot now = engine.snapshot();
                Cursor cursor = now.cursor(table, Range.all())) {
            assertThatThrownBy(
                            () -> {
                                for (int i = 0; i < STEPS_MAX && cursor.next(); i++) {
                                    assertThat(cursor.key()).isNotEmpty();
                                }
                            })
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining("B9")
                    .hasMessageContaining("upperFence=");
        }
    }

    @Test
    void givenALeafOfOtherFences_whenACursorWalksBack_thenItIsDamage() {
        try (Snapshot now = engine.snapshot();
                Cursor cursor = now.cursor(table, Range.all())) {
            assertThat(cursor.last()).isTrue();

            assertThatThrownBy(
                            () -> {
                                for (int i = 0; i < STEPS_MAX && cursor.previous(); i++) {
                                    assertThat(cursor.key()).isNotEmpty();
                                }
                            })
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining("B9");
        }
    }

    private void overwrite(long pageId, int source) {
        BufferPool pool = engine.under.under.pool;
        int frame = pool.fixExclusive(pageId);
        PageMemory.copy(
                pool.chunk(source),
                pool.offset(source),
                pool.chunk(frame),
                pool.offset(frame),
                PAGE_BYTES);
        pool.unfixExclusive(frame);
    }
}
