// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.EngineFailedException;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.async.IoCapacity;
import dev.holdfast.io.async.IoUser;
import dev.holdfast.sync.TestHooks;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** If this failed, user threads would write pages themselves, or wait for frames for ever. */
final class PageCleanerTest {
    private static final long AGE_LIMIT = 100_000;
    private static final int FRAMES = 64;

    private final PoolFixture fixture = new PoolFixture(FRAMES);
    private final BufferPool pool = fixture.pool;
    private final AtomicLong age = new AtomicLong();
    private final AtomicLong clock = new AtomicLong();
    private final IoCapacity capacity = new IoCapacity(1000, clock::get);
    private final PageCleaner cleaner =
            new PageCleaner(
                    pool,
                    fixture.flusher,
                    fixture.log,
                    age::get,
                    AGE_LIMIT,
                    capacity,
                    fixture.counters,
                    clock::get);

    @AfterEach
    void close() {
        TestHooks.reset();
        fixture.close();
    }

    @Test
    void givenAPoolFullOfDirtyPages_whenAUserWantsAFrame_thenItSleepsUntilTheCleanerFreesOne()
            throws Exception {
        fillWithDirtyPages();
        fixture.putOnDisk(page(100), 7);
        TestThread<Long> user = TestThread.start(() -> fixture.read(page(100)));
        user.awaitParked();
        int writesOfUser = fixture.store.writes.get();
        long steps = fixture.counters.sum(Counter.EVICTION_STEPS);

        while (pool.freeCount() == 0 && pool.find(page(100)) < 0) {
            cleaner.run();
        }

        assertThat(user.result()).isEqualTo(7);
        assertThat(writesOfUser).isZero();
        assertThat(steps).isLessThanOrEqualTo(3 * FrameSupply.STEPS_MAX);
        assertThat(fixture.counters.sum(Counter.FREE_FRAME_WAITS)).isEqualTo(1);
        assertThat(pool.checkInvariants()).isEmpty();
    }

    @Test
    void givenAUserThatSleepsForAFrame_whenTheEngineFails_thenItWakesWithTheCause()
            throws Exception {
        fillWithDirtyPages();
        fixture.putOnDisk(page(100), 7);
        TestThread<Long> user = TestThread.start(() -> fixture.read(page(100)));
        user.awaitParked();

        fixture.health.fail(new IllegalStateException("planned"));

        assertThatThrownBy(user::result)
                .isInstanceOf(EngineFailedException.class)
                .hasRootCauseMessage("planned");
    }

    @Test
    void givenAUserThatSleepsForAFrame_whenInterrupted_thenItGoesOnAndKeepsTheFlag()
            throws Exception {
        fillWithDirtyPages();
        fixture.putOnDisk(page(100), 7);
        Thread[] self = new Thread[1];
        TestThread<Boolean> user =
                TestThread.start(
                        () -> {
                            self[0] = Thread.currentThread();
                            boolean read = fixture.read(page(100)) == 7;
                            return read && Thread.interrupted();
                        });
        user.awaitParked();

        self[0].interrupt();
        while (self[0].isInterrupted()) {
            Thread.onSpinWait();
        }
        user.awaitParked();
        while (pool.find(page(100)) < 0) {
            cleaner.run();
        }

        assertThat(user.result()).isTrue();
    }

    @Test
    void givenMoreStocksThanThePoolCanPromise_whenAskedFor_thenTheLastWaitsForTheFirst()
            throws Exception {
        FrameStock first = pool.reserve(16);
        FrameStock second = pool.reserve(12);
        TestThread<Integer> third =
                TestThread.start(
                        () -> {
                            try (FrameStock stock = pool.reserve(8)) {
                                return stock.count();
                            }
                        });
        third.awaitParked();

        first.close();

        assertThat(third.result()).isEqualTo(8);
        second.close();
        assertThat(pool.freeCount()).isEqualTo(FRAMES);
    }

    @Test
    void givenFewFreeFrames_whenARoundIsMade_thenCleanPagesGoBeforeDirtyOnesAreWritten() {
        for (int i = 0; i < FRAMES; i++) {
            fixture.putOnDisk(page(i), i);
            pool.load(page(i), true);
        }
        fixture.change(page(0), 1);

        cleaner.run();

        assertThat(pool.freeCount()).isGreaterThanOrEqualTo(8);
        assertThat(fixture.store.writes.get()).isLessThanOrEqualTo(1);
        assertThat(pool.checkInvariants()).isEmpty();
    }

    @Test
    void givenAYoungLog_whenARoundIsMade_thenNothingIsWrittenForIt() {
        fixture.putOnDisk(page(0), 0);
        fixture.change(page(0), 1);
        age.set(AGE_LIMIT / 20);

        boolean more = cleaner.run();

        assertThat(more).isFalse();
        assertThat(fixture.store.writes.get()).isZero();
    }

