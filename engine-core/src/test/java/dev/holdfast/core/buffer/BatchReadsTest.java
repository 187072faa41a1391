// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.EngineFailedException;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.async.IoClass;
import dev.holdfast.sync.BufferLatch;
import dev.holdfast.sync.TestHooks;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** If this failed, pages read for later would be lost, half there, or in the way of who is here. */
final class BatchReadsTest {
    private static final long LIMIT_SECONDS = 20;

    /** Every second page, so that none goes with its neighbour's transfer. */
    private static final long[] PAGES = {
        PageId.of(16, 5), PageId.of(16, 7), PageId.of(16, 9), PageId.of(16, 11)
    };

    private final PoolFixture fixture = new PoolFixture(64);
    private final BufferPool pool = fixture.pool;
    private final BatchReads reads =
            new BatchReads(
                    pool,
                    fixture.store,
                    fixture.io,
                    IoClass.READ_AHEAD,
                    64,
                    fixture.health,
                    fixture.counters);

    @AfterEach
    void close() {
        TestHooks.reset();
        assertThat(pool.checkInvariants()).isEmpty();
        fixture.close();
    }

    private void putOnDisk() {
        for (long pageId : PAGES) {
            fixture.putOnDisk(pageId, pageId);
        }
        fixture.store.reads.set(0);
    }

    private int readAll() {
        return reads.read(PAGES, 0, PAGES.length);
    }

    @Test
    void givenPagesOnDisk_whenRead_thenAllAreThereColdCleanAndUnlatched() {
        putOnDisk();

        int read = readAll();

        assertThat(read).isEqualTo(4);
        assertThat(fixture.counters.sum(Counter.PAGE_READS)).isEqualTo(4);
        for (long pageId : PAGES) {
            int frame = pool.find(pageId);
            assertThat(pool.holds(frame, pageId)).isTrue();
            assertThat(pool.frames().reference(frame)).isEqualTo(FrameTable.COLD);
            assertThat(fixture.read(pageId)).isEqualTo(pageId);
        }
        assertThat(fixture.store.reads.get()).isEqualTo(4);
    }

    @Test
    void givenASlowDevice_whenRead_thenAsManyAreThereTogetherAsItHasThreads() {
        putOnDisk();
        CyclicBarrier three = new CyclicBarrier(3);
        fixture.store.beforeRead =
                () -> {
                    try {
                        three.await(LIMIT_SECONDS, TimeUnit.SECONDS);
                    } catch (Exception e) {
                        throw new IllegalStateException(e);
                    }
                };

        int read = reads.read(PAGES, 0, 3);

        assertThat(read).isEqualTo(3);
        assertThat(three.isBroken()).isFalse();
    }

    @Test
    void givenAPageBeingRead_whenAUserWantsIt_thenHeWaitsForThisReadAndHasIt() throws Exception {
        putOnDisk();
        CountDownLatch goesOn = new CountDownLatch(1);
        fixture.store.beforeRead = () -> await(goesOn);
        TestThread<Integer> reader = TestThread.start(this::readAll);
        awaitMapped(PAGES[3]);
        TestThread<Long> user = TestThread.start(() -> fixture.read(PAGES[3]));
        user.awaitParked();

        goesOn.countDown();

        assertThat(user.result()).isEqualTo(PAGES[3]);
        assertThat(reader.result()).isEqualTo(4);
        assertThat(fixture.store.reads.get()).isEqualTo(4);
    }

    @Test
    void givenPagesThatHaveFrames_whenRead_thenTheyAreLeftAlone() throws Exception {
        putOnDisk();
        fixture.change(PAGES[0], 99);
        TestHooks.Pause claimed = TestHooks.pauseAt(BufferPool.CLAIMED);
        TestThread<Long> loader = TestThread.start(() -> fixture.read(PAGES[1]));
        claimed.awaitReached();

        int read = readAll();
        claimed.resume();

        assertThat(read).isEqualTo(2);
        assertThat(reads.present()).isEqualTo(2);
        assertThat(fixture.read(PAGES[0])).isEqualTo(99);
        assertThat(loader.result()).isEqualTo(PAGES[1]);
    }

    @Test
    void givenAChecksumThatThrows_whenRead_thenThePageIsForgottenAndTheEngineGoesOn() {
        putOnDisk();
        fixture.store.sumsToFail.set(1);

        int read = readAll();

        assertThat(read).isEqualTo(3);
        assertThat(fixture.health.failed()).isFalse();
        for (long pageId : PAGES) {
            assertThat(fixture.read(pageId)).isEqualTo(pageId);
        }
    }

    @Test
    void givenAReadThatFails_whenRead_thenTheOthersAreThereAndAUserReadsThatOneHimself() {
        putOnDisk();
        fixture.store.readsToFail.set(1);

        int read = readAll();

        assertThat(read).isEqualTo(3);
        assertThat(fixture.health.failed()).isFalse();
        for (long pageId : PAGES) {
            assertThat(fixture.read(pageId)).isEqualTo(pageId);
        }
    }

