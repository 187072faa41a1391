// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

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
        return (long) WORD.getAcquire(words, index);
    }

    /** As {@link BufferLatch#validate}. */
    public boolean validate(int index, long version) {
        // Orders the reads before it against the one behind it; pairs with the store fence that
        // follows the acquire of exclusive.
        VarHandle.acquireFence();
        return LatchWord.validates((long) WORD.getOpaque(words, index), version);
    }

    /** As the form of {@link BufferLatch} with a version. */
    public boolean tryUpgradeToExclusive(int index, long version) {
        long word = (long) WORD.getAcquire(words, index);
        while (LatchWord.admitsUpgrade(word, version)) {
            long seen =
                    (long)
                            WORD.compareAndExchange(
                                    words, index, word, LatchWord.exclusiveAcquired(word));
            if (seen == word) {
                // Pairs with validate: the change is not seen before the exclusive bit.
                VarHandle.storeStoreFence();
                assert HeldLatches.acquiredWithoutWaiting(site, key(index));
                return true;
            }
            word = seen;
        }
        return false;
    }

    /** As {@link BufferLatch#acquireShared}. */
    public void acquireShared(int index) {
        assert HeldLatches.mayWaitFor(site);

        if (!tryShared(index)) {
            ParkingLot.acquire(ACCESS, words, index, Mode.SHARED, site, ParkingLot.FOREVER);
        }
        assert HeldLatches.acquired(site, key(index));
    }

    /** As {@link BufferLatch#tryAcquireShared}. */
    public boolean tryAcquireShared(int index) {
        boolean acquired = tryShared(index);
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key(index));
        return acquired;
    }

    private boolean tryShared(int index) {
        long word = (long) WORD.getAcquire(words, index);
        while (LatchWord.admitsShared(word)) {
            long seen =
                    (long)
                            WORD.compareAndExchange(
                                    words, index, word, LatchWord.sharedAcquired(word));
            if (seen == word) {
                return true;
            }
            word = seen;
        }
        return false;
    }

    /** As the form of {@link BufferLatch} with a time-out. */
    public boolean tryAcquireShared(int index, long timeoutNanos) {
        assert timeoutNanos <= 0 || HeldLatches.mayWaitFor(site);

        boolean acquired =
                LatchForms.acquireWithin(ACCESS, words, index, Mode.SHARED, site, timeoutNanos);
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key(index));
        return acquired;
    }

    /** As {@link BufferLatch#releaseShared}. */
    public void releaseShared(int index) {
        assert HeldLatches.released(site, key(index));

        long word = (long) WORD.getAcquire(words, index);
        assert LatchWord.sharedHolders(word) > 0 : LatchWord.describe(word);

        if (LatchWord.sharedReleaseWakes(word)) {
            ParkingLot.release(ACCESS, words, index, Release.SHARED);
        } else {
            // Cannot fail as a CAS can when readers meet; who queued just before it shows in it.
            TestHooks.reached(ParkingLot.RELEASING);
            word = (long) WORD.getAndAdd(words, index, -LatchWord.SHARED_ONE);
            if (LatchWord.sharedReleaseWakes(word)) {
                ParkingLot.release(ACCESS, words, index, Release.NONE);
            }
        }
    }

    /** As {@link BufferLatch#acquireExclusive}. */
    public void acquireExclusive(int index) {
        assert HeldLatches.mayWaitFor(site);

        if (!tryExclusive(index)) {
            ParkingLot.acquire(ACCESS, words, index, Mode.EXCLUSIVE, site, ParkingLot.FOREVER);
            VarHandle.storeStoreFence();
        }
        assert HeldLatches.acquired(site, key(index));
    }

    /** As {@link BufferLatch#tryAcquireExclusive}. */
    public boolean tryAcquireExclusive(int index) {
        boolean acquired = tryExclusive(index);
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key(index));
        return acquired;
    }

    private boolean tryExclusive(int index) {
        long word = (long) WORD.getAcquire(words, index);
        while (LatchWord.admitsExclusive(word)) {
            long seen =
                    (long)
                            WORD.compareAndExchange(
                                    words, index, word, LatchWord.exclusiveAcquired(word));
            if (seen == word) {
                VarHandle.storeStoreFence();
                return true;
            }
            word = seen;
        }
        return false;
    }

    /** As the form of {@link BufferLatch} with a time-out. */
    public boolean tryAcquireExclusive(int index, long timeoutNanos) {
        assert timeoutNanos <= 0 || HeldLatches.mayWaitFor(site);

        boolean acquired =
                LatchForms.acquireWithin(ACCESS, words, index, Mode.EXCLUSIVE, site, timeoutNanos);
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key(index));
        return acquired;
    }

    /** As {@link BufferLatch#releaseExclusive}. */
    public void releaseExclusive(int index) {
        assert HeldLatches.released(site, key(index));

        long word = (long) WORD.getAcquire(words, index);
        assert LatchWord.isExclusive(word) : LatchWord.describe(word);

        if (LatchWord.releaseWakes(word)) {
            ParkingLot.release(ACCESS, words, index, Release.EXCLUSIVE);
        } else {
            TestHooks.reached(ParkingLot.RELEASING);
            word = (long) WORD.getAndAdd(words, index, LatchWord.EXCLUSIVE);
            if (LatchWord.releaseWakes(word)) {
                ParkingLot.release(ACCESS, words, index, Release.NONE);
            }
        }
    }

    /** As {@link BufferLatch#acquireUpdate}. */
    public void acquireUpdate(int index) {
        assert HeldLatches.mayWaitFor(site);

        LatchForms.acquire(ACCESS, words, index, Mode.UPDATE, site);
        assert HeldLatches.acquired(site, key(index));
    }

    /** As {@link BufferLatch#tryAcquireUpdate}. */
    public boolean tryAcquireUpdate(int index) {
        boolean acquired = LatchForms.tryAcquire(ACCESS, words, index, Mode.UPDATE);
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key(index));
        return acquired;
    }

    /** As the form of {@link BufferLatch} with a time-out. */
    public boolean tryAcquireUpdate(int index, long timeoutNanos) {
        assert timeoutNanos <= 0 || HeldLatches.mayWaitFor(site);

        boolean acquired =
                LatchForms.acquireWithin(ACCESS, words, index, Mode.UPDATE, site, timeoutNanos);
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key(index));
        return acquired;
    }

    /** As {@link BufferLatch#releaseUpdate}. */
    public void releaseUpdate(int index) {
        assert HeldLatches.released(site, key(index));

        LatchForms.release(ACCESS, words, index, Release.UPDATE);
    }

    /** As {@link BufferLatch#upgradeToExclusive}. */
    public void upgradeToExclusive(int index) {
        assert HeldLatches.mayUpgrade(site);

        LatchForms.acquire(ACCESS, words, index, Mode.UPGRADE, site);
    }

    /** As the form of {@link BufferLatch} without a version. */
    public boolean tryUpgradeToExclusive(int index) {
        return LatchForms.tryAcquire(ACCESS, words, index, Mode.UPGRADE);
    }

    /** As {@link BufferLatch#downgradeToUpdate}. */
    public void downgradeToUpdate(int index) {
        LatchForms.release(ACCESS, words, index, Release.TO_UPDATE);
    }

    /** As {@link BufferLatch#downgradeToShared}. */
    public void downgradeToShared(int index) {
        LatchForms.release(ACCESS, words, index, Release.TO_SHARED);
    }

    /** As {@link BufferLatch#awaitNotExclusive}. */
    public void awaitNotExclusive(int index) {
        if (isExclusive(index)) {
            assert HeldLatches.mayWaitFor(site);

            ParkingLot.acquire(ACCESS, words, index, Mode.NOT_EXCLUSIVE, site, ParkingLot.FOREVER);
        }
    }

    /** Whether somebody holds the latch exclusively; for assertions. */
    public boolean isExclusive(int index) {
        return LatchWord.isExclusive((long) WORD.getAcquire(words, index));
    }

    /** Whether somebody holds the latch for update; for assertions. */
    public boolean isUpdate(int index) {
        return LatchWord.isUpdate((long) WORD.getAcquire(words, index));
    }

    /** Whether somebody holds the latch shared; for assertions. */
    public boolean isShared(int index) {
        return LatchWord.sharedHolders((long) WORD.getAcquire(words, index)) > 0;
    }

    /** The latch's state as {@code name=value}, for messages. */
    public String describe(int index) {
        return LatchWord.describe((long) WORD.getAcquire(words, index));
    }

    /** Under what {@link HeldLatches} knows the latch. */
    long key(int index) {
        return HeldLatches.keyOf(words, index);
    }
}