    @Test
    void givenAnOldLog_whenRoundsAreMade_thenTheOldestPagesAreWrittenAndACheckpointIsAskedFor() {
        changePages(10);
        AtomicLong asked = new AtomicLong();
        cleaner.onProgress(asked::incrementAndGet);
        age.set(AGE_LIMIT);

        while (cleaner.run()) {
            asked.get();
        }

        assertThat(asked.get()).isPositive();
        assertThat(pool.isDirty(pool.find(page(0)))).isFalse();
    }

    @Test
    void givenAnOldLogAndNothingDirty_whenARoundIsMade_thenItAsksForACheckpointAndEnds() {
        AtomicLong asked = new AtomicLong();
        cleaner.onProgress(asked::incrementAndGet);
        age.set(AGE_LIMIT);

        boolean more = cleaner.run();

        assertThat(more).isFalse();
        assertThat(asked.get()).isEqualTo(1);
    }

    @Test
    void givenAnOldLogThatNoCheckpointCanCut_whenARoundIsMade_thenNoneIsAskedFor()
            throws Exception {
        changePages(1);
        age.set(fixture.log.appendLsn() - pool.oldestRecoveryLsn(Long.MAX_VALUE));
        fixture.log.group((int) (AGE_LIMIT - age.get()));
        age.set(AGE_LIMIT);
        AtomicLong asked = new AtomicLong();
        cleaner.onProgress(asked::incrementAndGet);
        TestHooks.Pause written = TestHooks.pauseAt(PageFlusher.WRITTEN);
        TestThread<Integer> other = TestThread.start(fixture::flushAll);
        written.awaitReached();

        boolean more = cleaner.run();
        written.resume();
        other.result();

        assertThat(more).isFalse();
        assertThat(asked.get()).isZero();
    }

    @Test
    void givenTwoBatchesToWrite_whenTheHelperTakesOne_thenBothAreUnderWayAtOnce() throws Exception {
        int pages = 2 * fixture.flusher.batchPages();
        changePages(pages);
        age.set(AGE_LIMIT);
        BackgroundAgent.Body helper = cleaner.helper();
        AtomicLong woken = new AtomicLong();
        cleaner.helperWaker(woken::incrementAndGet);
        TestHooks.Pause written = TestHooks.pauseAt(PageFlusher.WRITTEN);
        TestThread<Boolean> cleaning = TestThread.start(cleaner::run);
        written.awaitReached();

        helper.run();
        int dirtyWhileTheFirstIsWritten = pool.dirtyCount();
        long writtenByHelper = fixture.counters.sum(Counter.PAGES_WRITTEN);
        written.resume();

        assertThat(cleaning.result()).isTrue();
        assertThat(woken.get()).isEqualTo(1);
        assertThat(writtenByHelper).isEqualTo(pages / 2);
        assertThat(dirtyWhileTheFirstIsWritten).isZero();
        assertThat(fixture.counters.sum(Counter.DOUBLEWRITE_BATCHES)).isEqualTo(2);
        assertThat(pool.checkInvariants()).isEmpty();
    }

    @Test
    void givenABatchUnderWayAndNoFreeFrames_whenTheHelperIsWoken_thenItFreesSomeMeanwhile()
            throws Exception {
        fillWithDirtyPages();
        BackgroundAgent.Body helper = cleaner.helper();
        AtomicLong woken = new AtomicLong();
        cleaner.helperWaker(woken::incrementAndGet);
        TestHooks.Pause written = TestHooks.pauseAt(PageFlusher.WRITTEN);
        TestThread<Boolean> cleaning = TestThread.start(cleaner::run);
        written.awaitReached();
        fixture.putOnDisk(page(100), 7);
        TestThread<Long> user = TestThread.start(() -> fixture.read(page(100)));
        user.awaitParked();

        long wokenByUser = woken.get();
        helper.run();
        long read = user.result();
        long batches = fixture.counters.sum(Counter.DOUBLEWRITE_BATCHES);
        helper.run();
        long batchesWithEnoughFree = fixture.counters.sum(Counter.DOUBLEWRITE_BATCHES);
        written.resume();
        cleaning.result();

        assertThat(wokenByUser).isPositive();
        assertThat(read).isEqualTo(7);
        assertThat(batches).isEqualTo(2);
        assertThat(batchesWithEnoughFree).isEqualTo(2);
        assertThat(pool.supply().missing()).isLessThanOrEqualTo(0);
        assertThat(pool.checkInvariants()).isEmpty();
    }

    @Test
    void givenASteadyLog_whenTheAdviceIsLessThanABatch_thenItIsSavedUpToOne() {
        changePages(FRAMES / 2);
        int batch = fixture.flusher.batchPages();
        age.set(AGE_LIMIT / 2);
        int rounds = 0;

        while (pool.dirtyCount() == FRAMES / 2) {
            // So much redo that the advice is the capacity: ten pages a round.
            fixture.log.group(100_000_000);
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
            cleaner.run();
            rounds++;
        }

        assertThat(rounds).isEqualTo(2);
        assertThat(fixture.counters.sum(Counter.DOUBLEWRITE_BATCHES)).isEqualTo(1);
        assertThat(pool.dirtyCount()).isBetween(FRAMES / 2 - batch, FRAMES / 2 - 1);
    }

