// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.sync.LongWaits.LongWait;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * If it fails, a thread that hangs is not told of, or those that do not are, or again and again.
 */
final class WaitWatchdogTest {
    private static final long LIMIT = TimeUnit.SECONDS.toNanos(10);

    private final FreshSite site = new FreshSite("WATCHED");
    private final Object storage = new Object();
    private final TestThreads threads = new TestThreads();
    private final AtomicBoolean over = new AtomicBoolean();
    private final List<LongWaits> told = new ArrayList<>();
    private final WaitWatchdog watchdog = new WaitWatchdog(LIMIT, told::add);

    @AfterEach
    void endTheWaits() throws Exception {
        over.set(true);
        threads.join();
    }

    @Test
    void givenAWait_whenItIsAtTheLimit_thenNothingIsToldAndBeyondItOnce() {
        long begun = System.nanoTime();
        sleepUntilOver(1);

        assertThat(watchdog.check(begun + LIMIT)).isZero();
        assertThat(watchdog.check(System.nanoTime() + LIMIT)).isEqualTo(1);
        assertThat(watchdog.check(System.nanoTime() + 2 * LIMIT)).isZero();

        assertThat(told).hasSize(1);
        assertThat(watchdog.reported()).isEqualTo(1);
    }

    @Test
    void givenALongWait_whenTold_thenSiteWhatTimeAndStackAreThere() {
        Thread thread = sleepUntilOver(5);

        watchdog.check(System.nanoTime() + LIMIT);

        LongWait wait = told.get(0).waits().get(0);
        assertThat(wait.site()).isSameAs(site);
        assertThat(wait.what()).contains("storage=Object@", "key=5");
        assertThat(wait.waitedNanos()).isGreaterThan(LIMIT).isLessThan(4 * LIMIT);
        assertThat(wait.thread().id()).isEqualTo(thread.getId());
        assertThat(wait.thread().frames().toString()).contains("sleepUntilOver");
        assertThat(wait.holder()).isEmpty();
        assertThat(told.get(0).toText())
                .contains("site=WATCHED", "key=5", "waitedMillis=10", thread.getName())
                .contains("dev.holdfast.sync.WaitWatchdogTest.sleep");
    }

    @Test
    void givenTheThreadWaitsAgain_whenThatIsLongToo_thenItIsToldOfAsAnother() {
        AtomicBoolean firstOver = new AtomicBoolean();
        threads.start(
                () -> {
                    sleep(1, firstOver);
                    sleep(2, over);
                });
        threads.until(() -> site.counters().parks() == 1);
        watchdog.check(System.nanoTime() + LIMIT);
        firstOver.set(true);
        threads.until(() -> site.counters().parks() == 2);

        assertThat(watchdog.check(System.nanoTime() + LIMIT)).isEqualTo(1);

        assertThat(told.get(1).waits().get(0).what()).contains("key=2");
    }

    @Test
    void givenAKnownHolder_whenTold_thenItsStackIsThereAndNoOthers() {
        Thread holder = Thread.currentThread();
        WaitWatchdog knowing =
                new WaitWatchdog(
                        LIMIT,
                        told::add,
                        (of, stored, key) -> "page=" + key,
                        (of, stored, key) ->
                                stored == storage ? Optional.of(holder) : Optional.empty());
        sleepUntilOver(9);

        knowing.check(System.nanoTime() + LIMIT);

        LongWait wait = told.get(0).waits().get(0);
        assertThat(wait.what()).isEqualTo("page=9");
        assertThat(wait.holder().orElseThrow().id()).isEqualTo(holder.getId());
        assertThat(wait.holder().orElseThrow().frames()).isNotEmpty();
        assertThat(told.get(0).others()).isEmpty();
        assertThat(told.get(0).toText()).contains("page=9", "holding: thread=" + holder.getName());
    }

