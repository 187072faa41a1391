// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/**
 * Two words shown as one, with another thread's step between ours. If it fails, the bits of a queue
 * say what is not so, and a waiter sleeps for ever or behind readers without end.
 */
final class TwoWordAccessTest {
    private static final long QUEUED = LatchWord.WAITERS | LatchWord.BARRED;

    private final Words words = new Words();

    @Test
    void givenAState_whenAWaiterQueuesAndTheStateIsAsItWas_thenItsBitsStay() {
        words.state = LatchWord.EXCLUSIVE;

        boolean queued = change(LatchWord.EXCLUSIVE, LatchWord.EXCLUSIVE | QUEUED);

        assertThat(queued).isTrue();
        assertThat(words.queue).isEqualTo(QUEUED);
    }

    @Test
    void givenAHolderThatReleases_whenAWaiterHasSetItsBits_thenTheyAreTakenBack() {
        words.state = LatchWord.EXCLUSIVE;
        words.afterQueueChange = () -> words.state = LatchWord.VERSION_ONE;

        boolean queued = change(LatchWord.EXCLUSIVE, LatchWord.EXCLUSIVE | QUEUED);

        assertThat(queued).isFalse();
        assertThat(words.queue).isZero();
        assertThat(words.state).isEqualTo(LatchWord.VERSION_ONE);
    }

    @Test
    void givenAReaderThatCameIn_whenAReleaseWakes_thenNobodyIsSaidToBeOnTheWay() {
        words.state = LatchWord.SHARED_ONE;
        words.queue = QUEUED;
        words.afterQueueChange = () -> words.state = 2 * LatchWord.SHARED_ONE;

        boolean released = change(LatchWord.SHARED_ONE | QUEUED, LatchWord.WOKEN);

        assertThat(released).isFalse();
        assertThat(words.queue).isEqualTo(QUEUED);
        assertThat(words.state).isEqualTo(2 * LatchWord.SHARED_ONE);
    }

    @Test
    void givenAWokenThreadThatArrives_whenBitsAreTakenBack_thenItsOwnStaysCleared() {
        words.state = LatchWord.EXCLUSIVE;
        words.queue = LatchWord.WOKEN;
        words.afterQueueChange =
                () -> {
                    words.queue &= ~LatchWord.WOKEN;
                    words.state = LatchWord.VERSION_ONE;
                };

        change(
                LatchWord.EXCLUSIVE | LatchWord.WOKEN,
                LatchWord.EXCLUSIVE | LatchWord.WOKEN | QUEUED);

        assertThat(words.queue).isZero();
    }

    @Test
    void givenAWokenReader_whenTheHolderOfUpdateLeavesBeforeItHasArrived_thenTheBarIsSet() {
        long before = LatchWord.UPDATE | LatchWord.WAITERS | LatchWord.WOKEN;
        words.state = LatchWord.UPDATE;
        words.queue = LatchWord.WAITERS | LatchWord.WOKEN;
        // It has seen woken and wakes nobody: only the last reader will.
        words.beforeQueueChange = () -> words.state &= ~LatchWord.UPDATE;

        boolean acquired = words.acquireWoken(words, 0, before, LatchWord.sharedAcquired(before));

        assertThat(acquired).isTrue();
        assertThat(words.state).isEqualTo(LatchWord.SHARED_ONE);
        assertThat(words.queue).isEqualTo(QUEUED);
    }

    private boolean change(long expected, long update) {
        return words.compareAndSet(words, 0, expected, update);
    }

    /** Two fields; another thread's step comes before or behind the first change of the queue. */
    private static final class Words extends TwoWordAccess {
        private long state;
        private long queue;
        private Runnable beforeQueueChange;
        private Runnable afterQueueChange;

        @Override
        long stateVolatile(Object storage) {
            return state;
        }

        @Override
        boolean compareAndSetState(Object storage, long expected, long update) {
            boolean isExpected = state == expected;
            state = isExpected ? update : state;
            return isExpected;
        }

        @Override
        long queueVolatile(Object storage) {
            return queue;
        }

        @Override
        boolean compareAndSetQueue(Object storage, long expected, long update) {
            Runnable before = beforeQueueChange;
            Runnable after = afterQueueChange;
            beforeQueueChange = null;
            afterQueueChange = null;
            if (before != null) {
                before.run();
            }
            boolean isExpected = queue == expected;
            queue = isExpected ? update : queue;
            if (after != null) {
                after.run();
            }
            return isExpected;
        }
    }
}
