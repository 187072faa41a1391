// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** If a transition were wrong, every latch would be. */
final class LatchWordTest {
    private static final long FREE = 0;

    @Test
    void givenAFreeWord_whenExclusiveIsAcquiredAndReleased_thenOnlyTheVersionHasGrown() {
        long held = LatchWord.exclusiveAcquired(FREE);
        long released = LatchWord.exclusiveReleased(held);

        assertThat(LatchWord.isExclusive(held)).isTrue();
        assertThat(LatchWord.version(held)).isZero();
        assertThat(released).isEqualTo(LatchWord.VERSION_ONE);
    }

    @Test
    void givenTheHighestVersion_whenExclusiveIsReleased_thenItWrapsToZero() {
        long held = LatchWord.VERSION_MASK | LatchWord.EXCLUSIVE | LatchWord.WAITERS;

        assertThat(LatchWord.exclusiveReleased(held)).isEqualTo(LatchWord.WAITERS);
    }

    @Test
    void givenAVersion_whenItIsLookedAtOptimistically_thenQueueBitsAndSharersDoNotShow() {
        long version = 7 * LatchWord.VERSION_ONE;
        long word = version | LatchWord.WAITERS | LatchWord.WOKEN | 3;

        assertThat(LatchWord.isLocked(word)).isFalse();
        assertThat(LatchWord.validates(version | LatchWord.BARRED | 1, word)).isTrue();
        assertThat(LatchWord.validates(version + LatchWord.VERSION_ONE, word)).isFalse();
    }

    @Test
    void givenAnExclusiveHolder_whenLookedAtOptimistically_thenNoVersionValidates() {
        long word = LatchWord.exclusiveAcquired(7 * LatchWord.VERSION_ONE);

        assertThat(LatchWord.isLocked(word)).isTrue();
        assertThat(LatchWord.validates(word, 7 * LatchWord.VERSION_ONE)).isFalse();
        assertThat(LatchWord.validates(word, word)).isFalse();
        assertThat(LatchWord.validates(LatchWord.exclusiveReleased(word), word)).isFalse();
    }

    @Test
    void givenSharersAndAQueue_whenAReaderComes_thenItIsNotAdmittedButAWokenOneIs() {
        long word = LatchWord.waitersSet(LatchWord.sharedAcquired(FREE), true);

        assertThat(LatchWord.admitsShared(word)).isFalse();
        assertThat(LatchWord.admitsWokenShared(word)).isTrue();
        assertThat(LatchWord.admitsShared(LatchWord.sharedReleased(word))).isTrue();
    }

    @Test
    void givenAllSharesTaken_whenAReaderComes_thenItIsNotAdmitted() {
        long full = LatchWord.SHARED_MAX;

        assertThat(LatchWord.admitsShared(full)).isFalse();
        assertThat(LatchWord.admitsWokenShared(full)).isFalse();
        assertThat(LatchWord.admitsShared(full - 1)).isTrue();
    }

    @Test
    void givenAnyHolder_whenAWriterComes_thenItIsNotAdmitted() {
        assertThat(LatchWord.admitsExclusive(FREE)).isTrue();
        assertThat(LatchWord.admitsExclusive(LatchWord.WAITERS | LatchWord.WOKEN)).isTrue();

        assertThat(LatchWord.admitsExclusive(LatchWord.EXCLUSIVE)).isFalse();
        assertThat(LatchWord.admitsExclusive(LatchWord.UPDATE)).isFalse();
        assertThat(LatchWord.admitsExclusive(LatchWord.SHARED_ONE)).isFalse();
    }

    @Test
    void givenAVersion_whenUpgraded_thenOnlyAFreeWordOfThatVersionIsAdmitted() {
        long version = 5 * LatchWord.VERSION_ONE;

        assertThat(LatchWord.admitsUpgrade(version, version)).isTrue();
        assertThat(LatchWord.admitsUpgrade(version | LatchWord.WAITERS, version)).isTrue();
        assertThat(LatchWord.admitsUpgrade(version | LatchWord.SHARED_ONE, version)).isFalse();
        assertThat(LatchWord.admitsUpgrade(version | LatchWord.EXCLUSIVE, version)).isFalse();
        assertThat(LatchWord.admitsUpgrade(version + LatchWord.VERSION_ONE, version)).isFalse();
        assertThat(LatchWord.admitsUpgrade(version, version | LatchWord.WOKEN | 2)).isTrue();
    }

