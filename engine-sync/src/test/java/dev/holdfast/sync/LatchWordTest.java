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

        assertThat(LatchWord.optimisticVersion(word)).isEqualTo(version);
        assertThat(LatchWord.validates(word, version)).isTrue();
    }

    @Test
    void givenAnExclusiveHolder_whenLookedAtOptimistically_thenNoVersionValidates() {
        long word = LatchWord.exclusiveAcquired(7 * LatchWord.VERSION_ONE);

        assertThat(LatchWord.optimisticVersion(word)).isEqualTo(LatchWord.LOCKED);
        assertThat(LatchWord.validates(word, 7 * LatchWord.VERSION_ONE)).isFalse();
        assertThat(LatchWord.validates(word, LatchWord.LOCKED)).isFalse();
        assertThat(LatchWord.validates(FREE, LatchWord.LOCKED)).isFalse();
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
        assertThat(LatchWord.admitsUpgrade(version, LatchWord.LOCKED)).isFalse();
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
}
