// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.sync.TestLatch.Storage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What one thread sees of a latch, on each storage. If it fails, holders exclude nobody. */
final class LatchTest {
    private final FreshSite site = new FreshSite();

    @ParameterizedTest
    @EnumSource
    void givenAFreeLatch_whenAcquiredShared_thenSharersJoinAndWritersDoNot(Storage storage) {
        TestLatch latch = storage.latch(site);

        latch.acquireShared();

        assertThat(latch.isShared()).isTrue();
        assertThat(latch.tryAcquireExclusive()).isFalse();
        latch.releaseShared();
        assertThat(latch.isShared()).isFalse();
        assertThat(latch.tryAcquireExclusive()).isTrue();
        latch.releaseExclusive();
    }

    @ParameterizedTest
    @EnumSource
    void givenAnExclusiveHolder_whenTried_thenNobodyGetsIn(Storage storage) {
        TestLatch latch = storage.latch(site);

        latch.acquireExclusive();

        assertThat(latch.isExclusive()).isTrue();
        assertThat(latch.tryAcquireShared()).isFalse();
        assertThat(latch.tryAcquireExclusive()).isFalse();
        assertThat(LatchWord.isLocked(latch.optimisticVersion())).isTrue();
        latch.releaseExclusive();
        assertThat(latch.isExclusive()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void givenAnOptimisticRead_whenSharersCome_thenItValidates(Storage storage) {
        TestLatch latch = storage.latch(site);
        long version = latch.optimisticVersion();

        latch.acquireShared();

        assertThat(latch.validate(version)).isTrue();
        latch.releaseShared();
        assertThat(latch.validate(version)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void givenAnOptimisticRead_whenAWriterCame_thenItDoesNotValidate(Storage storage) {
        TestLatch latch = storage.latch(site);
        long version = latch.optimisticVersion();

        latch.acquireExclusive();
        boolean duringExclusive = latch.validate(version);
        latch.releaseExclusive();

        assertThat(duringExclusive).isFalse();
        assertThat(latch.validate(version)).isFalse();
        assertThat(latch.validate(latch.optimisticVersion())).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void givenAVersion_whenUpgraded_thenItIsExclusiveUnlessSomethingCameBetween(Storage storage) {
        TestLatch latch = storage.latch(site);
        long version = latch.optimisticVersion();

        assertThat(latch.tryAcquireShared()).isTrue();
        assertThat(latch.tryUpgradeToExclusive(version)).isFalse();
        latch.releaseShared();
        assertThat(latch.tryUpgradeToExclusive(version)).isTrue();

        assertThat(latch.isExclusive()).isTrue();
        latch.releaseExclusive();
        assertThat(latch.tryUpgradeToExclusive(version)).isFalse();
        assertThat(latch.isExclusive()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void givenALatchThatIsNotHeld_whenReleased_thenTheAssertionFails(Storage storage) {
        TestLatch latch = storage.latch(site);

        assertThatThrownBy(latch::releaseShared).isInstanceOf(AssertionError.class);
        assertThatThrownBy(latch::releaseExclusive).isInstanceOf(AssertionError.class);
    }

    @ParameterizedTest
    @EnumSource
    void givenNobodyElse_whenUsed_thenNothingIsCounted(Storage storage) {
        TestLatch latch = storage.latch(site);

        latch.acquireShared();
        latch.releaseShared();
        latch.acquireExclusive();
        latch.releaseExclusive();
        latch.awaitNotExclusive();

        assertThat(site.counters().contendedAcquires()).isZero();
        assertThat(site.counters().parks()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void givenALowerRank_whenWaitedForUnderAHigherOne_thenTheOrderIsRefused(Storage storage) {
        TestLatch low = storage.latch(TestSites.LOW);
        assertThat(HeldLatches.acquired(TestSites.HIGH, 1)).isTrue();

        assertThatThrownBy(low::acquireShared)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("HIGH(300) 0x1");
        assertThatThrownBy(low::acquireExclusive).isInstanceOf(AssertionError.class);

        assertThat(low.isShared()).isFalse();
        assertThat(low.isExclusive()).isFalse();
        assertThat(HeldLatches.released(TestSites.HIGH, 1)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void givenALowerRank_whenTriedUnderAHigherOne_thenItIsAllowed(Storage storage) {
        TestLatch low = storage.latch(TestSites.LOW);
        assertThat(HeldLatches.acquired(TestSites.HIGH, 1)).isTrue();

        assertThat(low.tryAcquireExclusive()).isTrue();

        low.releaseExclusive();
        assertThat(HeldLatches.released(TestSites.HIGH, 1)).isTrue();
        assertThat(HeldLatches.holdsNone()).isTrue();
    }
}
