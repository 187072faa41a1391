// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.EngineFailedException;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The meetings of appenders, leaders and followers that hardly happen by themselves. */
@Timeout(60)
final class RedoLogSyncPointTest {
    private static final RedoOptions OPTIONS = TestLog.options(64, 1 << 16, 1 << 14);

    private final MemoryDirectory directory = MemoryDirectory.create();
    private TestLog log;

    @BeforeEach
    void create() throws IOException {
        log = TestLog.create(directory, OPTIONS);
    }

    @AfterEach
    void close() throws IOException {
        TestHooks.reset();
        log.close();
    }

    @Test
    void givenAGapBelow_whenALeaderSyncs_thenItWaitsForTheGapToClose() throws Exception {
        CompletableFuture<Void> gap;
        CompletableFuture<Void> commit;
        try (TestHooks.Pause reserved = TestHooks.pauseAt(RedoLog.RESERVED);
                TestHooks.Pause padded = TestHooks.pauseAt(LogLeader.PADDED)) {
            gap = async(() -> log.append(0, 0, 100));
            reserved.awaitReached();
            long end = log.append(0, 1, 100);
            commit = async(() -> log.log.makeDurable(end));
            padded.awaitReached();
            padded.resume();

            assertThat(log.log.closedLsn()).isEqualTo(4096 + 64);
            assertThat(log.log.durableLsn()).isEqualTo(4096 + 64);
            assertThat(commit).isNotDone();
        }

        commit.get(10, TimeUnit.SECONDS);
        gap.get(10, TimeUnit.SECONDS);
        assertRecovered(2);
    }

    @Test
    void givenAGapBelowAndAFullRing_whenALeaderSyncs_thenItMakesRoomForWhoWaitsForTheRing()
            throws Exception {
        CompletableFuture<Void> gap;
        CompletableFuture<Void> filler;
        CompletableFuture<Void> commit;
        try (TestHooks.Pause reserved = TestHooks.pauseAt(RedoLog.RESERVED)) {
            gap = async(() -> log.append(0, 0, 100));
            reserved.awaitReached();
            long end = log.append(0, 1, 100);
            filler =
                    async(
                            () -> {
                                for (int i = 2; i < 12; i++) {
                                    log.append(0, i, 14_000);
                                }
                            });
            while (log.counters.sum(Counter.LOG_RING_WAITS) == 0) {
                Thread.onSpinWait();
            }
            commit = async(() -> log.log.makeDurable(end));
        }

        gap.get(10, TimeUnit.SECONDS);
        commit.get(10, TimeUnit.SECONDS);
        filler.get(10, TimeUnit.SECONDS);
        log.log.makeDurable(log.log.closedLsn());
        assertRecovered(12);
    }

    @Test
    void givenAPaddingThatFindsTheRingFull_whenItIsZeroed_thenNothingUnwrittenIsOverwritten()
            throws Exception {
        CompletableFuture<Void> commit;
        CompletableFuture<Void> filler;
        try (TestHooks.Pause led = TestHooks.pauseAt(RedoLog.LED)) {
            log.append(0, 0, 100);
            commit = async(() -> log.log.makeDurable(log.log.closedLsn()));
            led.awaitReached();
            filler =
                    async(
                            () -> {
                                for (int i = 1; i < 10; i++) {
                                    log.append(0, i, 14_000);
                                }
                            });
            while (log.counters.sum(Counter.LOG_RING_WAITS) == 0) {
                Thread.onSpinWait();
            }
        }

        commit.get(10, TimeUnit.SECONDS);
        filler.get(10, TimeUnit.SECONDS);
        log.log.makeDurable(log.log.closedLsn());
        assertRecovered(10);
    }

    @Test
    void givenReservationsBeyondTheRingThatEndAtABorder_whenALeaderSyncs_thenItWritesMeanwhile()
            throws Exception {
        int filling = 3 * Lsn.PAYLOAD - (log.group(0, 0, 1000).length() - 1000);
        CompletableFuture<Void> commit;
        CompletableFuture<Void> filler;
        try (TestHooks.Pause led = TestHooks.pauseAt(RedoLog.LED)) {
            long end = log.append(0, 0, filling);
            commit = async(() -> log.log.makeDurable(end));
            led.awaitReached();
            filler =
                    async(
                            () -> {
                                for (int i = 1; i < 6; i++) {
                                    log.append(0, i, filling);
                                }
                            });
            while (log.counters.sum(Counter.LOG_RING_WAITS) == 0) {
                Thread.onSpinWait();
            }
            assertThat(log.log.appendLsn() % Lsn.BLOCK_BYTES).isEqualTo(BlockHeader.BYTES);
        }

        commit.get(10, TimeUnit.SECONDS);
        filler.get(10, TimeUnit.SECONDS);
        log.log.makeDurable(log.log.closedLsn());
        assertRecovered(6);
    }

