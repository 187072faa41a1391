// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.jetbrains.lincheck.LincheckAssertionError;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Searches the interleavings of two threads that try for a latch in all modes: if this failed, the
 * transitions of the word would not be those of one latch with holders and a version.
 */
class LatchWordLincheckTest {
    @Test
    @Timeout(240)
    void givenTwoThreads_whenTheyTryInAllModes_thenTheWordIsTheLatchOfTheSpecification() {
        options().check(Word.class);
    }

    @Test
    @Timeout(240)
    void givenExclusiveThatOverlooksReaders_whenSearched_thenItIsFound() {
        assertThatThrownBy(() -> options().check(ReadersOverlooked.class))
                .isInstanceOf(LincheckAssertionError.class)
                .hasMessageContaining("Invalid execution results");
    }

    private static ModelCheckingOptions options() {
        int times = Boolean.getBoolean("holdfast.soak") ? 10 : 1;
        return new ModelCheckingOptions()
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(0)
                .actorsAfter(0)
                .iterations(30 * times)
                .invocationsPerIteration(60 * times)
                .sequentialSpecification(Specification.class);
    }

    /** What the holders of a latch and its version are, said plainly. For one thread. */
    public static class Specification {
        private static final int THREADS_MAX = 8;
        private static final long NONE = -2;

        private final Mode[] held = new Mode[THREADS_MAX];
        private final long[] seen = new long[THREADS_MAX];
        private long version;

        /** Begins with a free latch. */
        public Specification() {
            Arrays.fill(seen, NONE);
        }

        public boolean tryShared(int thread) {
            return take(thread, Mode.SHARED, count(Mode.EXCLUSIVE) == 0);
        }

        public boolean tryUpdate(int thread) {
            boolean isFree = count(Mode.EXCLUSIVE) == 0 && count(Mode.UPDATE) == 0;
            return take(thread, Mode.UPDATE, isFree);
        }

        public boolean tryExclusive(int thread) {
            return take(thread, Mode.EXCLUSIVE, isFree());
        }

        public boolean tryUpgrade(int thread) {
            if (held[thread] == Mode.UPDATE && count(Mode.SHARED) == 0) {
                held[thread] = Mode.EXCLUSIVE;
                return true;
            }
            return false;
        }

        public boolean tryUpgradeFromOptimistic(int thread) {
            return take(thread, Mode.EXCLUSIVE, isFree() && seen[thread] == version);
        }

        public boolean release(int thread) {
            boolean isHeld = held[thread] != null;
            version += held[thread] == Mode.EXCLUSIVE ? 1 : 0;
            held[thread] = null;
            return isHeld;
        }

        public boolean downgrade(int thread) {
            boolean isLowered = held[thread] == Mode.EXCLUSIVE;
            if (isLowered) {
                version++;
                held[thread] = Mode.UPDATE;
            }
            return isLowered;
        }

        public boolean begin(int thread) {
            boolean isReadable = count(Mode.EXCLUSIVE) == 0;
            seen[thread] = isReadable ? version : NONE;
            return isReadable;
        }

        public boolean validate(int thread) {
            return count(Mode.EXCLUSIVE) == 0 && seen[thread] == version;
        }

        private boolean take(int thread, Mode mode, boolean isAdmitted) {
            if (held[thread] != null || !isAdmitted) {
                return false;
            }
            held[thread] = mode;
            return true;
        }

        private boolean isFree() {
            return count(Mode.EXCLUSIVE) + count(Mode.UPDATE) + count(Mode.SHARED) == 0;
        }

        private int count(Mode mode) {
            int count = 0;
            for (Mode each : held) {
                count += each == mode ? 1 : 0;
            }
            return count;
        }
    }

    /** The word; each thread knows only what it holds and which version it saw. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class Word {
        private static final long NONE = -2;

        final AtomicLong word = new AtomicLong();
        private final Mode[] held = new Mode[Specification.THREADS_MAX];
        private final long[] seen = new long[Specification.THREADS_MAX];

        /** Begins with a free latch. */
        public Word() {
            Arrays.fill(seen, NONE);
        }

        @Operation
        public boolean tryShared(@Param(name = "thread") int thread) {
            return take(thread, Mode.SHARED);
        }

        @Operation
        public boolean tryUpdate(@Param(name = "thread") int thread) {
            return take(thread, Mode.UPDATE);
        }

        @Operation
        public boolean tryExclusive(@Param(name = "thread") int thread) {
            return take(thread, Mode.EXCLUSIVE);
        }

        @Operation
        public boolean tryUpgrade(@Param(name = "thread") int thread) {
            if (held[thread] == Mode.UPDATE && change(Mode.UPGRADE)) {
                held[thread] = Mode.EXCLUSIVE;
                return true;
            }
            return false;
        }

        @Operation
        public boolean tryUpgradeFromOptimistic(@Param(name = "thread") int thread) {
            if (held[thread] != null || seen[thread] == NONE) {
                return false;
            }
            long before = word.get();
            while (LatchWord.admitsUpgrade(before, seen[thread])) {
                if (word.compareAndSet(before, LatchWord.exclusiveAcquired(before))) {
                    held[thread] = Mode.EXCLUSIVE;
                    return true;
                }
                before = word.get();
            }
            return false;
        }

        @Operation
        public boolean release(@Param(name = "thread") int thread) {
            Mode mode = held[thread];
            if (mode == null) {
                return false;
            }
            held[thread] = null;
            if (mode == Mode.SHARED) {
                word.getAndAdd(-LatchWord.SHARED_ONE);
            } else {
                lower(mode == Mode.UPDATE ? Release.UPDATE : Release.EXCLUSIVE);
            }
            return true;
        }

        @Operation
        public boolean downgrade(@Param(name = "thread") int thread) {
            if (held[thread] != Mode.EXCLUSIVE) {
                return false;
            }
            held[thread] = Mode.UPDATE;
            lower(Release.TO_UPDATE);
            return true;
        }

        @Operation
        public boolean begin(@Param(name = "thread") int thread) {
            long version = word.get();
            seen[thread] = LatchWord.isLocked(version) ? NONE : version;
            return !LatchWord.isLocked(version);
        }

        @Operation
        public boolean validate(@Param(name = "thread") int thread) {
            return seen[thread] != NONE && LatchWord.validates(word.get(), seen[thread]);
        }

        boolean isAdmitted(Mode mode, long before) {
            return mode.isAdmittedBy(before, false);
        }

        private boolean take(int thread, Mode mode) {
            if (held[thread] != null || !change(mode)) {
                return false;
            }
            held[thread] = mode;
            return true;
        }

        private boolean change(Mode mode) {
            long before = word.get();
            while (isAdmitted(mode, before)) {
                if (word.compareAndSet(before, mode.acquired(before))) {
                    return true;
                }
                before = word.get();
            }
            return false;
        }

        private void lower(Release how) {
            long before = word.get();
            while (!word.compareAndSet(before, how.applied(before))) {
                before = word.get();
            }
        }
    }

    /** The planted fault: only another holder of exclusive or update keeps exclusive out. */
    @Param(name = "thread", gen = ThreadIdGen.class)
    public static class ReadersOverlooked extends Word {
        @Override
        boolean isAdmitted(Mode mode, long before) {
            return super.isAdmitted(mode, mode == Mode.EXCLUSIVE ? before & ~1 : before);
        }
    }
}
