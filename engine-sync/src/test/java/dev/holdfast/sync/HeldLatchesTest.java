// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** If this check is blind, latches taken in the wrong order show as deadlocks, in production. */
final class HeldLatchesTest {
    @AfterEach
    void releaseAll() {
        for (TestSites site : TestSites.values()) {
            for (long key = 0; key < 40; key++) {
                if (HeldLatches.holds(site, key)) {
                    assertThat(HeldLatches.released(site, key)).isTrue();
                }
            }
        }
        assertThat(HeldLatches.holdsNone()).isTrue();
    }

    @Test
    void givenALatchHeld_whenAHigherRankIsAcquired_thenBothAreHeld() {
        assertThat(HeldLatches.acquired(TestSites.LOW, 1)).isTrue();

        assertThat(HeldLatches.acquired(TestSites.HIGH, 2)).isTrue();

        assertThat(HeldLatches.holds(TestSites.LOW, 1)).isTrue();
        assertThat(HeldLatches.holds(TestSites.HIGH, 2)).isTrue();
        assertThat(HeldLatches.holds(TestSites.HIGH, 1)).isFalse();
        assertThat(HeldLatches.describe()).isEqualTo("[LOW(100) 0x1, HIGH(300) 0x2]");
    }

    @Test
    void givenALatchHeld_whenALowerRankIsAcquired_thenTheErrorListsWhatIsHeld() {
        assertThat(HeldLatches.acquired(TestSites.LOW, 1)).isTrue();
        assertThat(HeldLatches.acquired(TestSites.HIGH, 0x2a)).isTrue();

        assertThatThrownBy(() -> HeldLatches.acquired(TestSites.MIDDLE, 3))
                .isInstanceOf(AssertionError.class)
                .hasMessage(
                        "latch order: wanted=MIDDLE, rank=200,"
                                + " held=[LOW(100) 0x1, HIGH(300) 0x2a]");

        assertThat(HeldLatches.holds(TestSites.MIDDLE, 3)).isFalse();
        assertThat(HeldLatches.released(TestSites.HIGH, 0x2a)).isTrue();
    }

    @Test
    void givenALatchHeld_whenItsOwnRankIsAcquired_thenTheSiteDecides() {
        assertThat(HeldLatches.acquired(TestSites.LOW, 1)).isTrue();
        assertThatThrownBy(() -> HeldLatches.acquired(TestSites.LOW, 2))
                .isInstanceOf(AssertionError.class);

        assertThat(HeldLatches.acquired(TestSites.MIDDLE, 1)).isTrue();
        assertThat(HeldLatches.acquired(TestSites.MIDDLE, 2)).isTrue();
        assertThatThrownBy(() -> HeldLatches.acquired(TestSites.MIDDLE, 2))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("held already");
    }

    @Test
    void givenALatchHeld_whenALowerRankIsGotByATry_thenItIsAllowed() {
        assertThat(HeldLatches.acquired(TestSites.HIGH, 1)).isTrue();

        assertThat(HeldLatches.acquiredWithoutWaiting(TestSites.LOW, 1)).isTrue();

        assertThatThrownBy(() -> HeldLatches.mayWaitFor(TestSites.MIDDLE))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void givenALatchNotHeld_whenReleased_thenTheAssertionFails() {
        assertThat(HeldLatches.acquired(TestSites.LOW, 1)).isTrue();

        assertThatThrownBy(() -> HeldLatches.released(TestSites.LOW, 2))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("not held");
    }

    @Test
    void givenManyLatches_whenReleasedInAnyOrder_thenTheRestIsHeld() {
        for (long key = 0; key < 40; key++) {
            assertThat(HeldLatches.acquired(TestSites.MIDDLE, key)).isTrue();
        }

        for (long key = 0; key < 40; key += 2) {
            assertThat(HeldLatches.released(TestSites.MIDDLE, key)).isTrue();
        }

        for (long key = 0; key < 40; key++) {
            assertThat(HeldLatches.holds(TestSites.MIDDLE, key)).isEqualTo(key % 2 == 1);
        }
    }

    @Test
    void givenAnotherThreadsLatch_whenAsked_thenThisThreadHoldsNone() throws Exception {
        TestThreads threads = new TestThreads();
        threads.start(() -> assertThat(HeldLatches.acquired(TestSites.HIGH, 1)).isTrue());
        threads.join();

        assertThat(HeldLatches.holdsNone()).isTrue();
        assertThat(HeldLatches.mayWaitFor(TestSites.LOW)).isTrue();
    }

    @Test
    void givenAHigherRankHeld_whenAnUpgradeMayWait_thenTheOrderIsRefused() {
        assertThat(HeldLatches.acquired(TestSites.LOW, 1)).isTrue();
        assertThat(HeldLatches.mayUpgrade(TestSites.LOW)).isTrue();
        assertThat(HeldLatches.acquired(TestSites.HIGH, 2)).isTrue();

        assertThatThrownBy(() -> HeldLatches.mayUpgrade(TestSites.LOW))
                .isInstanceOf(AssertionError.class)
                .hasMessage(
                        "latch order: upgrade=LOW, rank=100, held=[LOW(100) 0x1, HIGH(300) 0x2]");

        assertThat(HeldLatches.mayUpgrade(TestSites.HIGH)).isTrue();
    }

    @Test
    void givenTwoOfOneRankHeld_whenAnUpgradeMayWait_thenTheSiteDecides() {
        assertThat(HeldLatches.acquired(TestSites.LOW, 1)).isTrue();
        assertThat(HeldLatches.acquiredWithoutWaiting(TestSites.LOW, 2)).isTrue();
        assertThatThrownBy(() -> HeldLatches.mayUpgrade(TestSites.LOW))
                .isInstanceOf(AssertionError.class);
        assertThat(HeldLatches.acquired(TestSites.MIDDLE, 1)).isTrue();
        assertThat(HeldLatches.acquired(TestSites.MIDDLE, 2)).isTrue();

        assertThat(HeldLatches.mayUpgrade(TestSites.MIDDLE)).isTrue();
    }

    @Test
    void givenALatchHeldElsewhere_whenItsHolderIsAsked_thenTheThreadIsNamedUntilTheRelease()
            throws Exception {
        LatchArray array = new LatchArray(3, TestSites.HIGH);
        long[] key = new long[1];
        TestThreads threads = new TestThreads();
        Semaphore mayRelease = new Semaphore(0);
        CountDownLatch acquired = new CountDownLatch(1);
        Thread holder =
                threads.start(
                        () -> {
                            array.acquireExclusive(2);
                            key[0] = array.key(2);
                            acquired.countDown();
                            mayRelease.acquireUninterruptibly();
                            array.releaseExclusive(2);
                        });
        acquired.await();

        assertThat(HeldLatches.holderOf(TestSites.HIGH, key[0])).isSameAs(holder);
        assertThat(HeldLatches.holderOf(TestSites.LOW, key[0])).isNull();
        assertThat(HeldLatches.holderOf(TestSites.HIGH, key[0] + 1)).isNull();

        mayRelease.release();
        threads.join();
        assertThat(HeldLatches.holderOf(TestSites.HIGH, key[0])).isNull();
    }
}
