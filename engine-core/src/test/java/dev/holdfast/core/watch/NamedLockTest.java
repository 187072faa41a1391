// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.buffer.TestThread;
import org.junit.jupiter.api.Test;

/** If this failed, nobody could see how long threads stand before a lock of the engine. */
final class NamedLockTest {
    private final NamedLock lock = new NamedLock(CoreSites.FILE_LENGTH, 7);

    @Test
    void givenAFreeLock_whenTaken_thenNoWaitIsCounted() {
        long before = CoreSites.FILE_LENGTH.counters().contendedAcquires();

        lock.lock();
        lock.unlock();

        assertThat(CoreSites.FILE_LENGTH.counters().contendedAcquires()).isEqualTo(before);
    }

    @Test
    void givenAHolder_whenAnotherWaits_thenTheWaitIsCounted() throws Exception {
        long before = CoreSites.FILE_LENGTH.counters().contendedAcquires();
        lock.lock();
        TestThread<Boolean> other =
                TestThread.start(
                        () -> {
                            boolean atOnce = lock.tryLock();
                            lock.lock();
                            lock.unlock();
                            return atOnce;
                        });
        other.awaitParked();

        lock.unlock();

        assertThat(other.result()).isFalse();
        assertThat(CoreSites.FILE_LENGTH.counters().contendedAcquires()).isEqualTo(before + 1);
    }
}
