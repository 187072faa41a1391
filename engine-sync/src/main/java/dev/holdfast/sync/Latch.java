// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A latch that is an object, on a cache line of its own: for the handful of latches that every
 * thread meets. Not reentrant; the thread that acquires it releases it.
 *
 * <p>Modes and guarantees are those of {@link BufferLatch}. {@link HeldLatches} is kept here, under
 * assertions.
 */
public final class Latch extends PaddedWord {
    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(PaddedWord.class, "word", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final WordAccess ACCESS =
            new WordAccess() {
                @Override
                public long wordAcquire(Object storage, int index) {
                    return (long) WORD.getAcquire((Latch) storage);
                }

                @Override
                public boolean compareAndSet(
                        Object storage, int index, long expected, long update) {
                    return WORD.compareAndSet((Latch) storage, expected, update);
                }
            };

    private static final int INDEX = 0;

    // Behind the word: the rest of its line. The site is read on slow paths only.
    long after0;
    long after1;
    long after2;
    long after3;
    long after4;
    long after5;
    long after6;

    private final ContentionSite site;

    public Latch(ContentionSite site) {
        this.site = site;
    }

    public ContentionSite site() {
        return site;
    }

    /** As {@link BufferLatch#optimisticVersion}. */
    public long optimisticVersion() {
        return LatchWord.optimisticVersion((long) WORD.getAcquire(this));
    }

    /** As {@link BufferLatch#validate}. */
    public boolean validate(long version) {
        // Orders the reads before it against the one behind it; pairs with the store fence that
        // follows the acquire of exclusive.
        VarHandle.acquireFence();
        return LatchWord.validates((long) WORD.getOpaque(this), version);
    }

    /** As the form of {@link BufferLatch} with a version. */
    public boolean tryUpgradeToExclusive(long version) {
        long word = (long) WORD.getAcquire(this);
        while (LatchWord.admitsUpgrade(word, version)) {
            long seen =
                    (long) WORD.compareAndExchange(this, word, LatchWord.exclusiveAcquired(word));
            if (seen == word) {
                // Pairs with validate: the change is not seen before the exclusive bit.
                VarHandle.storeStoreFence();
                assert HeldLatches.acquiredWithoutWaiting(site, key());
                return true;
            }
            word = seen;
        }
        return false;
    }

    /** As {@link BufferLatch#acquireShared}. */
    public void acquireShared() {
        assert HeldLatches.mayWaitFor(site);

        if (!tryShared()) {
            ParkingLot.acquire(ACCESS, this, INDEX, Mode.SHARED, site, ParkingLot.FOREVER);
        }
        assert HeldLatches.acquired(site, key());
    }

    /** As {@link BufferLatch#tryAcquireShared}. */
    public boolean tryAcquireShared() {
        boolean acquired = tryShared();
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key());
        return acquired;
    }

    private boolean tryShared() {
        long word = (long) WORD.getAcquire(this);
        while (LatchWord.admitsShared(word)) {
            long seen = (long) WORD.compareAndExchange(this, word, LatchWord.sharedAcquired(word));
            if (seen == word) {
                return true;
            }
            word = seen;
        }
        return false;
    }

