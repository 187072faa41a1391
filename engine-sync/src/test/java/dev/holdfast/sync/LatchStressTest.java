// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.sync.TestLatch.Storage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Many threads on one latch. Plain fields are what they guard: a lost update is a broken exclusion,
 * a thread that does not end is a lost wake-up or starved.
 */
final class LatchStressTest {
    private static final int ROUNDS = Boolean.getBoolean("holdfast.soak") ? 10_000_000 : 20_000;

    private final FreshSite site = new FreshSite();
    private final TestThreads threads = new TestThreads();
    private long first;
    private long second;

    @ParameterizedTest
    @EnumSource
    void givenWriters_whenTheyCountTogether_thenNoCountIsLost(Storage storage) throws Exception {
        TestLatch latch = storage.latch(site);
        for (int i = 0; i < 8; i++) {
            threads.start(
                    () -> {
                        for (int round = 0; round < ROUNDS; round++) {
                            latch.acquireExclusive();
                            first++;
                            latch.releaseExclusive();
                        }
                    });
        }

        threads.join();

        assertThat(first).isEqualTo(8L * ROUNDS);
        assertThat(latch.tryAcquireExclusive()).isTrue();
        latch.releaseExclusive();
    }

    @ParameterizedTest
    @EnumSource
    void givenAllModesMixed_whenAllThreadsEnd_thenNoReaderSawHalfAChange(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicLong changes = new AtomicLong();
        for (int i = 0; i < 6; i++) {
            threads.start(() -> mixed(latch, changes));
        }

        threads.join();

        assertThat(first).isEqualTo(changes.get());
        assertThat(second).isEqualTo(-changes.get());
        assertThat(latch.isShared()).isFalse();
    }