    @Test
    void givenWaiters_whenReleased_thenOnlyTheLastHolderWakesAndOnlyIfNobodyIsOnTheWay() {
        long twoSharers = LatchWord.WAITERS | 2;
        long oneSharer = LatchWord.WAITERS | 1;
        long exclusive = LatchWord.WAITERS | LatchWord.EXCLUSIVE;

        assertThat(LatchWord.sharedReleaseWakes(twoSharers)).isFalse();
        assertThat(LatchWord.sharedReleaseWakes(oneSharer)).isTrue();
        assertThat(LatchWord.sharedReleaseWakes(LatchWord.wokenSet(oneSharer))).isFalse();
        assertThat(LatchWord.sharedReleaseWakes(1)).isFalse();
        assertThat(LatchWord.releaseWakes(exclusive)).isTrue();
        assertThat(LatchWord.releaseWakes(LatchWord.wokenSet(exclusive))).isFalse();
        assertThat(LatchWord.releaseWakes(LatchWord.EXCLUSIVE)).isFalse();
    }

    @Test
    void givenAFreeWord_whenReleased_thenTheAssertionNamesTheFields() {
        assertThatThrownBy(() -> LatchWord.sharedReleased(FREE))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("shared=0");
        assertThatThrownBy(() -> LatchWord.exclusiveReleased(FREE))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("exclusive=false");
    }

    @Test
    void givenUpdate_whenReadersCome_thenTheyShareItAndOthersDoNot() {
        long held = LatchWord.updateAcquired(LatchWord.sharedAcquired(FREE));

        assertThat(LatchWord.isUpdate(held)).isTrue();
        assertThat(LatchWord.admitsShared(held)).isTrue();
        assertThat(LatchWord.admitsUpdate(held)).isFalse();
        assertThat(LatchWord.admitsWokenUpdate(held)).isFalse();
        assertThat(LatchWord.admitsExclusive(held)).isFalse();
        assertThat(LatchWord.isLocked(held)).isFalse();
        assertThat(LatchWord.updateReleased(held)).isEqualTo(LatchWord.SHARED_ONE);
    }

    @Test
    void givenABar_whenSomebodyArrives_thenOnlyAFreeLatchAdmitsIt() {
        long barred = LatchWord.waitersSet(FREE, true);
        long barredAndHeld = LatchWord.sharedAcquired(barred);
        long updateWaits = LatchWord.waitersSet(LatchWord.UPDATE, false);

        assertThat(LatchWord.admitsShared(barred)).isTrue();
        assertThat(LatchWord.admitsUpdate(barred)).isTrue();
        assertThat(LatchWord.admitsShared(barredAndHeld)).isFalse();
        assertThat(LatchWord.admitsUpdate(barredAndHeld)).isFalse();
        assertThat(LatchWord.admitsWokenUpdate(barredAndHeld)).isTrue();
        assertThat(LatchWord.admitsShared(updateWaits)).isTrue();
    }

    @Test
    void givenUpdateIsWaitedFor_whenItsHolderCannotWakeIt_thenOthersAreBarred() {
        assertThat(LatchWord.updateWaitBars(LatchWord.UPDATE)).isFalse();
        assertThat(LatchWord.updateWaitBars(LatchWord.EXCLUSIVE)).isFalse();
        assertThat(LatchWord.updateWaitBars(LatchWord.SHARED_ONE)).isTrue();
    }

    @Test
    void givenAReaderTakesTheWakeUp_whenSomebodyIsQueued_thenOthersAreBarredUnlessUpdateIsHeld() {
        long queued = LatchWord.WAITERS | LatchWord.WOKEN | LatchWord.SHARED_ONE;

        assertThat(LatchWord.wokenAcquired(queued))
                .isEqualTo(LatchWord.WAITERS | LatchWord.BARRED | LatchWord.SHARED_ONE);
        assertThat(LatchWord.wokenAcquired(queued | LatchWord.UPDATE))
                .isEqualTo(LatchWord.WAITERS | LatchWord.UPDATE | LatchWord.SHARED_ONE);
        assertThat(LatchWord.wokenAcquired(LatchWord.WOKEN | LatchWord.SHARED_ONE))
                .isEqualTo(LatchWord.SHARED_ONE);
    }