    /** As the form of {@link BufferLatch} with a time-out. */
    public boolean tryAcquireShared(long timeoutNanos) {
        assert timeoutNanos <= 0 || HeldLatches.mayWaitFor(site);

        boolean acquired =
                LatchForms.acquireWithin(ACCESS, this, INDEX, Mode.SHARED, site, timeoutNanos);
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key());
        return acquired;
    }

    /** As {@link BufferLatch#releaseShared}. */
    public void releaseShared() {
        assert HeldLatches.released(site, key());

        long word = (long) WORD.getAcquire(this);
        assert LatchWord.sharedHolders(word) > 0 : LatchWord.describe(word);

        if (LatchWord.sharedReleaseWakes(word)) {
            ParkingLot.release(ACCESS, this, INDEX, Release.SHARED);
        } else {
            // Cannot fail as a CAS can when readers meet; who queued just before it shows in it.
            TestHooks.reached(ParkingLot.RELEASING);
            word = (long) WORD.getAndAdd(this, -LatchWord.SHARED_ONE);
            if (LatchWord.sharedReleaseWakes(word)) {
                ParkingLot.release(ACCESS, this, INDEX, Release.NONE);
            }
        }
    }

    /** As {@link BufferLatch#acquireExclusive}. */
    public void acquireExclusive() {
        assert HeldLatches.mayWaitFor(site);

        if (!tryExclusive()) {
            ParkingLot.acquire(ACCESS, this, INDEX, Mode.EXCLUSIVE, site, ParkingLot.FOREVER);
            VarHandle.storeStoreFence();
        }
        assert HeldLatches.acquired(site, key());
    }

    /** As {@link BufferLatch#tryAcquireExclusive}. */
    public boolean tryAcquireExclusive() {
        boolean acquired = tryExclusive();
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key());
        return acquired;
    }

    private boolean tryExclusive() {
        long word = (long) WORD.getAcquire(this);
        while (LatchWord.admitsExclusive(word)) {
            long seen =
                    (long) WORD.compareAndExchange(this, word, LatchWord.exclusiveAcquired(word));
            if (seen == word) {
                VarHandle.storeStoreFence();
                return true;
            }
            word = seen;
        }
        return false;
    }

    /** As the form of {@link BufferLatch} with a time-out. */
    public boolean tryAcquireExclusive(long timeoutNanos) {
        assert timeoutNanos <= 0 || HeldLatches.mayWaitFor(site);

        boolean acquired =
                LatchForms.acquireWithin(ACCESS, this, INDEX, Mode.EXCLUSIVE, site, timeoutNanos);
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key());
        return acquired;
    }

    /** As {@link BufferLatch#releaseExclusive}. */
    public void releaseExclusive() {
        assert HeldLatches.released(site, key());

        long word = (long) WORD.getAcquire(this);
        assert LatchWord.isExclusive(word) : LatchWord.describe(word);

        if (LatchWord.releaseWakes(word)) {
            ParkingLot.release(ACCESS, this, INDEX, Release.EXCLUSIVE);
        } else {
            TestHooks.reached(ParkingLot.RELEASING);
            word = (long) WORD.getAndAdd(this, LatchWord.EXCLUSIVE);
            if (LatchWord.releaseWakes(word)) {
                ParkingLot.release(ACCESS, this, INDEX, Release.NONE);
            }
        }
    }

    /** As {@link BufferLatch#acquireUpdate}. */
    public void acquireUpdate() {
        assert HeldLatches.mayWaitFor(site);

        LatchForms.acquire(ACCESS, this, INDEX, Mode.UPDATE, site);
        assert HeldLatches.acquired(site, key());
    }

    /** As {@link BufferLatch#tryAcquireUpdate}. */
    public boolean tryAcquireUpdate() {
        boolean acquired = LatchForms.tryAcquire(ACCESS, this, INDEX, Mode.UPDATE);
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key());
        return acquired;
    }

    /** As the form of {@link BufferLatch} with a time-out. */
    public boolean tryAcquireUpdate(long timeoutNanos) {
        assert timeoutNanos <= 0 || HeldLatches.mayWaitFor(site);

        boolean acquired =
                LatchForms.acquireWithin(ACCESS, this, INDEX, Mode.UPDATE, site, timeoutNanos);
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key());
        return acquired;
    }

    /** As {@link BufferLatch#releaseUpdate}. */
    public void releaseUpdate() {
        assert HeldLatches.released(site, key());

        LatchForms.release(ACCESS, this, INDEX, Release.UPDATE);
    }

    /** As {@link BufferLatch#upgradeToExclusive}. */
    public void upgradeToExclusive() {
        assert HeldLatches.mayUpgrade(site);

        LatchForms.acquire(ACCESS, this, INDEX, Mode.UPGRADE, site);
    }

    /** As the form of {@link BufferLatch} without a version. */
    public boolean tryUpgradeToExclusive() {
        return LatchForms.tryAcquire(ACCESS, this, INDEX, Mode.UPGRADE);
    }

    /** As {@link BufferLatch#downgradeToUpdate}. */
    public void downgradeToUpdate() {
        LatchForms.release(ACCESS, this, INDEX, Release.TO_UPDATE);
    }

    /** As {@link BufferLatch#downgradeToShared}. */
    public void downgradeToShared() {
        LatchForms.release(ACCESS, this, INDEX, Release.TO_SHARED);
    }

    /** As {@link BufferLatch#awaitNotExclusive}. */
    public void awaitNotExclusive() {
        if (isExclusive()) {
            assert HeldLatches.mayWaitFor(site);

            ParkingLot.acquire(ACCESS, this, INDEX, Mode.NOT_EXCLUSIVE, site, ParkingLot.FOREVER);
        }
    }

    /** Whether somebody holds the latch exclusively; for assertions. */
    public boolean isExclusive() {
        return LatchWord.isExclusive((long) WORD.getAcquire(this));
    }

    /** Whether somebody holds the latch for update; for assertions. */
    public boolean isUpdate() {
        return LatchWord.isUpdate((long) WORD.getAcquire(this));
    }

    /** Whether somebody holds the latch shared; for assertions. */
    public boolean isShared() {
        return LatchWord.sharedHolders((long) WORD.getAcquire(this)) > 0;
    }

    @Override
    public String toString() {
        return site.siteName() + '[' + LatchWord.describe((long) WORD.getAcquire(this)) + ']';
    }

    private long key() {
        return HeldLatches.keyOf(this, INDEX);
    }
}
