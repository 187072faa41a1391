// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Readers that are counted outside the latch's word meet one who wants the latch alone. If it
 * fails, a writer gets in beside a reader, or sleeps for one that has left.
 */
@Timeout(60)
final class SpreadReadersTest {
    private final FreshSite site = new FreshSite();
    private final TestThreads threads = new TestThreads();
    // One stripe: all readers share it.
    private final ReaderStripes stripes = new ReaderStripes(1);
    private final Latch latch = new Latch(site, stripes);
    private final CountDownLatch leave = new CountDownLatch(1);

    @BeforeEach
    void spreadReaders() {
        latch.spread();
    }

    @AfterEach
    void resetHooks() {
        TestHooks.reset();
    }

    @Test
    void givenAReaderInAStripe_whenAWriterComes_thenItSleepsUntilTheReaderHasLeft()
            throws Exception {
        Thread reader = holdShared();

        assertThat(stripes.unitsVolatile(0)).isEqualTo(1);
        assertThat(latch.tryAcquireExclusive()).isFalse();
        Thread writer = threads.start(this::write);
        threads.untilParked(writer, site, 1);
        assertThat(reader.isAlive()).isTrue();

        leave.countDown();

        requireFreeAtTheEnd();
    }

    @Test
    void givenAReaderThatHasNotLookedYet_whenAWriterComes_thenTheReaderGivesItsUnitBack()
            throws Exception {
        Thread writer;
        try (TestHooks.Pause entered = TestHooks.pauseAt(Latch.ENTERED)) {
            threads.start(this::read);
            entered.awaitReached();
            writer = threads.start(this::write);
            threads.untilParked(writer, site, 1);
        }

        requireFreeAtTheEnd();
    }

    @Test
    void givenAReaderAboutToEnter_whenAWriterHoldsTheLatchByThen_thenTheReaderStaysOut()
            throws Exception {
        Thread reader;
        try (TestHooks.Pause entering = TestHooks.pauseAt(Latch.ENTERING)) {
            reader = threads.start(this::read);
            entering.awaitReached();
            latch.acquireExclusive();
        }
        threads.untilParked(reader, site, 1);
        latch.releaseExclusive();

        requireFreeAtTheEnd();
    }

    @Test
    void givenAWriterThatGathers_whenTheReaderLeavesMeanwhile_thenItIsNotCountedTwice()
            throws Exception {
        holdShared();
        try (TestHooks.Pause gathering = TestHooks.pauseAt(Latch.GATHERING)) {
            threads.start(this::write);
            gathering.awaitReached();

            leave.countDown();
            threads.until(() -> stripes.unitsVolatile(0) == 0);
        }

        requireFreeAtTheEnd();
    }

    @Test
    void givenAReaderInTheWordAndOneInTheStripe_whenEachTakesTheOthersUnit_thenAllAreGone()
            throws Exception {
        holdShared();
        assertThat(latch.tryAcquireExclusive()).isFalse();
        latch.spread();
        assertThat(latch.isSpread()).isTrue();
        // The stripe's unit is another reader's, the first one's lies in the word.
        CountDownLatch second = new CountDownLatch(1);
        hold(second);
        assertThat(stripes.unitsVolatile(0)).isEqualTo(1);

        leave.countDown();
        threads.until(() -> stripes.unitsVolatile(0) == 0);
        assertThat(latch.tryAcquireExclusive()).isFalse();
        second.countDown();

        requireFreeAtTheEnd();
    }

    @Test
    void givenReadersAboutToBeSpread_whenAWriterQueuesJustBefore_thenItIsWokenAllTheSame()
            throws Exception {
        latch.acquireExclusive();
        latch.releaseExclusive();
        assertThat(latch.isSpread()).isFalse();
        holdShared();
        try (TestHooks.Pause spreading = TestHooks.pauseAt(Latch.SPREADING)) {
            threads.start(latch::spread);
            spreading.awaitReached();
            threads.untilParked(threads.start(this::write), site, 1);
        }
        leave.countDown();

        requireFreeAtTheEnd();
    }

    @Test
    void givenAQueuedWriter_whenReadersAreToBeSpread_thenTheyAreNot() throws Exception {
        holdShared();
        threads.untilParked(threads.start(this::write), site, 1);

        latch.spread();

        assertThat(latch.isSpread()).isFalse();
        leave.countDown();
        requireFreeAtTheEnd();
    }

    @Test
    void givenReadersWhoseCasesFail_whenTheyHaveMetOftenEnough_thenTheyAreSpread()
            throws Exception {
        latch.acquireExclusive();
        latch.releaseExclusive();
        AtomicInteger others = new AtomicInteger();
        Thread reader =
                new Thread(
                        () -> {
                            latch.acquireShared();
                            latch.releaseShared();
                        });
        TestHooks.onReached(
                Latch.JOINING,
                () -> {
                    if (Thread.currentThread() == reader && !latch.isSpread()) {
                        others.incrementAndGet();
                        holdSharedUnchecked();
                    }
                });
        reader.start();
        reader.join();

        assertThat(latch.isSpread()).isTrue();
        assertThat(others.get()).isBetween(1, ReaderStripes.MEETINGS_AFTER_WRITE + 1);
        leave.countDown();
        requireFreeAtTheEnd();
    }

    private void read() {
        latch.acquireShared();
        latch.releaseShared();
    }

    private void write() {
        latch.acquireExclusive();
        latch.releaseExclusive();
    }

    private Thread holdShared() throws InterruptedException {
        return hold(leave);
    }

    private void holdSharedUnchecked() {
        try {
            holdShared();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Returns once a thread holds the latch shared, until {@code end}. */
    private Thread hold(CountDownLatch end) throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        Thread thread =
                threads.start(
                        () -> {
                            latch.acquireShared();
                            held.countDown();
                            try {
                                end.await();
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                            latch.releaseShared();
                        });
        held.await();
        return thread;
    }

    private void requireFreeAtTheEnd() throws InterruptedException {
        threads.join();

        assertThat(latch.isShared()).isFalse();
        assertThat(latch.tryAcquireExclusive()).isTrue();
        latch.releaseExclusive();
    }
}
