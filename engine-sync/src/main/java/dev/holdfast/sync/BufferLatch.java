// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * Latches whose words lie in a direct buffer, such as the frame table: 8 bytes each, no object.
 *
 * <p>A latch is named by a buffer and the absolute offset of its word, a multiple of 8. Zeroed
 * memory is free latches. All threads must use the same {@link ByteBuffer} object for a latch: a
 * duplicate or a slice of it waits in another queue and is never woken. A latch is not reentrant,
 * and any thread may release what another has acquired.
 *
 * <p>{@link HeldLatches} is kept by the caller; this class checks the order when it may wait.
 */
public final class BufferLatch {
    /**
     * From a latch's word to its tag: eight bytes that say what the latch guards at present, such
     * as the id of the page in a frame. Only the tagged forms look at it.
     */
    public static final int TAG_OFFSET = Long.BYTES;

    private static final VarHandle WORD =
            MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final WordAccess ACCESS =
            new WordAccess() {
                @Override
                public long wordAcquire(Object storage, int index) {
                    return (long) WORD.getAcquire((ByteBuffer) storage, index);
                }

                @Override
                public boolean compareAndSet(
                        Object storage, int index, long expected, long update) {
                    return WORD.compareAndSet((ByteBuffer) storage, index, expected, update);
                }

                @Override
                public long tagVolatile(Object storage, int index) {
                    return (long) WORD.getVolatile((ByteBuffer) storage, index + TAG_OFFSET);
                }
            };

    private BufferLatch() {}

    /**
     * Begins an optimistic read. Acquire; pairs with the release of exclusive: what its holder
     * wrote is seen.
     *
     * @return the version for {@link #validate}; {@link LatchWord#isLocked} tells whether the latch
     *     is held exclusively, and then it never validates. Two versions are not to be compared
     */
    public static long optimisticVersion(ByteBuffer table, int offset) {
        return (long) WORD.getAcquire(table, offset);
    }

    /**
     * Whether all that was read since {@link #optimisticVersion} gave {@code version} is what one
     * moment held. Shared holders do not matter.
     */
    public static boolean validate(ByteBuffer table, int offset, long version) {
        // Orders the reads before it against the one behind it; pairs with the store fence that
        // follows the acquire of exclusive. With it an opaque read is enough.
        VarHandle.acquireFence();
        return LatchWord.validates((long) WORD.getOpaque(table, offset), version);
    }

    /**
     * Acquires exclusive if nobody holds the latch and its version is still {@code version}; what
     * was read under that version is valid then. Never waits.
     */
    public static boolean tryUpgradeToExclusive(ByteBuffer table, int offset, long version) {
        long word = (long) WORD.getAcquire(table, offset);
        while (LatchWord.admitsUpgrade(word, version)) {
            long seen =
                    (long)
                            WORD.compareAndExchange(
                                    table, offset, word, LatchWord.exclusiveAcquired(word));
            if (seen == word) {
                // Pairs with validate: the change is not seen before the exclusive bit.
                VarHandle.storeStoreFence();
                return true;
            }
            word = seen;
        }
        return false;
    }

    /** Acquires shared; waits for the holder of exclusive and for who queued. */
    public static void acquireShared(ByteBuffer table, int offset, ContentionSite site) {
        assert HeldLatches.mayWaitFor(site);

        if (!tryAcquireShared(table, offset)) {
            ParkingLot.acquire(ACCESS, table, offset, Mode.SHARED, site, ParkingLot.FOREVER);
        }
    }

    /**
     * Acquires shared if the latch guards what the caller wants, waiting only as long as it does.
     *
     * <p>Without this a thread that holds other latches could wait for a latch that came to guard
     * something else meanwhile, which the order of ranks knows nothing of. Who changes the tag does
     * so under exclusive and calls {@link #tagChanged}.
     *
     * @param tag the value of the eight bytes at {@link #TAG_OFFSET} that the caller expects
     * @return false if the tag is another: nothing is held then
     */
    public static boolean acquireSharedTagged(
            ByteBuffer table, int offset, ContentionSite site, long tag) {
        assert HeldLatches.mayWaitFor(site);

        if (!tryAcquireShared(table, offset)
                && !ParkingLot.acquireTagged(ACCESS, table, offset, Mode.SHARED, site, tag)) {
            return false;
        }
        // The latch is held: the tag stands still.
        if ((long) WORD.get(table, offset + TAG_OFFSET) != tag) {
            releaseShared(table, offset);
            return false;
        }
        return true;
    }

    /** Acquires shared unless that would mean to wait. */
    public static boolean tryAcquireShared(ByteBuffer table, int offset) {
        long word = (long) WORD.getAcquire(table, offset);
        while (LatchWord.admitsShared(word)) {
            long seen =
                    (long)
                            WORD.compareAndExchange(
                                    table, offset, word, LatchWord.sharedAcquired(word));
            if (seen == word) {
                return true;
            }
            word = seen;
        }
        return false;
    }

