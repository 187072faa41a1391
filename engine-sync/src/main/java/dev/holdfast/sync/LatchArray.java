// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import dev.holdfast.sync.Waiter.Mode;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Many latches of one site in one array of words: 8 bytes each, named by index. Not reentrant; the
 * thread that acquires one releases it.
 *
 * <p>Modes and guarantees are those of {@link BufferLatch}. {@link HeldLatches} is kept here, under
 * assertions. Neighbours share a cache line.
 */
public final class LatchArray {
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    private static final WordAccess ACCESS =
            new WordAccess() {
                @Override
                public long wordAcquire(Object storage, int index) {
                    return (long) WORD.getAcquire((long[]) storage, index);
                }

                @Override
                public boolean compareAndSet(
                        Object storage, int index, long expected, long update) {
                    return WORD.compareAndSet((long[]) storage, index, expected, update);
                }
            };

    private final long[] words;
    private final ContentionSite site;

    /** Makes {@code length} free latches. */
    public LatchArray(int length, ContentionSite site) {
        this.words = new long[length];
        this.site = site;
    }

    public int length() {
        return words.length;
    }

    public ContentionSite site() {
        return site;
    }

    /** As {@link BufferLatch#optimisticVersion}. */
    public long optimisticVersion(int index) {
        return LatchWord.optimisticVersion((long) WORD.getAcquire(words, index));
    }

    /** As {@link BufferLatch#validate}. */
    public boolean validate(int index, long version) {
        // Orders the reads before it against the one behind it; pairs with the store fence that
        // follows the acquire of exclusive.
        VarHandle.acquireFence();
        return LatchWord.validates((long) WORD.getOpaque(words, index), version);
    }

    /** As {@link BufferLatch#tryUpgradeToExclusive}. */
    public boolean tryUpgradeToExclusive(int index, long version) {
        long word = (long) WORD.getAcquire(words, index);
        while (LatchWord.admitsUpgrade(word, version)) {
            if (WORD.compareAndSet(words, index, word, LatchWord.exclusiveAcquired(word))) {
                // Pairs with validate: the change is not seen before the exclusive bit.
                VarHandle.storeStoreFence();
                assert HeldLatches.acquiredWithoutWaiting(site, key(index));
                return true;
            }
            word = (long) WORD.getAcquire(words, index);
        }
        return false;
    }

    /** Acquires shared; waits for the holder of exclusive and for who queued. */
    public void acquireShared(int index) {
        assert HeldLatches.mayWaitFor(site);

        if (!tryShared(index)) {
            ParkingLot.acquire(ACCESS, words, index, Mode.SHARED, site);
        }
        assert HeldLatches.acquired(site, key(index));
    }

    /** Acquires shared unless that would mean to wait. */
    public boolean tryAcquireShared(int index) {
        boolean acquired = tryShared(index);
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key(index));
        return acquired;
    }

    private boolean tryShared(int index) {
        long word = (long) WORD.getAcquire(words, index);
        while (LatchWord.admitsShared(word)) {
            if (WORD.compareAndSet(words, index, word, LatchWord.sharedAcquired(word))) {
                return true;
            }
            word = (long) WORD.getAcquire(words, index);
        }
        return false;
    }

    public void releaseShared(int index) {
        assert HeldLatches.released(site, key(index));

        long word = (long) WORD.getAcquire(words, index);
        while (!LatchWord.sharedReleaseWakes(word)) {
            if (WORD.compareAndSet(words, index, word, LatchWord.sharedReleased(word))) {
                return;
            }
            word = (long) WORD.getAcquire(words, index);
        }
        ParkingLot.release(ACCESS, words, index, Mode.SHARED);
    }

    /** Acquires exclusive; waits for every holder. */
    public void acquireExclusive(int index) {
        assert HeldLatches.mayWaitFor(site);

        if (!tryExclusive(index)) {
            ParkingLot.acquire(ACCESS, words, index, Mode.EXCLUSIVE, site);
            VarHandle.storeStoreFence();
        }
        assert HeldLatches.acquired(site, key(index));
    }

    /** Acquires exclusive unless that would mean to wait. */
    public boolean tryAcquireExclusive(int index) {
        boolean acquired = tryExclusive(index);
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key(index));
        return acquired;
    }

    private boolean tryExclusive(int index) {
        long word = (long) WORD.getAcquire(words, index);
        while (LatchWord.admitsExclusive(word)) {
            if (WORD.compareAndSet(words, index, word, LatchWord.exclusiveAcquired(word))) {
                VarHandle.storeStoreFence();
                return true;
            }
            word = (long) WORD.getAcquire(words, index);
        }
        return false;
    }

    /** Releases exclusive and raises the version. */
    public void releaseExclusive(int index) {
        assert HeldLatches.released(site, key(index));

        long word = (long) WORD.getAcquire(words, index);
        while (!LatchWord.exclusiveReleaseWakes(word)) {
            if (WORD.compareAndSet(words, index, word, LatchWord.exclusiveReleased(word))) {
                return;
            }
            word = (long) WORD.getAcquire(words, index);
        }
        ParkingLot.release(ACCESS, words, index, Mode.EXCLUSIVE);
    }

    /** As {@link BufferLatch#awaitNotExclusive}. */
    public void awaitNotExclusive(int index) {
        if (isExclusive(index)) {
            assert HeldLatches.mayWaitFor(site);

            ParkingLot.acquire(ACCESS, words, index, Mode.NOT_EXCLUSIVE, site);
        }
    }

    /** Whether somebody holds the latch exclusively; for assertions. */
    public boolean isExclusive(int index) {
        return LatchWord.isExclusive((long) WORD.getAcquire(words, index));
    }

    /** Whether somebody holds the latch shared; for assertions. */
    public boolean isShared(int index) {
        return LatchWord.sharedHolders((long) WORD.getAcquire(words, index)) > 0;
    }

    /** The latch's state as {@code name=value}, for messages. */
    public String describe(int index) {
        return LatchWord.describe((long) WORD.getAcquire(words, index));
    }

    private long key(int index) {
        return (long) System.identityHashCode(words) << Integer.SIZE | index;
    }
}