    @Test
    void givenASyncInFlight_whenOthersCommitMeanwhile_thenOneMoreSyncCoversThemAll()
            throws Exception {
        CompletableFuture<Void> first;
        CompletableFuture<Void> second;
        CompletableFuture<Void> third;
        try (TestHooks.Pause written = TestHooks.pauseAt(LogLeader.WRITTEN)) {
            long a = log.append(0, 0, 10);
            first = async(() -> log.log.makeDurable(a));
            written.awaitReached();
            long parks = CoreSites.LOG_DURABILITY.counters().parks();
            long b = log.append(0, 1, 10);
            long c = log.append(0, 2, 10);
            second = async(() -> log.log.makeDurable(b));
            third = async(() -> log.log.makeDurable(c));
            while (CoreSites.LOG_DURABILITY.counters().parks() < parks + 2) {
                Thread.onSpinWait();
            }
            assertThat(log.log.writtenLsn()).isGreaterThan(log.log.durableLsn());
        }

        first.get(10, TimeUnit.SECONDS);
        second.get(10, TimeUnit.SECONDS);
        third.get(10, TimeUnit.SECONDS);
        assertThat(log.counters.sum(Counter.LOG_SYNCS)).isEqualTo(2);
        assertRecovered(3);
    }

    @Test
    void givenAGroupThatIsNotPublishedYet_whenALeaderNeedsIt_thenItsWaitIsCounted()
            throws Exception {
        long end = log.append(0, 0, 10);
        long before = CoreSites.LOG_PUBLISH.counters().contendedAcquires();
        try (TestHooks.Pause copied = TestHooks.pauseAt(RedoLog.COPIED)) {
            CompletableFuture<Void> appender = async(() -> log.append(0, 1, 100));
            copied.awaitReached();
            CompletableFuture<Void> leader = async(() -> log.log.makeDurable(end));
            while (CoreSites.LOG_PUBLISH.counters().contendedAcquires() == before) {
                Thread.onSpinWait();
            }

            copied.resume();

            appender.get(10, TimeUnit.SECONDS);
            leader.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void givenBytesPublishedBeforeTheirCopy_whenALeaderWrites_thenTheEngineFailsAndWritesNothing()
            throws Exception {
        TestHooks.plant(PlantedFault.PUBLISH_BEFORE_COPY);
        try (TestHooks.Pause copied = TestHooks.pauseAt(RedoLog.COPIED)) {
            CompletableFuture<Void> appender = async(() -> log.append(0, 0, 100));
            copied.awaitReached();

            assertThatThrownBy(() -> log.log.makeDurable(log.log.closedLsn()))
                    .isInstanceOf(EngineFailedException.class);

            assertThat(log.health.cause()).hasMessageContaining("invariant broken");
            assertThat(log.counters.sum(Counter.LOG_WRITES)).isZero();
            copied.resume();
            appender.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void givenALeaderWhoFails_whenAFollowerWaits_thenTheFollowerIsTold() throws Exception {
        long end = log.append(0, 0, 10);
        CompletableFuture<Void> leader;
        CompletableFuture<Void> follower;
        TestHooks.onReached(
                LogLeader.SYNCED,
                () -> {
                    throw new IllegalStateException("planned");
                });
        try (TestHooks.Pause written = TestHooks.pauseAt(LogLeader.WRITTEN)) {
            leader = async(() -> log.log.makeDurable(end));
            written.awaitReached();
            follower = async(() -> log.log.makeDurable(end));
        }

        assertThat(leader).failsWithin(10, TimeUnit.SECONDS);
        assertThat(follower).failsWithin(10, TimeUnit.SECONDS);
        assertThat(log.log.durableLsn()).isEqualTo(4096 + 64);
    }

    private void assertRecovered(int count) throws IOException {
        log.close();
        try (TestLog second = TestLog.recover(directory.reopen(), OPTIONS)) {
            List<Long> numbers =
                    second.recovered.stream().map(TestLog.Group::number).sorted().toList();
            assertThat(numbers).isEqualTo(LongStream.range(0, count).boxed().toList());
        }
    }

    private static CompletableFuture<Void> async(Runnable work) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                work.run();
                                done.complete(null);
                            } catch (Throwable e) {
                                done.completeExceptionally(e);
                            }
                        });
        thread.setDaemon(true);
        thread.start();
        return done;
    }
}
