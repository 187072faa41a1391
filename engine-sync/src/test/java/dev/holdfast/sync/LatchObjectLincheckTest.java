// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Searches the interleavings of threads that wait for one {@link Latch}, whose queue has a word of
 * its own and whose readers may be spread: if this failed, a wake-up could be lost between the two
 * words, or a reader in a stripe be overlooked.
 */
class LatchObjectLincheckTest {
    @AfterEach
    void unplantAll() {
        TestHooks.reset();
    }

    @Test
    @Timeout(240)
    void givenTwoWords_whenThreadsWaitInAllModes_thenEachOperationIsOneStep() {
        options().check(Latched.class);
    }

    @Test
    @Timeout(240)
    void givenSpreadReaders_whenThreadsWaitInAllModes_thenEachOperationIsOneStep() {
        options().check(Spread.class);
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
    void givenAReleaseThatDoesNotLookAgain_whenSearched_thenTheDeadlockIsFound() {
        TestHooks.plant(PlantedFault.QUEUE_NOT_SEEN);

        assertThatThrownBy(() -> options().check(Latched.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("The execution has hung");
    }

    @Test
    @Timeout(240)
    void givenReadersThatAreNotGathered_whenSearched_thenTheTornReadIsFound() {
        TestHooks.plant(PlantedFault.READERS_NOT_GATHERED);

        assertThatThrownBy(() -> options().check(Spread.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
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
                // The order check is no part of the latch.
                .addGuarantee(forClasses(HeldLatches.class.getName()).allMethods().ignore())
                .sequentialSpecification(LatchLincheckTest.Pair.class);
    }

    /** A pair whose halves change together, guarded by the latch itself. */
    public static class Latched extends LatchLincheckTest.Pair {
        final Latch latch;

        /** Begins with an empty lot: executions that are cut short leave theirs as it was. */
        public Latched() {
            this(new Latch(TestSites.MIDDLE));
        }

        Latched(Latch latch) {
            this.latch = latch;
            LatchLincheckTest.emptyLot();
        }

        @Override
        @Operation
        public int writeExclusive() {
            long version = latch.acquireExclusive();
            int written = super.writeExclusive();
            latch.releaseExclusive(version);
            return written;
        }

        @Override
        @Operation
        public int writeUpgraded() {
            latch.acquireUpdate();
            int seen = left;
            latch.upgradeToExclusive();
            left = seen + 1;
            right++;
            latch.downgradeToShared();
            int written = both();
            latch.releaseShared();
            return written;
        }

        @Override
        @Operation
        public int readShared() {
            latch.acquireShared();
            int read = both();
            latch.releaseShared();
            return read;
        }

        @Override
        @Operation
        public int readOptimistic() {
            while (true) {
                long version = latch.optimisticVersion();
                if (LatchWord.isLocked(version)) {
                    latch.awaitNotExclusive();
                } else {
                    int read = both();
                    if (latch.validate(version)) {
                        return read;
                    }
                }
            }
        }
    }

    /** The same with one stripe for all readers, so that they take each other's units. */
    public static class Spread extends Latched {
        /** Begins with readers that are spread, and goes back to that after each change. */
        public Spread() {
            super(new Latch(TestSites.MIDDLE, new ReaderStripes(1)));
            latch.spread();
        }

        @Override
        @Operation
        public int writeExclusive() {
            int written = super.writeExclusive();
            latch.spread();
            return written;
        }

        @Override
        @Operation
        public int writeUpgraded() {
            return super.writeUpgraded();
        }

        @Override
        @Operation
        public int readShared() {
            return super.readShared();
        }

        @Override
        @Operation
        public int readOptimistic() {
            return super.readOptimistic();
        }
    }
}
