// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.EngineFailedException;
import dev.holdfast.core.dblwr.DoublewriteEntry;
import dev.holdfast.core.dblwr.DoublewriteRecovery;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.RoomWait;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** If this failed, a page could reach the disk before its log, or be called clean too early. */
final class PageFlusherTest {
    private static final long PAGE = PageId.of(16, 5);
    private static final long OTHER = PageId.of(17, 6);

    private final PoolFixture fixture = new PoolFixture(64);
    private final BufferPool pool = fixture.pool;

    @AfterEach
    void close() {
        TestHooks.reset();
        fixture.close();
    }

    @Test
    void givenDirtyPages_whenFlushed_thenTheyAreOnDiskSyncedAndClean() {
        fixture.putOnDisk(PAGE, 1);
        fixture.putOnDisk(OTHER, 1);
        fixture.change(PAGE, 2);
        fixture.change(OTHER, 3);

        int written = fixture.flushAll();

        assertThat(written).isEqualTo(2);
        assertThat(pool.dirtyCount()).isZero();
        assertThat(durableValue(PAGE)).isEqualTo(2);
        assertThat(durableValue(OTHER)).isEqualTo(3);
        assertThat(fixture.store.syncs.get()).isEqualTo(2);
        assertThat(pool.checkInvariants()).isEmpty();
    }

    @Test
    void givenADirtyPage_whenItReachesItsFile_thenTheLogIsDurableThroughItsLsn() {
        fixture.putOnDisk(PAGE, 1);
        fixture.change(PAGE, 2);
        long[] durableAtWrite = new long[1];
        TestHooks.onReached(
                PageFlusher.DOUBLEWRITTEN, () -> durableAtWrite[0] = fixture.log.durable.get());

        fixture.flushAll();

        assertThat(durableAtWrite[0]).isGreaterThanOrEqualTo(pageLsnOnDisk());
    }

    @Test
    void givenTheFaultThatLeavesOutWriteAhead_whenFlushed_thenTheRuleIsSeenBroken() {
        TestHooks.plant(PlantedFault.NO_WRITE_AHEAD);
        fixture.putOnDisk(PAGE, 1);
        fixture.change(PAGE, 2);

        fixture.flushAll();

        assertThat(fixture.log.durable.get()).isLessThan(pageLsnOnDisk());
    }

    @Test
    void givenAChangeDuringTheWrite_whenTheWriteEnds_thenThePageIsDirtyFromThatChangeOn()
            throws Exception {
        fixture.putOnDisk(PAGE, 1);
        fixture.change(PAGE, 2);
        TestHooks.Pause copied = TestHooks.pauseAt(PageFlusher.COPIED);
        TestThread<Integer> flusher = TestThread.start(fixture::flushAll);
        copied.awaitReached();
        long laterStart = fixture.log.appendLsn();
        fixture.change(PAGE, 3);
        fixture.change(PAGE, 4);

        copied.resume();

        assertThat(flusher.result()).isEqualTo(1);
        assertThat(durableValue(PAGE)).isEqualTo(2);
        assertThat(pool.oldestRecoveryLsn(Long.MAX_VALUE)).isEqualTo(laterStart);
        assertThat(fixture.flushAll()).isEqualTo(1);
        assertThat(durableValue(PAGE)).isEqualTo(4);
        assertThat(pool.checkInvariants()).isEmpty();
    }

    @Test
    void givenAPageWriteThatFailsTwice_whenFlushed_thenTheThirdTryWritesIt() {
        fixture.putOnDisk(PAGE, 1);
        fixture.change(PAGE, 2);
        fixture.store.writesToFail.set(2);

        int written = fixture.flushAll();

        assertThat(written).isEqualTo(1);
        assertThat(fixture.counters.sum(Counter.PAGE_WRITE_FAILURES)).isEqualTo(2);
        assertThat(fixture.health.failed()).isFalse();
        assertThat(durableValue(PAGE)).isEqualTo(2);
    }

    @Test
    void givenAnotherThatWaitsForRoom_whenAPageIsWritten_thenTheDiskIsFullStill() {
        fixture.putOnDisk(PAGE, 1);
        fixture.change(PAGE, 2);
        RoomWait other = fixture.health.roomWait();
        other.refused(new IOException("No space left on device"));

        int written = fixture.flushAll();

        assertThat(written).isEqualTo(1);
        assertThat(fixture.health.outOfRoom()).isNotNull();
        other.over();
        assertThat(fixture.health.outOfRoom()).isNull();
    }

