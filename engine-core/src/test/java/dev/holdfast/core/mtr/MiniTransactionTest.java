// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.mtr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.EngineFailedException;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.sync.TestHooks;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** If this failed, a group would not be atomic, or its order of marks, LSNs and latches wrong. */
final class MiniTransactionTest {
    private static final long PAGE = PageId.of(1, 70);
    private static final int AT = PageHeader.BODY_OFFSET;

    private final MtrFixture fixture = new MtrFixture(4096, 64);
    private final MiniTransaction mtr = fixture.mtr();
    private boolean failureExpected;

    @AfterEach
    void close() {
        TestHooks.reset();
        if (failureExpected) {
            assertThatThrownBy(fixture::close).isInstanceOf(AssertionError.class);
        } else {
            fixture.close();
        }
    }

    @Test
    void givenANewPage_whenCommitted_thenItBearsTheEndLsnAndIsDirtyFromTheStart() {
        fixture.stopAgents();
        long start = fixture.log.appendLsn();
        mtr.begin(200, 1, false);
        int frame = mtr.fixNew(PAGE, 16, PageType.LEAF);
        mtr.patchLong(frame, AT, 77);

        long end = mtr.commit();

        assertThat(end).isEqualTo(fixture.log.appendLsn()).isGreaterThan(start);
        assertThat(PageHeader.pageLsn(mtr.chunk(frame), mtr.offset(frame))).isEqualTo(end);
        assertThat(fixture.pool.oldestRecoveryLsn(Long.MAX_VALUE)).isEqualTo(start);
        assertThat(fixture.log.closedLsn()).isEqualTo(end);
    }

    @Test
    void givenAGroup_whenItIsCopiedAndNotYetPublished_thenItsFramesBearBothLsns() {
        fixture.stopAgents();
        int frame = createPage();
        fixture.checkpointer.checkpoint(true);
        long start = fixture.log.appendLsn();
        List<Long> seen = new ArrayList<>();
        TestHooks.onReached(
                "redo.copied",
                () -> {
                    seen.add(fixture.log.closedLsn());
                    seen.add(fixture.pool.oldestRecoveryLsn(Long.MAX_VALUE));
                    seen.add(PageHeader.pageLsn(mtr.chunk(frame), mtr.offset(frame)));
                });
        mtr.begin(200, 0, false);
        mtr.patchLong(mtr.fixExclusive(PAGE), AT, 5);

        long end = mtr.commit();

        assertThat(seen).hasSize(3);
        assertThat(seen.get(0)).isLessThanOrEqualTo(start);
        assertThat(seen.get(1)).isEqualTo(start);
        assertThat(seen.get(2)).isEqualTo(end);
    }

    @Test
    void givenNoChange_whenCommitted_thenNothingIsLogged() {
        long before = fixture.log.appendLsn();
        mtr.begin(200, 1, false);

        long end = mtr.commit();

        assertThat(end).isZero();
        assertThat(fixture.log.appendLsn()).isEqualTo(before);
        assertThat(mtr.active()).isFalse();
    }

    @Test
    void givenAStamp_whenCommitted_thenThePageHoldsTheEndLsn() {
        int frame = createPage();
        mtr.begin(200, 0, false);
        assertThat(mtr.fixExclusive(PAGE)).isEqualTo(frame);
        mtr.stampEndLsn(frame, AT + 8);

        long end = mtr.commit();

        assertThat(PageMemory.getLong(mtr.chunk(frame), mtr.offset(frame) + AT + 8)).isEqualTo(end);
    }

    @Test
    void givenAListener_whenCommitted_thenItHearsAfterThePublication() {
        createPage();
        List<Long> closedAtCall = new ArrayList<>();
        mtr.begin(200, 0, false);
        mtr.freed(mtr.fixExclusive(PAGE));
        mtr.onCommit(page -> closedAtCall.add(fixture.log.closedLsn()), PAGE);

        long end = mtr.commit();

        assertThat(closedAtCall).containsExactly(end);
    }

    @Test
    void givenNothingChanged_whenSomethingIsThrown_thenTheEngineGoesOn() {
        createPage();
        IllegalArgumentException thrown = new IllegalArgumentException("key");
        mtr.begin(200, 0, false);
        mtr.fixExclusive(PAGE);

        RuntimeException passedOn = mtr.failed(thrown);

        assertThat(passedOn).isSameAs(thrown);
        assertThat(fixture.health.failed()).isFalse();
        mtr.begin(200, 0, false);
        mtr.fixExclusive(PAGE);
        mtr.abandon();
    }

    @Test
    void givenAChangedPage_whenSomethingIsThrown_thenTheEngineFailsBeforeTheLatchIsFree() {
        failureExpected = true;
        createPage();
        mtr.begin(200, 0, false);
        int frame = mtr.fixExclusive(PAGE);
        mtr.patchInt(frame, AT, 1);
        List<Boolean> latchedAtFailure = new ArrayList<>();
        fixture.health.onFailure(
                () ->
                        latchedAtFailure.add(
                                fixture.pool.tryFixExclusive(PAGE, fixture.pool.tally()) < 0));

        RuntimeException passedOn = mtr.failed(new StackOverflowError("planned"));

        assertThat(passedOn).isInstanceOf(EngineFailedException.class);
        assertThat(fixture.health.failed()).isTrue();
        assertThat(latchedAtFailure).containsExactly(true);
        assertThatThrownBy(() -> mtr.begin(200, 0, false))
                .isInstanceOf(EngineFailedException.class);
    }

    @Test
    void givenMorePagesThanFrames_whenAllAreReadAgain_thenNoneIsLost() {
        int pages = 1000;
        for (int i = 0; i < pages; i++) {
            mtr.begin(200, 1, false);
            int frame = mtr.fixNew(PageId.of(1, 2000 + i), 16, PageType.LEAF);
            mtr.patchLong(frame, AT, i * 31L);
            mtr.commit();
        }

        List<Long> values = new ArrayList<>();
        for (int i = 0; i < pages; i++) {
            int frame = fixture.pool.fixShared(PageId.of(1, 2000 + i));
            values.add(
                    PageMemory.getLong(fixture.pool.chunk(frame), fixture.pool.offset(frame) + AT));
            fixture.pool.unfixShared(frame);
        }

        assertThat(values).hasSize(pages);
        for (int i = 0; i < pages; i++) {
            assertThat(values.get(i)).isEqualTo(i * 31L);
        }
    }

    private int createPage() {
        mtr.begin(200, 1, false);
        int frame = mtr.fixNew(PAGE, 16, PageType.LEAF);
        mtr.commit();
        return frame;
    }
}