    @Test
    void givenTornAndMisdirectedPages_whenRead_thenOnlyWhoWantsThemIsTold() {
        putOnDisk();
        fixture.store.writtenPage(PAGES[0])[3000] ^= 1;
        byte[] other = fixture.store.writtenPage(PAGES[2]);
        System.arraycopy(other, 0, fixture.store.writtenPage(PAGES[1]), 0, other.length);

        int read = readAll();

        assertThat(read).isEqualTo(2);
        assertThat(fixture.counters.sum(Counter.PAGES_CORRUPT)).isZero();
        assertThat(pool.find(PAGES[0])).isEqualTo(FrameTable.NONE);
        assertThat(pool.find(PAGES[1])).isEqualTo(FrameTable.NONE);
        assertThatThrownBy(() -> fixture.read(PAGES[0])).isInstanceOf(CorruptionException.class);
        assertThatThrownBy(() -> fixture.read(PAGES[1])).isInstanceOf(CorruptionException.class);
        assertThat(fixture.counters.sum(Counter.PAGES_CORRUPT)).isEqualTo(2);
    }

    @Test
    void givenAUserWhoWaitsForAReadThatFails_whenItEnds_thenHeReadsThePageHimself()
            throws Exception {
        putOnDisk();
        CountDownLatch goesOn = new CountDownLatch(1);
        fixture.store.beforeRead =
                () -> {
                    await(goesOn);
                    fixture.store.readsToFail.set(1);
                };
        TestThread<Integer> reader = TestThread.start(() -> reads.read(PAGES, 0, 1));
        awaitMapped(PAGES[0]);
        TestThread<Long> user = TestThread.start(() -> fixture.read(PAGES[0]));
        user.awaitParked();

        goesOn.countDown();

        assertThat(reader.result()).isZero();
        assertThat(user.result()).isEqualTo(PAGES[0]);
    }

    @Test
    void givenNoFrameToSpare_whenRead_thenItTakesNoneAndWaitsForNone() throws Exception {
        putOnDisk();
        try (FrameStock stock = pool.reserve(28)) {
            for (int page = 100; pool.freeCount() > 4; page++) {
                fixture.putOnDisk(PageId.of(17, page), 1);
                fixture.change(PageId.of(17, page), 2);
            }
            int freeBefore = pool.freeCount();

            int read = readAll();

            assertThat(read).isZero();
            assertThat(reads.claimed()).isZero();
            assertThat(pool.freeCount()).isEqualTo(freeBefore);
            assertThat(pool.checkInvariants()).isEmpty();
            assertThat(stock.promised()).isEqualTo(28);
        }
    }

    @Test
    void givenADroppedSpace_whenItsPagesAreRead_thenNothingComesAndNothingFails() {
        putOnDisk();
        fixture.store.drop(16);

        int read = readAll();

        assertThat(read).isZero();
        assertThat(reads.claimed()).isEqualTo(4);
        assertThat(fixture.health.failed()).isFalse();
        assertThat(pool.freeCount()).isEqualTo(64);
    }

    @Test
    void givenASchedulerThatIsClosed_whenRead_thenTheClaimsAreGivenUp() throws Exception {
        putOnDisk();
        fixture.io.close();

        int read = readAll();

        assertThat(read).isZero();
        assertThat(pool.freeCount()).isEqualTo(64);
        assertThat(fixture.read(PAGES[0])).isEqualTo(PAGES[0]);
    }

    @Test
    void givenAnEngineThatFailsMeanwhile_whenReadsEnd_thenNoPageBecomesUsableAndWaitersAreTold()
            throws Exception {
        putOnDisk();
        CountDownLatch goesOn = new CountDownLatch(1);
        fixture.store.beforeRead = () -> await(goesOn);
        TestThread<Integer> reader = TestThread.start(this::readAll);
        awaitMapped(PAGES[3]);
        TestThread<Long> user = TestThread.start(() -> fixture.read(PAGES[3]));
        user.awaitParked();

        fixture.health.fail(new IllegalStateException("planned"));
        goesOn.countDown();

        assertThat(reader.result()).isZero();
        assertThatThrownBy(user::result).isInstanceOf(EngineFailedException.class);
        assertThat(readAll()).isZero();
        assertThat(pool.find(PAGES[0])).isEqualTo(FrameTable.NONE);
    }

    @Test
    void givenAnErrorWithClaimsHeld_whenRead_thenTheEngineHasFailedBeforeALatchIsFree() {
        putOnDisk();
        TestHooks.onReached(
                BatchReads.CLAIMED,
                () -> {
                    throw new StackOverflowError("planned");
                });

        assertThatThrownBy(this::readAll).isInstanceOf(StackOverflowError.class);

        assertThat(fixture.health.failed()).isTrue();
        assertThat(pool.find(PAGES[0])).isEqualTo(FrameTable.NONE);
        assertThat(pool.freeCount()).isEqualTo(64);
    }

    private void awaitMapped(long pageId) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (pool.find(pageId) == FrameTable.NONE
                || !BufferLatch.isExclusive(
                        pool.frames().table(), FrameTable.line(pool.find(pageId)))) {
            assertThat(System.nanoTime()).as("page is claimed in time").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