    @Test
    void givenPagesThatAreNoNeighbours_whenFlushed_thenTheirWritesAreAtTheDeviceTogether() {
        fixture.putOnDisk(PAGE, 1);
        fixture.putOnDisk(OTHER, 1);
        fixture.change(PAGE, 2);
        fixture.change(OTHER, 3);
        CyclicBarrier bothAreThere = new CyclicBarrier(2);
        fixture.store.beforeWrite =
                () -> {
                    try {
                        bothAreThere.await(20, TimeUnit.SECONDS);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                };

        int written = fixture.flushAll();

        assertThat(written).isEqualTo(2);
        assertThat(durableValue(PAGE)).isEqualTo(2);
        assertThat(durableValue(OTHER)).isEqualTo(3);
    }

    @Test
    void givenOneOfTwoWritesThatFails_whenTriedAgain_thenTheOtherIsNotMadeTwice() {
        fixture.putOnDisk(PAGE, 1);
        fixture.putOnDisk(OTHER, 1);
        fixture.change(PAGE, 2);
        fixture.change(OTHER, 3);
        fixture.store.writesToFail.set(1);

        fixture.flushAll();

        assertThat(fixture.store.writes.get()).isEqualTo(3);
        assertThat(fixture.store.syncs.get()).isEqualTo(2);
        assertThat(durableValue(PAGE)).isEqualTo(2);
        assertThat(durableValue(OTHER)).isEqualTo(3);
        assertThat(fixture.health.failed()).isFalse();
    }

    @Test
    void givenASpaceThatIsDroppedWhileItIsWritten_whenTheWriteFails_thenTheEngineGoesOn() {
        fixture.putOnDisk(PAGE, 1);
        fixture.putOnDisk(OTHER, 1);
        fixture.change(PAGE, 2);
        fixture.change(OTHER, 3);
        fixture.store.writesToFail.set(2);
        fixture.store.beforeWrite = () -> fixture.store.drop(PageId.spaceId(PAGE));

        fixture.flushAll();

        assertThat(fixture.health.failed()).isFalse();
        assertThat(durableValue(OTHER)).isEqualTo(3);
        assertThat(durableValue(PAGE)).isEqualTo(1);
    }

    @Test
    void givenAMistakeInAWrite_whenFlushed_thenTheEngineFailsWithIt() {
        fixture.putOnDisk(PAGE, 1);
        fixture.change(PAGE, 2);
        fixture.store.beforeWrite =
                () -> {
                    throw new IllegalArgumentException("planned");
                };

        assertThatThrownBy(fixture::flushAll)
                .isInstanceOf(EngineFailedException.class)
                .hasRootCauseMessage("planned");

        assertThat(fixture.store.writes.get()).isEqualTo(1);
    }

    @Test
    void givenAPageWriteThatFailsThreeTimes_whenFlushed_thenTheEngineFailsAndThePageIsDirty() {
        fixture.putOnDisk(PAGE, 1);
        fixture.change(PAGE, 2);
        fixture.store.writesToFail.set(3);

        assertThatThrownBy(fixture::flushAll)
                .isInstanceOf(EngineFailedException.class)
                .hasMessageContaining("page=5");

        assertThat(pool.isDirty(pool.find(PAGE))).isTrue();
    }

    @Test
    void givenABatchThatIsDoublewritten_whenTheEngineFails_thenNothingIsWrittenAnyMore() {
        fixture.putOnDisk(PAGE, 1);
        fixture.change(PAGE, 2);
        TestHooks.onReached(
                PageFlusher.DOUBLEWRITTEN, () -> fixture.health.fail(new IOException("planned")));

        assertThatThrownBy(fixture::flushAll)
                .isInstanceOf(EngineFailedException.class)
                .hasRootCauseMessage("planned");

        assertThat(fixture.store.writes.get()).isZero();
        assertThat(pool.isDirty(pool.find(PAGE))).isTrue();
    }

    @Test
    void givenAPageWriteThatIsToBeTriedAgain_whenTheEngineFails_thenItIsNot() {
        fixture.putOnDisk(PAGE, 1);
        fixture.change(PAGE, 2);
        fixture.store.writesToFail.set(1);
        fixture.store.beforeWrite = () -> fixture.health.fail(new IOException("planned"));

        assertThatThrownBy(fixture::flushAll)
                .isInstanceOf(EngineFailedException.class)
                .hasRootCauseMessage("planned");

        assertThat(fixture.store.writes.get()).isEqualTo(1);
        assertThat(pool.isDirty(pool.find(PAGE))).isTrue();
    }

    @Test
    void givenADataSyncThatFails_whenFlushed_thenTheEngineFailsAtOnce() {
        fixture.putOnDisk(PAGE, 1);
        fixture.change(PAGE, 2);
        fixture.store.syncsToFail.set(1);

        assertThatThrownBy(fixture::flushAll).isInstanceOf(EngineFailedException.class);

        assertThat(pool.isDirty(pool.find(PAGE))).isTrue();
        assertThat(fixture.store.syncs.get()).isEqualTo(1);
    }

    @Test
    void givenABatchUnderWay_whenTheOldestChangeIsSought_thenItIsThatOfThePagesBeingWritten()
            throws Exception {
        fixture.putOnDisk(PAGE, 1);
        fixture.putOnDisk(OTHER, 1);
        long first = fixture.log.appendLsn();
        fixture.change(PAGE, 2);
        TestHooks.Pause written = TestHooks.pauseAt(PageFlusher.WRITTEN);
        TestThread<Integer> flusher = TestThread.start(fixture::flushAll);
        written.awaitReached();
        long second = fixture.log.appendLsn();
        fixture.change(OTHER, 2);

        long whileWritten = pool.oldestRecoveryLsn(fixture.log.closedLsn());
        written.resume();
        flusher.result();

        assertThat(whileWritten).isEqualTo(first);
        assertThat(pool.oldestRecoveryLsn(fixture.log.closedLsn())).isEqualTo(second);
    }

    @Test
    void givenABatchBeingSynced_whenOtherPagesAreFlushed_thenTheyDoNotWaitForIt() throws Exception {
        fixture.putOnDisk(PAGE, 1);
        fixture.putOnDisk(OTHER, 1);
        fixture.change(PAGE, 2);
        TestHooks.Pause written = TestHooks.pauseAt(PageFlusher.WRITTEN);
        TestThread<Integer> flusher = TestThread.start(fixture::flushAll);
        written.awaitReached();
        fixture.change(OTHER, 3);

        int others = fixture.flushAll();
        boolean stillDirty = pool.isDirty(pool.find(PAGE));
        written.resume();

        assertThat(others).isEqualTo(1);
        assertThat(stillDirty).isTrue();
        assertThat(flusher.result()).isEqualTo(1);
        assertThat(durableValue(PAGE)).isEqualTo(2);
        assertThat(durableValue(OTHER)).isEqualTo(3);
        assertThat(pool.checkInvariants()).isEmpty();
    }

    @Test
    void givenNeighboursChangedInAnyOrder_whenFlushed_thenTheyGoOutInOneTransfer() {
        int[] numbers = {9, 3, 5, 4, 8, 20};
        for (int number : numbers) {
            fixture.putOnDisk(PageId.of(16, number), 1);
        }
        for (int number : numbers) {
            fixture.change(PageId.of(16, number), 10L * number);
        }

        int written = fixture.flushAll();

        assertThat(written).isEqualTo(6);
        assertThat(fixture.store.writes.get()).isEqualTo(3);
        assertThat(fixture.store.syncs.get()).isEqualTo(1);
        for (int number : numbers) {
            assertThat(durableValue(PageId.of(16, number))).isEqualTo(10L * number);
        }
    }

    @Test
    void givenMorePagesThanABatchHolds_whenFlushed_thenAllGoInSeveralBatches() {
        int pages = 2 * fixture.flusher.batchPages() + 3;
        for (int i = 0; i < pages; i++) {
            fixture.putOnDisk(PageId.of(16, 2 * i), 1);
            fixture.change(PageId.of(16, 2 * i), 2);
        }

        int written = fixture.flushAll();

        assertThat(written).isEqualTo(pages);
        assertThat(fixture.counters.sum(Counter.DOUBLEWRITE_BATCHES)).isEqualTo(3);
        assertThat(pool.dirtyCount()).isZero();
        assertThat(pool.checkInvariants()).isEmpty();
    }

    @Test
    void givenTheFaultThatCallsPagesCleanUnsynced_whenFlushed_thenAPowerLossWouldLoseThem() {
        TestHooks.plant(PlantedFault.CHECKPOINT_BEFORE_DATA_SYNC);
        fixture.putOnDisk(PAGE, 1);
        fixture.change(PAGE, 2);

        fixture.flushAll();

        assertThat(pool.oldestRecoveryLsn(Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
        assertThat(durableValue(PAGE)).isEqualTo(1);
    }

    @Test
    void givenADirtyPage_whenFlushed_thenItsCopySaysThatLaterChangesBeginAtTheDurableLsn()
            throws Exception {
        fixture.putOnDisk(PAGE, 1);
        fixture.change(PAGE, 2);
        long durable = fixture.log.group(500);
        fixture.log.makeDurable(durable);

        fixture.flushAll();

        DoublewriteEntry copy = onlyCopy();
        assertThat(copy.pageLsn()).isEqualTo(pageLsnOnDisk());
        assertThat(copy.logLsn()).isEqualTo(durable).isLessThan(fixture.log.appendLsn());
    }

    @Test
    void givenALogBeingReplayed_whenFlushed_thenTheCopySaysThatItHoldsNoMoreThanItsPageLsn()
            throws Exception {
        fixture.putOnDisk(PAGE, 1);
        fixture.change(PAGE, 2);
        fixture.log.makeDurable(fixture.log.group(500));
        fixture.flusher.replaying(true);

        fixture.flushAll();

        DoublewriteEntry copy = onlyCopy();
        assertThat(copy.logLsn()).isEqualTo(copy.pageLsn()).isEqualTo(pageLsnOnDisk());
    }

    private DoublewriteEntry onlyCopy() throws IOException {
        try (var doublewrite =
                DoublewriteRecovery.open(
                        fixture.directory, PoolFixture.STORE, PoolFixture.PAGE_BYTES)) {
            assertThat(doublewrite.entries()).hasSize(1);
            return doublewrite.entries().get(0);
        }
    }

    @Test
    void givenALatchedPage_whenFlushedWithoutWaiting_thenItIsLeftForTheNextRound()
            throws Exception {
        fixture.putOnDisk(PAGE, 1);
        fixture.change(PAGE, 2);
        int frame = pool.fixExclusive(PAGE);

        int written = TestThread.start(fixture::flushAll).result();
        pool.unfixExclusive(frame);

        assertThat(written).isZero();
        assertThat(fixture.counters.sum(Counter.CLEANER_PAGES_SKIPPED)).isEqualTo(1);
        assertThat(fixture.flushAll()).isEqualTo(1);
    }

    @Test
    void givenADroppedSpace_whenFlushed_thenItsPagesAreNotWritten() {
        fixture.putOnDisk(PAGE, 1);
        fixture.change(PAGE, 2);
        fixture.store.drop(16);

        int written = fixture.flushAll();

        assertThat(written).isZero();
        assertThat(fixture.store.writes.get()).isZero();
    }

    @Test
    void givenASpaceBeingWritten_whenItIsDiscarded_thenThatWaitsForTheWriteToEnd()
            throws Exception {
        fixture.putOnDisk(PAGE, 1);
        fixture.change(PAGE, 2);
        TestHooks.Pause copied = TestHooks.pauseAt(PageFlusher.COPIED);
        TestThread<Integer> flusher = TestThread.start(fixture::flushAll);
        copied.awaitReached();
        TestThread<Boolean> discard =
                TestThread.start(
                        () -> {
                            pool.discardSpace(16);
                            return true;
                        });
        discard.awaitParked();

        copied.resume();

        assertThat(discard.result()).isTrue();
        assertThat(flusher.result()).isEqualTo(1);
        assertThat(pool.find(PAGE)).isEqualTo(-1);
        assertThat(pool.checkInvariants()).isEmpty();
    }

    private long durableValue(long pageId) {
        return ByteBuffer.wrap(fixture.store.durablePage(pageId))
                .order(ByteOrder.LITTLE_ENDIAN)
                .getLong(PoolFixture.BODY);
    }

    private long pageLsnOnDisk() {
        return ByteBuffer.wrap(fixture.store.writtenPage(PAGE))
                .order(ByteOrder.LITTLE_ENDIAN)
                .getLong(PageHeader.PAGE_LSN_OFFSET);
    }
}
