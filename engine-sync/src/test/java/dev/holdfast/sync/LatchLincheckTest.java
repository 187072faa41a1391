// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Field;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Searches the interleavings of two threads that wait for one latch, with the real parking lot: if
 * this failed, a wake-up could be lost, or a reader see half of a change.
 *
 * <p>What a latch does is to make each operation on what it guards look like one step, so the
 * specification is the guarded pair without any latch.
 */
class LatchLincheckTest {
    private static final LotStripe[] LOT = lot();

    @AfterEach
    void unplantAll() {
        TestHooks.reset();
    }

    @Test
    @Timeout(240)
    void givenTwoThreads_whenTheyWaitInAllModes_thenEachOperationIsOneStep() {
        options().check(Latched.class);
    }

    @Test
    @Timeout(240)
    void givenAWakeUpThatIsLost_whenSearched_thenTheDeadlockIsFound() {
        TestHooks.plant(PlantedFault.WAKE_UP_LOST);

        assertThatThrownBy(() -> options().check(Latched.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("The execution has hung");
    }

    @Test
    @Timeout(240)
    void givenAReaderThatDoesNotValidate_whenSearched_thenTheTornReadIsFound() {
        assertThatThrownBy(() -> options().check(Unvalidated.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }

    @Test
    @Timeout(240)
    void givenAReleaseThatKeepsTheVersion_whenSearched_thenTheTornReadIsFound() {
        // Of the pairs of operations one shows it: short scenarios, and more of them.
        ModelCheckingOptions options =
                options().actorsPerThread(1).iterations(60).invocationsPerIteration(100);

        assertThatThrownBy(() -> options.check(VersionKept.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }

    @Test
    @Timeout(240)
    void givenASharedReleaseThatLosesTheWaiters_whenSearched_thenTheDeadlockIsFound() {
        assertThatThrownBy(() -> options().check(WaitersLost.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("The execution has hung");
    }

    /** Executions that are cut short leave their waiters in the lot. */
    static void emptyLot() {
        for (int i = 0; i < LOT.length; i++) {
            LOT[i] = new LotStripe();
        }
    }

    private static LotStripe[] lot() {
        try {
            Field field = ParkingLot.class.getDeclaredField("LOT");
            field.setAccessible(true);
            return (LotStripe[]) field.get(null);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the lot is not where it was", e);
        }
    }

    private static ModelCheckingOptions options() {
        int times = Boolean.getBoolean("holdfast.soak") ? 10 : 1;
        return new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(2)
                .actorsBefore(0)
                .actorsAfter(0)
                .iterations(6 * times)
                .invocationsPerIteration(60 * times)
                .sequentialSpecification(Pair.class);
    }

    /** The specification: a pair whose halves change together. */
    public static class Pair {
        private static final int HALF = 100;

        int left;
        int right;

        public int writeExclusive() {
            left++;
            right++;
            return both();
        }

        public int writeUpgraded() {
            return writeExclusive();
        }

        public int readShared() {
            return both();
        }

        public int readOptimistic() {
            return both();
        }

        final int both() {
            return left * HALF + right;
        }
    }

    /**
     * The same under a latch whose word lies in an atomic array: the accesses that Lincheck sees.
     * The release of shared is written as the latches have it, the rest is theirs.
     */
    public static class Latched extends Pair {
        private static final WordAccess ACCESS = new ArrayAccess();

        final AtomicLongArray words = new AtomicLongArray(1);

        /** Begins with an empty lot: executions that are cut short leave theirs as it was. */
        public Latched() {
            emptyLot();
        }

        @Override
        @Operation
        public int writeExclusive() {
            acquire(Mode.EXCLUSIVE);
            int written = super.writeExclusive();
            release(Release.EXCLUSIVE);
            return written;
        }

        @Override
        @Operation
        public int writeUpgraded() {
            acquire(Mode.UPDATE);
            int seen = left;
            acquire(Mode.UPGRADE);
            left = seen + 1;
            right++;
            release(Release.TO_SHARED);
            int written = both();
            releaseShared();
            return written;
        }

        @Override
        @Operation
        public int readShared() {
            acquire(Mode.SHARED);
            int read = both();
            releaseShared();
            return read;
        }

        @Override
        @Operation
        public int readOptimistic() {
            while (true) {
                long version = words.getAcquire(0);
                if (LatchWord.isLocked(version)) {
                    acquire(Mode.NOT_EXCLUSIVE);
                } else {
                    int read = both();
                    if (isValid(version)) {
                        return read;
                    }
                }
            }
        }

        boolean isValid(long version) {
            return LatchWord.validates(words.getAcquire(0), version);
        }

        private void acquire(Mode mode) {
            LatchForms.acquire(ACCESS, words, 0, mode, TestSites.LOW);
        }

        void release(Release how) {
            LatchForms.release(ACCESS, words, 0, how);
        }

        void releaseShared() {
            if (LatchWord.sharedReleaseWakes(words.getAcquire(0))) {
                ParkingLot.release(ACCESS, words, 0, Release.SHARED);
            } else if (LatchWord.sharedReleaseWakes(words.getAndAdd(0, -LatchWord.SHARED_ONE))) {
                ParkingLot.release(ACCESS, words, 0, Release.NONE);
            }
        }
    }

    /** Reaches a word of an atomic array. */
    private static final class ArrayAccess implements WordAccess {
        @Override
        public long wordAcquire(Object storage, int index) {
            return ((AtomicLongArray) storage).getAcquire(index);
        }

        @Override
        public boolean compareAndSet(Object storage, int index, long expected, long update) {
            return ((AtomicLongArray) storage).compareAndSet(index, expected, update);
        }
    }

    /** The planted fault: what an optimistic reader has read is taken for what was there. */
    public static class Unvalidated extends Latched {
        @Override
        boolean isValid(long version) {
            return true;
        }
    }

    /** The planted fault: exclusive is released and the version stays what it was. */
    public static class VersionKept extends Latched {
        @Override
        void release(Release how) {
            long word = words.getAcquire(0);
            if (how != Release.EXCLUSIVE
                    || LatchWord.releaseWakes(word)
                    || !words.compareAndSet(0, word, word & ~LatchWord.EXCLUSIVE)) {
                super.release(how);
            }
        }
    }

    /** The planted fault: who releases shared does not look whether somebody waits. */
    public static class WaitersLost extends Latched {
        @Override
        void releaseShared() {
            words.getAndAdd(0, -LatchWord.SHARED_ONE);
        }
    }
}