    @Test
    void givenUpdateBesideReaders_whenAnUpgradeIsAwaited_thenNobodyIsAdmittedUntilItIsDue() {
        long awaited = LatchWord.upgradeAwaited(LatchWord.UPDATE | LatchWord.SHARED_ONE);
        long due = LatchWord.sharedReleased(awaited);

        assertThat(LatchWord.isUpgrading(awaited)).isTrue();
        assertThat(LatchWord.admitsUpgrade(awaited)).isFalse();
        assertThat(LatchWord.admitsWokenShared(awaited)).isFalse();
        assertThat(LatchWord.upgradeIsDue(awaited)).isFalse();
        assertThat(LatchWord.sharedReleaseWakes(awaited)).isTrue();
        assertThat(LatchWord.sharedReleaseWakes(LatchWord.wokenSet(awaited))).isTrue();
        assertThat(LatchWord.sharedReleaseWakes(awaited + 1)).isFalse();
        assertThat(LatchWord.validates(awaited, 0)).isTrue();
        assertThat(LatchWord.upgradeIsDue(due)).isTrue();
        assertThat(LatchWord.upgraded(due)).isEqualTo(LatchWord.EXCLUSIVE);
    }

    @Test
    void givenExclusive_whenLowered_thenTheVersionHasGrown() {
        assertThat(LatchWord.downgradedToUpdate(LatchWord.EXCLUSIVE))
                .isEqualTo(LatchWord.VERSION_ONE | LatchWord.UPDATE);
        assertThat(LatchWord.downgradedToShared(LatchWord.EXCLUSIVE))
                .isEqualTo(LatchWord.VERSION_ONE | LatchWord.SHARED_ONE);
    }

    @Test
    void givenUpdate_whenLoweredToShared_thenTheVersionStands() {
        assertThat(LatchWord.downgradedToShared(LatchWord.UPDATE | 2)).isEqualTo(3);
    }

    @Test
    void givenAsManyReadersAsThereMayBe_whenUpdateIsLowered_thenThereIsRoom() {
        long full = LatchWord.updateAcquired(LatchWord.SHARED_MAX);
        long lowered = LatchWord.downgradedToShared(full);

        assertThat(LatchWord.admitsShared(full)).isFalse();
        assertThat(LatchWord.SHARED_MAX).isLessThan(LatchWord.SHARED_MASK);
        assertThat(LatchWord.sharedHolders(lowered)).isEqualTo((int) LatchWord.SHARED_MAX + 1);
        assertThat(LatchWord.isUpdate(lowered)).isFalse();
        assertThat(LatchWord.admitsUpdate(LatchWord.SHARED_MASK)).isFalse();
    }

    @Test
    void givenUpdateIsHeld_whenTheLastReaderLeaves_thenItWakesOnlyWhoDoesNotWaitForUpdate() {
        long word = LatchWord.WAITERS | LatchWord.UPDATE | LatchWord.SHARED_ONE;

        assertThat(LatchWord.sharedReleaseWakes(word)).isFalse();
        assertThat(LatchWord.sharedReleaseWakes(word | LatchWord.BARRED)).isTrue();
    }

    @Test
    void givenAQueue_whenSomeLeaveIt_thenItsBitsAreThoseOfTheRest() {
        long word = LatchWord.WAITERS | LatchWord.BARRED | LatchWord.WOKEN | 7;

        assertThat(LatchWord.queueLeft(word, true, false))
                .isEqualTo(LatchWord.WAITERS | LatchWord.WOKEN | 7);
        assertThat(LatchWord.queueLeft(word, false, false)).isEqualTo(LatchWord.WOKEN | 7);
        assertThat(LatchWord.queueLeft(7, true, true))
                .isEqualTo(LatchWord.WAITERS | LatchWord.BARRED | 7);
    }

    @Test
    void givenEveryBitSet_whenDescribed_thenEachHasItsName() {
        assertThat(LatchWord.describe(-1L))
                .isEqualTo(
                        "version=2199023255551, exclusive=true, update=true, upgrading=true,"
                                + " shared=65535, spread=true, waiters=true, barred=true,"
                                + " woken=true");
    }

    @Test
    void givenAWordNotHeldForUpdate_whenUsedAsIfItWere_thenTheAssertionFails() {
        assertThatThrownBy(() -> LatchWord.updateReleased(FREE)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> LatchWord.upgraded(FREE)).isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> LatchWord.upgraded(LatchWord.UPDATE | 1))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> LatchWord.downgradedToUpdate(LatchWord.UPDATE))
                .isInstanceOf(AssertionError.class);
        assertThatThrownBy(() -> LatchWord.downgradedToShared(FREE))
                .isInstanceOf(AssertionError.class);
    }
}
