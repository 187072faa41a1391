// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.mtr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.EngineFailedException;
import dev.holdfast.core.buffer.Checkpointer;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** If this failed, recovery would begin behind a change that is on no disk (P11). */
final class CheckpointTest {
    private static final long PAGE = PageId.of(1, 70);
    private static final int AT = PageHeader.BODY_OFFSET;

    private final MemoryPageStore store = new MemoryPageStore();
    private final MtrFixture fixture = new MtrFixture(4096, 64, store);
    private final MiniTransaction mtr = fixture.mtr();

    @BeforeEach
    void createPage() {
        fixture.stopAgents();
        mtr.begin(200, 1, false);
        mtr.fixNew(PAGE, 16, PageType.LEAF);
        mtr.commit();
    }

    @AfterEach
    void close() {
        TestHooks.reset();
        if (fixture.health.failed()) {
            // It is closed all the same, or its IO thread would sleep for ever.
            assertThatThrownBy(fixture::close).isInstanceOf(AssertionError.class);
        } else {
            fixture.close();
        }
    }

    @Test
    void givenADirtyPage_whenCheckpointed_thenItsFirstChangeIsKept() {
        long firstChange = fixture.pool.oldestRecoveryLsn(Long.MAX_VALUE);
        change(1);
        change(2);

        long checkpoint = fixture.checkpointer.checkpoint(false);

        assertThat(checkpoint).isEqualTo(firstChange);
        assertThat(fixture.log.space().checkpointLsn()).isEqualTo(firstChange);
    }

    @Test
    void givenADirtyPage_whenCheckpointedSharply_thenTheWholeLogIsLeftBehind() {
        change(1);

        long checkpoint = fixture.checkpointer.checkpoint(true);

        assertThat(checkpoint).isEqualTo(fixture.log.closedLsn());
        assertThat(fixture.pool.dirtyCount()).isZero();
        assertThat(store.durablePage(PAGE)).isNotNull();
        assertThat(fixture.log.durableLsn()).isGreaterThanOrEqualTo(checkpoint);
    }

    @Test
    void givenAGroupReservedButNotMarked_whenCheckpointed_thenItIsNotPassed() throws Exception {
        fixture.checkpointer.checkpoint(true);
        long before = fixture.log.appendLsn();
        TestHooks.Pause reserved = TestHooks.pauseAt(MiniTransaction.RESERVED);
        CompletableFuture<Void> writer = CompletableFuture.runAsync(() -> change(3));
        reserved.awaitReached();

        long checkpoint = fixture.checkpointer.checkpoint(false);
        reserved.resume();
        writer.get(30, TimeUnit.SECONDS);

        assertThat(checkpoint).isLessThanOrEqualTo(before);
        assertThat(fixture.pool.oldestRecoveryLsn(Long.MAX_VALUE))
                .isGreaterThanOrEqualTo(checkpoint);
    }

    @Test
    void givenAGroupThatComesBetweenClosedLsnAndScan_whenCheckpointed_thenItIsNotPassed() {
        fixture.checkpointer.checkpoint(true);
        long before = fixture.log.appendLsn();
        TestHooks.onReached(
                Checkpointer.CANDIDATE_FOUND,
                () -> {
                    TestHooks.reset();
                    CompletableFuture.runAsync(() -> change(4)).join();
                });

        long checkpoint = fixture.checkpointer.checkpoint(false);

        assertThat(checkpoint).isLessThanOrEqualTo(before);
        assertThat(fixture.pool.oldestRecoveryLsn(Long.MAX_VALUE))
                .isGreaterThanOrEqualTo(checkpoint);
    }

    @Test
    void givenADataSyncThatFails_whenCheckpointedSharply_thenNothingIsRecorded() {
        change(1);
        long recorded = fixture.log.space().checkpointLsn();
        store.syncsToFail.set(1);

        assertThatThrownBy(() -> fixture.checkpointer.checkpoint(true))
                .isInstanceOf(EngineFailedException.class)
                .hasRootCauseInstanceOf(IOException.class);

        assertThat(fixture.log.space().checkpointLsn()).isEqualTo(recorded);
    }

    private void change(long value) {
        MiniTransaction writer = fixture.mtr();
        writer.begin(200, 0, false);
        writer.patchLong(writer.fixExclusive(PAGE), AT, value);
        writer.commit();
    }
}
