// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import dev.holdfast.sync.Waiter.Mode;
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

    /** As {@link BufferLatch#tryUpgradeToExclusive}. */
    public boolean tryUpgradeToExclusive(long version) {
        long word = (long) WORD.getAcquire(this);
        while (LatchWord.admitsUpgrade(word, version)) {
            if (WORD.compareAndSet(this, word, LatchWord.exclusiveAcquired(word))) {
                // Pairs with validate: the change is not seen before the exclusive bit.
                VarHandle.storeStoreFence();
                assert HeldLatches.acquiredWithoutWaiting(site, key());
                return true;
            }
            word = (long) WORD.getAcquire(this);
        }
        return false;
    }

    /** Acquires shared; waits for the holder of exclusive and for who queued. */
    public void acquireShared() {
        assert HeldLatches.mayWaitFor(site);

        if (!tryShared()) {
            ParkingLot.acquire(ACCESS, this, INDEX, Mode.SHARED, site);
        }
        assert HeldLatches.acquired(site, key());
    }

    /** Acquires shared unless that would mean to wait. */
    public boolean tryAcquireShared() {
        boolean acquired = tryShared();
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key());
        return acquired;
    }

    private boolean tryShared() {
        long word = (long) WORD.getAcquire(this);
        while (LatchWord.admitsShared(word)) {
            if (WORD.compareAndSet(this, word, LatchWord.sharedAcquired(word))) {
                return true;
            }
            word = (long) WORD.getAcquire(this);
        }
        return false;
    }

    public void releaseShared() {
        assert HeldLatches.released(site, key());

        long word = (long) WORD.getAcquire(this);
        while (!LatchWord.sharedReleaseWakes(word)) {
            if (WORD.compareAndSet(this, word, LatchWord.sharedReleased(word))) {
                return;
            }
            word = (long) WORD.getAcquire(this);
        }
        ParkingLot.release(ACCESS, this, INDEX, Mode.SHARED);
    }

    /** Acquires exclusive; waits for every holder. */
    public void acquireExclusive() {
        assert HeldLatches.mayWaitFor(site);

        if (!tryExclusive()) {
            ParkingLot.acquire(ACCESS, this, INDEX, Mode.EXCLUSIVE, site);
            VarHandle.storeStoreFence();
        }
        assert HeldLatches.acquired(site, key());
    }

    /** Acquires exclusive unless that would mean to wait. */
    public boolean tryAcquireExclusive() {
        boolean acquired = tryExclusive();
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key());
        return acquired;
    }

    private boolean tryExclusive() {
        long word = (long) WORD.getAcquire(this);
        while (LatchWord.admitsExclusive(word)) {
            if (WORD.compareAndSet(this, word, LatchWord.exclusiveAcquired(word))) {
                VarHandle.storeStoreFence();
                return true;
            }
            word = (long) WORD.getAcquire(this);
        }
        return false;
    }

    /** Releases exclusive and raises the version. */
    public void releaseExclusive() {
        assert HeldLatches.released(site, key());

        long word = (long) WORD.getAcquire(this);
        while (!LatchWord.exclusiveReleaseWakes(word)) {
            if (WORD.compareAndSet(this, word, LatchWord.exclusiveReleased(word))) {
                return;
            }
            word = (long) WORD.getAcquire(this);
        }
        ParkingLot.release(ACCESS, this, INDEX, Mode.EXCLUSIVE);
    }

    /** As {@link BufferLatch#awaitNotExclusive}. */
    public void awaitNotExclusive() {
        if (isExclusive()) {
            assert HeldLatches.mayWaitFor(site);

            ParkingLot.acquire(ACCESS, this, INDEX, Mode.NOT_EXCLUSIVE, site);
        }
    }

    /** Whether somebody holds the latch exclusively; for assertions. */
    public boolean isExclusive() {
        return LatchWord.isExclusive((long) WORD.getAcquire(this));
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
        return System.identityHashCode(this);
    }
}