    /**
     * Acquires shared, waiting at most {@code timeoutNanos}; not at all if that is zero or less. An
     * interrupt does not end the wait and is kept. If the time ends in the moment in which the
     * latch is handed over, the caller has it. The engine waits for no latch with a limit.
     *
     * @return whether the latch is held now; with false, nothing of the attempt is left
     */
    public static boolean tryAcquireShared(
            ByteBuffer table, int offset, ContentionSite site, long timeoutNanos) {
        assert timeoutNanos <= 0 || HeldLatches.mayWaitFor(site);

        return LatchForms.acquireWithin(ACCESS, table, offset, Mode.SHARED, site, timeoutNanos);
    }

    /** Releases shared. */
    public static void releaseShared(ByteBuffer table, int offset) {
        long word = (long) WORD.getAcquire(table, offset);
        assert LatchWord.sharedHolders(word) > 0 : LatchWord.describe(word);

        if (LatchWord.sharedReleaseWakes(word)) {
            ParkingLot.release(ACCESS, table, offset, Release.SHARED);
        } else {
            // Cannot fail as a CAS can when readers meet; who queued just before it shows in it.
            TestHooks.reached(ParkingLot.RELEASING);
            word = (long) WORD.getAndAdd(table, offset, -LatchWord.SHARED_ONE);
            if (LatchWord.sharedReleaseWakes(word)) {
                ParkingLot.release(ACCESS, table, offset, Release.NONE);
            }
        }
    }

    /** Acquires exclusive; waits for every holder. */
    public static void acquireExclusive(ByteBuffer table, int offset, ContentionSite site) {
        assert HeldLatches.mayWaitFor(site);

        if (!tryAcquireExclusive(table, offset)) {
            ParkingLot.acquire(ACCESS, table, offset, Mode.EXCLUSIVE, site, ParkingLot.FOREVER);
            VarHandle.storeStoreFence();
        }
    }

    /** As {@link #acquireSharedTagged}, exclusively. */
    public static boolean acquireExclusiveTagged(
            ByteBuffer table, int offset, ContentionSite site, long tag) {
        assert HeldLatches.mayWaitFor(site);

        if (!tryAcquireExclusive(table, offset)) {
            if (!ParkingLot.acquireTagged(ACCESS, table, offset, Mode.EXCLUSIVE, site, tag)) {
                return false;
            }
            VarHandle.storeStoreFence();
        }
        if ((long) WORD.get(table, offset + TAG_OFFSET) != tag) {
            releaseExclusive(table, offset);
            return false;
        }
        return true;
    }

    /**
     * Ends the waits for what the latch has guarded before. To be called by the holder of exclusive
     * after each change of the tag, before the latch is released.
     */
    public static void tagChanged(ByteBuffer table, int offset) {
        // The tag before the look for waiters; pairs with the volatile read of the tag by a thread
        // that has set the waiters bit: one of the two sees the other's.
        VarHandle.fullFence();
        if (LatchWord.hasWaiters((long) WORD.getAcquire(table, offset))) {
            ParkingLot.tagChanged(ACCESS, table, offset);
        }
    }

    /** Acquires exclusive unless that would mean to wait. */
    public static boolean tryAcquireExclusive(ByteBuffer table, int offset) {
        long word = (long) WORD.getAcquire(table, offset);
        while (LatchWord.admitsExclusive(word)) {
            long seen =
                    (long)
                            WORD.compareAndExchange(
                                    table, offset, word, LatchWord.exclusiveAcquired(word));
            if (seen == word) {
                VarHandle.storeStoreFence();
                return true;
            }
            word = seen;
        }
        return false;
    }

    /** As {@link #tryAcquireShared(ByteBuffer, int, ContentionSite, long)}. */
    public static boolean tryAcquireExclusive(
            ByteBuffer table, int offset, ContentionSite site, long timeoutNanos) {
        assert timeoutNanos <= 0 || HeldLatches.mayWaitFor(site);

        return LatchForms.acquireWithin(ACCESS, table, offset, Mode.EXCLUSIVE, site, timeoutNanos);
    }

    /** Releases exclusive and raises the version: optimistic reads that ran beside it fail. */
    public static void releaseExclusive(ByteBuffer table, int offset) {
        long word = (long) WORD.getAcquire(table, offset);
        assert LatchWord.isExclusive(word) : LatchWord.describe(word);

        if (LatchWord.releaseWakes(word)) {
            ParkingLot.release(ACCESS, table, offset, Release.EXCLUSIVE);
        } else {
            TestHooks.reached(ParkingLot.RELEASING);
            word = (long) WORD.getAndAdd(table, offset, LatchWord.EXCLUSIVE);
            if (LatchWord.releaseWakes(word)) {
                ParkingLot.release(ACCESS, table, offset, Release.NONE);
            }
        }
    }