    @Test
    void givenAnIdleEngineAndNoBudget_whenRoundsAreMade_thenNothingIsWrittenUntilThereIsSome() {
        changePages(FRAMES / 2);
        capacity.overdraw(IoUser.CLEANER, 1000);

        idleRounds(20);
        int dirtyInDebt = pool.dirtyCount();
        long waits = fixture.counters.sum(Counter.CLEANER_BUDGET_WAITS);
        idleRounds(40);

        assertThat(dirtyInDebt).isEqualTo(FRAMES / 2);
        assertThat(waits).isPositive();
        assertThat(pool.dirtyCount()).isLessThan(FRAMES / 2);
    }

    @Test
    void givenASteadyLogAndABudgetUsedUpByFrames_whenRoundsAreMade_thenItIsWrittenAndOwed() {
        changePages(FRAMES / 2);
        age.set(AGE_LIMIT / 2);
        capacity.overdraw(IoUser.CLEANER, 1000);
        long takenBefore = capacity.taken(IoUser.CLEANER);

        steadyRounds(3);

        assertThat(pool.dirtyCount()).isLessThan(FRAMES / 2);
        assertThat(capacity.taken(IoUser.CLEANER)).isGreaterThan(takenBefore);
        assertThat(fixture.counters.sum(Counter.CLEANER_BUDGET_WAITS)).isZero();
    }

    private void idleRounds(int rounds) {
        for (int i = 0; i < rounds; i++) {
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
            cleaner.run();
        }
    }

    @Test
    void givenAnOldLogOrNoFramesAndNoBudget_whenRoundsAreMade_thenItIsWrittenAndOwed() {
        fillWithDirtyPages();
        capacity.overdraw(IoUser.CLEANER, 1000);
        long takenBefore = capacity.taken(IoUser.CLEANER);

        cleaner.run();
        long writtenForFrames = fixture.counters.sum(Counter.PAGES_WRITTEN);
        long takenForFrames = capacity.taken(IoUser.CLEANER) - takenBefore;
        age.set(AGE_LIMIT);
        cleaner.run();

        assertThat(writtenForFrames).isPositive();
        assertThat(takenForFrames).isEqualTo(writtenForFrames);
        assertThat(fixture.counters.sum(Counter.PAGES_WRITTEN)).isGreaterThan(writtenForFrames);
    }

    /** So much redo that the advice is the capacity: ten pages a round. */
    private void steadyRounds(int rounds) {
        for (int i = 0; i < rounds; i++) {
            fixture.log.group(100_000_000);
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(10));
            cleaner.run();
        }
    }

    @Test
    void givenAnIdleEngine_whenTimePasses_thenWhatIsDirtyIsWrittenAndThenNothingIs() {
        changePages(3);
        clock.addAndGet(TimeUnit.SECONDS.toNanos(1));

        for (int i = 0; i < 10; i++) {
            clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(30));
            cleaner.run();
        }
        boolean more = cleaner.run();

        assertThat(pool.dirtyCount()).isZero();
        assertThat(fixture.counters.sum(Counter.DOUBLEWRITE_BATCHES)).isEqualTo(1);
        assertThat(more).isFalse();
    }

    @Test
    void givenFewFreeFrames_whenAUserTakesOne_thenTheCleanerIsWokenBeforeTheLastIsGone() {
        AtomicLong woken = new AtomicLong();
        pool.cleanerWaker(woken::incrementAndGet);
        int page = 0;

        while (woken.get() == 0) {
            fixture.putOnDisk(page(page), page);
            pool.load(page(page), false);
            page++;
        }

        assertThat(pool.freeCount()).isPositive().isLessThan(pool.supply().freeWanted());
    }

    @Test
    void givenTheCleanerAsAnAgent_whenTheStoreIsTenTimesThePool_thenAllChangesGoThrough() {
        BackgroundAgent agent =
                new BackgroundAgent(
                        "test-cleaner", fixture.health, TimeUnit.SECONDS.toNanos(10), cleaner);
        pool.cleanerWaker(agent::wake);
        agent.start();
        int pages = 10 * FRAMES;
        for (int i = 0; i < pages; i++) {
            fixture.putOnDisk(page(i), i);
        }

        for (int i = 0; i < pages; i++) {
            fixture.change(page(i), 2L * i);
        }
        boolean right = true;
        for (int i = 0; i < pages; i++) {
            right &= fixture.read(page(i)) == 2L * i;
        }

        assertThat(right).isTrue();
        assertThat(agent.stop(TimeUnit.SECONDS.toNanos(20))).isTrue();
        assertThat(fixture.health.failed()).isFalse();
    }

    private void changePages(int pages) {
        for (int i = 0; i < pages; i++) {
            fixture.putOnDisk(page(i), i);
            fixture.change(page(i), 1);
        }
    }

    private void fillWithDirtyPages() {
        changePages(FRAMES);
        assertThat(pool.freeCount()).isZero();
    }

    private static long page(int i) {
        return PageId.of(16, i + 1000);
    }
}