    @Test
    void givenALatchThatIsHeld_whenAThreadWaitsForIt_thenItsHolderIsToldUnlessItsListIsElsewhere()
            throws Exception {
        for (TestLatch.Storage storage : TestLatch.Storage.values()) {
            told.clear();
            TestLatch latch = storage.latch(site);
            long parks = site.counters().parks();
            latch.acquireExclusive();
            Thread waiter =
                    threads.start(
                            () -> {
                                latch.acquireExclusive();
                                latch.releaseExclusive();
                            });
            threads.until(() -> site.counters().parks() > parks);

            watchdog.check(System.nanoTime() + LIMIT);
            latch.releaseExclusive();
            threads.join();

            LongWait wait = told.get(0).waits().get(0);
            assertThat(wait.thread().id()).isEqualTo(waiter.getId());
            assertThat(wait.holder().isPresent()).isEqualTo(storage != TestLatch.Storage.BUFFER);
            wait.holder()
                    .ifPresent(
                            holder ->
                                    assertThat(holder.id())
                                            .isEqualTo(Thread.currentThread().getId()));
        }
    }

    @Test
    void givenNoKnownHolder_whenTold_thenThreadsThatDoNotWaitAreShownAndNoneThatWaits() {
        Thread first = sleepUntilOver(1);
        Thread second = sleepUntilOver(2);
        Thread busy = threads.start(this::beBusy);
        threads.until(() -> busy.getState() == Thread.State.TIMED_WAITING);

        watchdog.check(System.nanoTime() + LIMIT);

        List<Long> others = told.get(0).others().stream().map(ThreadStack::id).toList();
        assertThat(others).contains(busy.getId());
        assertThat(others).doesNotContain(first.getId(), second.getId());
        assertThat(others).doesNotContain(Thread.currentThread().getId());
        assertThat(told.get(0).toText()).contains("not waiting: thread=" + busy.getName());
    }

    @Test
    void givenVeryManyWaits_whenTold_thenAllAreDataAndTheTextIsBounded() {
        int count = LongWaits.WAITS_PRINTED_MAX + 4;
        for (int i = 0; i < count; i++) {
            sleepUntilOver(i);
        }
        for (int i = 0; i < WaitWatchdog.OTHERS_MAX + 2; i++) {
            threads.start(this::beBusy);
        }

        watchdog.check(System.nanoTime() + LIMIT);

        LongWaits waits = told.get(0);
        assertThat(waits.waits()).hasSize(count);
        assertThat(waits.waits().get(0).waitedNanos())
                .isGreaterThanOrEqualTo(waits.waits().get(count - 1).waitedNanos());
        assertThat(waits.waits().get(count - 1).thread().frames()).isEmpty();
        assertThat(waits.others()).hasSize(WaitWatchdog.OTHERS_MAX);
        assertThat(waits.toText()).contains("and more: count=4");
        assertThat(watchdog.reported()).isEqualTo(count);
    }

    @Test
    void givenALimitSetLater_whenChecked_thenItHolds() {
        sleepUntilOver(1);
        watchdog.limitNanos(10 * LIMIT);

        assertThat(watchdog.check(System.nanoTime() + 2 * LIMIT)).isZero();
        assertThat(watchdog.check(System.nanoTime() + 11 * LIMIT)).isEqualTo(1);

        assertThat(told.get(0).limitNanos()).isEqualTo(10 * LIMIT);
    }

    @Test
    void givenAListenerThatThrows_whenChecked_thenTheWaitIsToldOfAllTheSameOnce() {
        WaitWatchdog throwing =
                new WaitWatchdog(
                        LIMIT,
                        waits -> {
                            throw new IllegalStateException("planted");
                        });
        sleepUntilOver(1);

        assertThatThrownBy(() -> throwing.check(System.nanoTime() + LIMIT))
                .isInstanceOf(IllegalStateException.class);

        assertThat(throwing.check(System.nanoTime() + LIMIT)).isZero();
        assertThat(throwing.reported()).isEqualTo(1);
    }

    private Thread sleepUntilOver(long key) {
        long parks = site.counters().parks();
        Thread thread = threads.start(() -> sleep(key, over));
        threads.until(() -> site.counters().parks() > parks);
        return thread;
    }

    private void sleep(long key, AtomicBoolean end) {
        CurrentWait wait = CurrentWait.sleeping(site, storage, key);
        site.counters().countPark();
        while (!end.get()) {
            LockSupport.parkNanos(this, 1_000_000);
        }
        wait.end();
    }

    private void beBusy() {
        Object blocker = this;
        while (!over.get()) {
            LockSupport.parkNanos(blocker, 1_000_000);
        }
    }
}
