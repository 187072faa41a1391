// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ChecksumException;
import dev.holdfast.CorruptionException;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** If this failed, P2 would be broken: a page read twice, half read, or lost by its eviction. */
final class PageClaimTest {
    private static final long PAGE = PageId.of(16, 5);

    private final PoolFixture fixture = new PoolFixture(64);
    private final BufferPool pool = fixture.pool;

    @AfterEach
    void close() {
        TestHooks.reset();
        assertThat(pool.checkInvariants()).isEmpty();
        fixture.close();
    }

    @Test
    void givenALoaderAtWork_whenOthersWantThePage_thenTheyWaitAndItIsReadOnce() throws Exception {
        fixture.putOnDisk(PAGE, 42);
        TestHooks.Pause claimed = TestHooks.pauseAt(BufferPool.CLAIMED);
        TestThread<Long> loader = TestThread.start(() -> fixture.read(PAGE));
        claimed.awaitReached();
        List<TestThread<Long>> others = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            others.add(TestThread.start(() -> fixture.read(PAGE)));
        }
        for (TestThread<Long> other : others) {
            other.awaitParked();
        }

        claimed.resume();

        assertThat(loader.result()).isEqualTo(42);
        for (TestThread<Long> other : others) {
            assertThat(other.result()).isEqualTo(42);
        }
        assertThat(fixture.store.reads.get()).isEqualTo(1);
    }

    @Test
    void givenALoaderThatFails_whenOthersWait_thenAllGetItsErrorAndTheMappingIsGone() {
        fixture.putOnDisk(PAGE, 42);
        fixture.store.writtenPage(PAGE)[100] ^= 1;
        TestHooks.Pause claimed = TestHooks.pauseAt(BufferPool.CLAIMED);
        TestThread<Integer> loader = TestThread.start(() -> pool.load(PAGE, false));
        claimed.awaitReached();
        TestThread<Integer> other = TestThread.start(() -> pool.fixShared(PAGE));
        other.awaitParked();

        claimed.resume();

        assertThatThrownBy(loader::result).isInstanceOf(CorruptionException.class);
        assertThatThrownBy(other::result).isInstanceOf(CorruptionException.class);
        assertThat(fixture.store.reads.get()).isEqualTo(1);
        assertThat(pool.find(PAGE)).isEqualTo(-1);
    }

    @Test
    void givenAChecksumOfTheHostThatThrows_whenAPageIsRead_thenItIsDamagedUntilItDoesSoNoMore() {
        fixture.putOnDisk(PAGE, 42);
        fixture.store.sumsToFail.set(1);

        assertThatThrownBy(() -> fixture.read(PAGE))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("page cannot be verified")
                .hasCauseInstanceOf(ChecksumException.class);

        assertThat(fixture.health.failed()).isFalse();
        assertThat(fixture.counters.sum(Counter.PAGES_CORRUPT)).isEqualTo(1);
        assertThat(fixture.read(PAGE)).isEqualTo(42);
    }

    @Test
    void givenAStockOfOneFrame_whenSomebodyEvictsWhatIsLoaded_thenTheLoaderHasItAlready() {
        fixture.putOnDisk(PAGE, 42);
        TestHooks.onReached(BufferPool.LOADED, () -> evict(PAGE));

        try (FrameStock stock = pool.reserve(1)) {
            int frame = pool.fixExclusive(PAGE, stock, pool.tally());
            assertThat(fixture.value(frame)).isEqualTo(42);
            pool.unfixExclusive(frame);
        }

        assertThat(fixture.store.reads.get()).isEqualTo(1);
    }

    private void evict(long pageId) {
        int frame = pool.find(pageId);
        if (pool.supply().tryEvict(frame)) {
            pool.supply().giveBack(frame);
        }
    }

    @Test
    void givenAnOptimisticReader_whenThePageIsEvictedUnderIt_thenItsVersionDoesNotValidate()
            throws Exception {
        fixture.putOnDisk(PAGE, 42);
        int frame = pool.load(PAGE, true);
        long version = pool.optimisticVersion(frame, PAGE);
        boolean heldBefore = pool.holds(frame, PAGE);
        TestHooks.Pause unmapped = TestHooks.pauseAt(FrameSupply.EVICTION_UNMAPPED);
        TestThread<Boolean> evictor = TestThread.start(() -> pool.supply().tryEvict(frame));
        unmapped.awaitReached();

        boolean validWhileEvicted = pool.validate(frame, version);
        unmapped.resume();

        assertThat(heldBefore).isTrue();
        assertThat(validWhileEvicted).isFalse();
        assertThat(evictor.result()).isTrue();
        assertThat(pool.validate(frame, version)).isFalse();
        pool.supply().giveBack(frame);
        assertThat(fixture.read(PAGE)).isEqualTo(42);
    }

    @Test
    void givenAnEvictorThatLookedTooEarly_whenThePageWasChangedMeanwhile_thenItStays()
            throws Exception {
        fixture.putOnDisk(PAGE, 42);
        int frame = pool.load(PAGE, true);
        TestThread<Boolean> evictor;
        int latched = pool.fixExclusive(PAGE);
        evictor = TestThread.start(() -> pool.supply().tryEvict(frame));
        boolean evicted = evictor.result();
        fixture.changeLatched(latched, 43);
        pool.unfixExclusive(latched);

        assertThat(evicted).isFalse();
        assertThat(pool.supply().tryEvict(frame)).isFalse();
        assertThat(fixture.read(PAGE)).isEqualTo(43);
    }

    @Test
    void givenAPageBeingWritten_whenTheClockComesBy_thenItStaysUntilTheWriteHasReturned()
            throws Exception {
        assertThat(readAfterEvictionInMidWrite()).isEqualTo(43);
    }

    @Test
    void givenTheFaultThatEvictsWhileWriting_whenTheClockComesBy_thenAnOldPageIsRead()
            throws Exception {
        TestHooks.plant(PlantedFault.EVICT_WHILE_WRITING);

        assertThat(readAfterEvictionInMidWrite()).isEqualTo(42);

        // The frame that was taken is on no list; forget it as a crash would.
        TestHooks.reset();
        pool.discardSpace(16);
    }

    private long readAfterEvictionInMidWrite() throws Exception {
        fixture.putOnDisk(PAGE, 42);
        fixture.change(PAGE, 43);
        int frame = pool.find(PAGE);
        TestHooks.Pause copied = TestHooks.pauseAt(PageFlusher.DOUBLEWRITTEN);
        TestThread<Integer> flusher = TestThread.start(fixture::flushAll);
        copied.awaitReached();

        pool.supply().passesHand(frame);
        boolean evicted = pool.supply().tryEvict(frame);
        long value = fixture.read(PAGE);
        copied.resume();

        assertThat(flusher.result()).isEqualTo(1);
        assertThat(evicted).isEqualTo(TestHooks.fault(PlantedFault.EVICT_WHILE_WRITING));
        return value;
    }
}