    /**
     * Acquires update: beside shared holders, and excluding all others of update or exclusive.
     * Waits for the holder of either and for who queued.
     */
    public static void acquireUpdate(ByteBuffer table, int offset, ContentionSite site) {
        assert HeldLatches.mayWaitFor(site);

        LatchForms.acquire(ACCESS, table, offset, Mode.UPDATE, site);
    }

    /** Acquires update unless that would mean to wait. */
    public static boolean tryAcquireUpdate(ByteBuffer table, int offset) {
        return LatchForms.tryAcquire(ACCESS, table, offset, Mode.UPDATE);
    }

    /** As {@link #tryAcquireShared(ByteBuffer, int, ContentionSite, long)}. */
    public static boolean tryAcquireUpdate(
            ByteBuffer table, int offset, ContentionSite site, long timeoutNanos) {
        assert timeoutNanos <= 0 || HeldLatches.mayWaitFor(site);

        return LatchForms.acquireWithin(ACCESS, table, offset, Mode.UPDATE, site, timeoutNanos);
    }

    /** Releases update; the version stays, since nothing was changed under it. */
    public static void releaseUpdate(ByteBuffer table, int offset) {
        LatchForms.release(ACCESS, table, offset, Release.UPDATE);
    }

    /**
     * Turns the caller's update into exclusive; waits for the shared holders to go. While it sleeps
     * no reader is admitted, and it goes before all that are queued. There can't be two such
     * waiters, nor one who waits for the other: update excludes update. The caller must not hold
     * the latch shared besides.
     */
    public static void upgradeToExclusive(ByteBuffer table, int offset, ContentionSite site) {
        assert HeldLatches.mayUpgrade(site);

        LatchForms.acquire(ACCESS, table, offset, Mode.UPGRADE, site);
    }

    /**
     * Turns the caller's update into exclusive unless somebody shares it; else it stays as it is.
     */
    public static boolean tryUpgradeToExclusive(ByteBuffer table, int offset) {
        return LatchForms.tryAcquire(ACCESS, table, offset, Mode.UPGRADE);
    }

    /** Turns the caller's exclusive into update: readers may come in. Raises the version. */
    public static void downgradeToUpdate(ByteBuffer table, int offset) {
        LatchForms.release(ACCESS, table, offset, Release.TO_UPDATE);
    }

    /**
     * Turns the caller's exclusive, or update, into shared. Raises the version if it was exclusive.
     */
    public static void downgradeToShared(ByteBuffer table, int offset) {
        LatchForms.release(ACCESS, table, offset, Release.TO_SHARED);
    }

    /**
     * Returns once the latch was not held exclusively for at least a moment: what an optimistic
     * reader waits for that met a locked version. Acquires nothing.
     */
    public static void awaitNotExclusive(ByteBuffer table, int offset, ContentionSite site) {
        if (LatchWord.isExclusive((long) WORD.getAcquire(table, offset))) {
            assert HeldLatches.mayWaitFor(site);

            ParkingLot.acquire(ACCESS, table, offset, Mode.NOT_EXCLUSIVE, site, ParkingLot.FOREVER);
        }
    }

    /** The same, but returns also when the tag is another than {@code tag}. */
    public static void awaitNotExclusiveTagged(
            ByteBuffer table, int offset, ContentionSite site, long tag) {
        if (LatchWord.isExclusive((long) WORD.getAcquire(table, offset))) {
            assert HeldLatches.mayWaitFor(site);

            ParkingLot.acquireTagged(ACCESS, table, offset, Mode.NOT_EXCLUSIVE, site, tag);
        }
    }

    /** Whether somebody holds the latch exclusively; for assertions. */
    public static boolean isExclusive(ByteBuffer table, int offset) {
        return LatchWord.isExclusive((long) WORD.getAcquire(table, offset));
    }

    /** Whether somebody holds the latch for update; for assertions. */
    public static boolean isUpdate(ByteBuffer table, int offset) {
        return LatchWord.isUpdate((long) WORD.getAcquire(table, offset));
    }

    /** Whether somebody holds the latch shared; for assertions. */
    public static boolean isShared(ByteBuffer table, int offset) {
        return LatchWord.sharedHolders((long) WORD.getAcquire(table, offset)) > 0;
    }

    /** The latch's state as {@code name=value}, for messages. */
    public static String describe(ByteBuffer table, int offset) {
        return LatchWord.describe((long) WORD.getAcquire(table, offset));
    }
}