    private void mixed(TestLatch latch, AtomicLong changes) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int round = 0; round < ROUNDS; round++) {
            switch (random.nextInt(8)) {
                case 0 -> {
                    latch.acquireExclusive();
                    change(changes);
                    latch.releaseExclusive();
                }
                case 1 -> {
                    long version = latch.optimisticVersion();
                    long expected = first;
                    if (latch.tryUpgradeToExclusive(version)) {
                        requireEqual(expected, first);
                        change(changes);
                        latch.releaseExclusive();
                    }
                }
                case 2 -> {
                    if (latch.tryAcquireExclusive()) {
                        change(changes);
                        latch.releaseExclusive();
                    }
                }
                case 3, 4 -> {
                    latch.acquireShared();
                    requireEqual(first, -second);
                    latch.releaseShared();
                }
                case 5 -> {
                    if (latch.tryAcquireShared()) {
                        requireEqual(first, -second);
                        latch.releaseShared();
                    }
                }
                default -> readOptimistically(latch);
            }
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // on few processors, who else would see the middle?
    private void change(AtomicLong changes) {
        first++;
        if (changes.incrementAndGet() % 128 == 0) {
            Thread.yield();
        }
        second--;
    }

    private void readOptimistically(TestLatch latch) {
        while (true) {
            long version = latch.optimisticVersion();
            if (LatchWord.isLocked(version)) {
                latch.awaitNotExclusive();
                continue;
            }
            long one = first;
            long other = second;
            if (latch.validate(version)) {
                requireEqual(one, -other);
                return;
            }
        }
    }

    private static void requireEqual(long one, long other) {
        if (one != other) {
            throw new AssertionError("torn: one=" + one + ", other=" + other);
        }
    }

    @ParameterizedTest
    @EnumSource
    void givenSharedUpdateExclusiveAndUpgrades_whenAllThreadsEnd_thenEachModeExcludedItsOthers(
            Storage storage) throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicLong changes = new AtomicLong();
        AtomicInteger updaters = new AtomicInteger();
        for (int i = 0; i < 6; i++) {
            threads.start(() -> allModes(latch, changes, updaters));
        }

        threads.join();

        assertThat(first).isEqualTo(changes.get());
        assertThat(second).isEqualTo(-changes.get());
        assertThat(latch.tryAcquireExclusive()).isTrue();
        latch.releaseExclusive();
    }

    private void allModes(TestLatch latch, AtomicLong changes, AtomicInteger updaters) {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        for (int round = 0; round < ROUNDS; round++) {
            switch (random.nextInt(7)) {
                case 0 -> {
                    latch.acquireExclusive();
                    changeAlone(changes, updaters);
                    latch.releaseExclusive();
                }
                case 1 -> {
                    latch.acquireExclusive();
                    changeAlone(changes, updaters);
                    latch.downgradeToUpdate();
                    beUpdater(updaters);
                    latch.releaseUpdate();
                }
                case 2 -> {
                    latch.acquireUpdate();
                    beUpdater(updaters);
                    long seen = first;
                    latch.upgradeToExclusive();
                    requireEqual(seen, first);
                    changeAlone(changes, updaters);
                    latch.downgradeToShared();
                    requireEqual(first, -second);
                    latch.releaseShared();
                }
                case 3 -> {
                    latch.acquireUpdate();
                    beUpdater(updaters);
                    if (latch.tryUpgradeToExclusive()) {
                        changeAlone(changes, updaters);
                        latch.releaseExclusive();
                    } else {
                        latch.downgradeToShared();
                        requireEqual(first, -second);
                        latch.releaseShared();
                    }
                }
                case 4 -> timed(latch, changes, updaters, random);
                case 5 -> {
                    latch.acquireShared();
                    requireEqual(first, -second);
                    latch.releaseShared();
                }
                default -> readOptimistically(latch);
            }
        }
    }

    private void timed(
            TestLatch latch, AtomicLong changes, AtomicInteger updaters, ThreadLocalRandom random) {
        long timeoutNanos = random.nextInt(4) * 20_000L;
        int mode = random.nextInt(3);
        if (mode == 0 && latch.tryAcquireUpdate(timeoutNanos)) {
            beUpdater(updaters);
            latch.releaseUpdate();
        } else if (mode == 1 && latch.tryAcquireExclusive(timeoutNanos)) {
            changeAlone(changes, updaters);
            latch.releaseExclusive();
        } else if (mode == 2 && latch.tryAcquireShared(timeoutNanos)) {
            requireEqual(first, -second);
            latch.releaseShared();
        }
    }

    private void changeAlone(AtomicLong changes, AtomicInteger updaters) {
        requireEqual(0, updaters.get());
        change(changes);
    }

    private void beUpdater(AtomicInteger updaters) {
        requireEqual(0, updaters.getAndIncrement());
        requireEqual(first, -second);
        requireEqual(1, updaters.getAndDecrement());
    }

    @ParameterizedTest
    @EnumSource
    void givenAllOthersNeverRest_whenOneWantsUpdate_thenItIsNotStarved(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicBoolean done = new AtomicBoolean();
        for (int i = 0; i < 4; i++) {
            boolean shares = i % 2 == 0;
            threads.start(
                    () -> {
                        while (!done.get()) {
                            if (shares) {
                                latch.acquireShared();
                                spin();
                                latch.releaseShared();
                            } else {
                                latch.acquireExclusive();
                                spin();
                                latch.releaseExclusive();
                            }
                        }
                    });
        }

        threads.start(
                () -> {
                    for (int round = 0; round < ROUNDS / 40; round++) {
                        latch.acquireUpdate();
                        latch.upgradeToExclusive();
                        first++;
                        latch.releaseExclusive();
                    }
                    done.set(true);
                });

        threads.join();
        assertThat(first).isEqualTo(ROUNDS / 40);
    }

    @ParameterizedTest
    @EnumSource
    void givenOptimisticReaders_whenAWriterNeverRests_thenNoTornPairValidates(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicBoolean done = new AtomicBoolean();
        AtomicLong changes = new AtomicLong();
        for (int i = 0; i < 2; i++) {
            threads.start(
                    () -> {
                        while (!done.get()) {
                            readOptimistically(latch);
                        }
                    });
        }
        threads.start(
                () -> {
                    for (int round = 0; round < ROUNDS; round++) {
                        latch.acquireExclusive();
                        change(changes);
                        latch.releaseExclusive();
                    }
                    done.set(true);
                });

        threads.join();

        assertThat(first).isEqualTo(ROUNDS);
        assertThat(second).isEqualTo(-ROUNDS);
    }

    @ParameterizedTest
    @EnumSource
    void givenReadersThatAlwaysOverlap_whenAWriterComes_thenItIsNotStarved(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicBoolean done = new AtomicBoolean();
        for (int i = 0; i < 4; i++) {
            threads.start(
                    () -> {
                        while (!done.get()) {
                            latch.acquireShared();
                            spin();
                            latch.releaseShared();
                        }
                    });
        }

        threads.start(() -> acquireOftenThenEnd(latch, done, true));

        threads.join();
        assertThat(first).isEqualTo(ROUNDS / 20);
    }

    @ParameterizedTest
    @EnumSource
    void givenWritersThatNeverRest_whenAReaderComes_thenItIsNotStarved(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        AtomicBoolean done = new AtomicBoolean();
        for (int i = 0; i < 4; i++) {
            threads.start(
                    () -> {
                        while (!done.get()) {
                            latch.acquireExclusive();
                            spin();
                            latch.releaseExclusive();
                        }
                    });
        }

        threads.start(() -> acquireOftenThenEnd(latch, done, false));

        threads.join();
        assertThat(latch.isShared()).isFalse();
    }

    private void acquireOftenThenEnd(TestLatch latch, AtomicBoolean done, boolean exclusive) {
        for (int round = 0; round < ROUNDS / 20; round++) {
            if (exclusive) {
                latch.acquireExclusive();
                first++;
                latch.releaseExclusive();
            } else {
                latch.acquireShared();
                latch.releaseShared();
            }
        }
        done.set(true);
    }

    private static void spin() {
        for (int i = 0; i < 20; i++) {
            Thread.onSpinWait();
        }
    }

    @ParameterizedTest
    @EnumSource
    void givenThreadsInterruptedAtRandom_whenTheyWait_thenExclusionHoldsAndAllEnd(Storage storage)
            throws Exception {
        TestLatch latch = storage.latch(site);
        Thread[] writers = new Thread[4];
        for (int i = 0; i < writers.length; i++) {
            writers[i] =
                    threads.start(
                            () -> {
                                for (int round = 0; round < ROUNDS / 4; round++) {
                                    latch.acquireExclusive();
                                    first++;
                                    latch.releaseExclusive();
                                }
                            });
        }

        for (int i = 0; !threads.allEnded(); i++) {
            writers[i % writers.length].interrupt();
            Thread.onSpinWait();
        }

        threads.join();
        assertThat(first).isEqualTo(4L * (ROUNDS / 4));
    }
}
