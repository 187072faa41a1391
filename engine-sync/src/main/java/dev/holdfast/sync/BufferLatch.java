// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import dev.holdfast.sync.Waiter.Mode;
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
            };

    private BufferLatch() {}

    /**
     * Begins an optimistic read. Acquire; pairs with the release of exclusive: what its holder
     * wrote is seen.
     *
     * @return the version for {@link #validate}, or {@link LatchWord#LOCKED} if the latch is held
     *     exclusively
     */
    public static long optimisticVersion(ByteBuffer table, int offset) {
        return LatchWord.optimisticVersion((long) WORD.getAcquire(table, offset));
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
            if (WORD.compareAndSet(table, offset, word, LatchWord.exclusiveAcquired(word))) {
                fenceExclusive();
                return true;
            }
            word = (long) WORD.getAcquire(table, offset);
        }
        return false;
    }

    /** Acquires shared. <b>Latches:</b> waits for the holder of exclusive and for who queued. */
    public static void acquireShared(ByteBuffer table, int offset, ContentionSite site) {
        assert HeldLatches.mayWaitFor(site);

        if (!tryAcquireShared(table, offset)) {
            ParkingLot.acquire(ACCESS, table, offset, Mode.SHARED, site);
        }
    }

    /** Acquires shared unless that would mean to wait. */
    public static boolean tryAcquireShared(ByteBuffer table, int offset) {
        long word = (long) WORD.getAcquire(table, offset);
        while (LatchWord.admitsShared(word)) {
            if (WORD.compareAndSet(table, offset, word, LatchWord.sharedAcquired(word))) {
                return true;
            }
            word = (long) WORD.getAcquire(table, offset);
        }
        return false;
    }

    public static void releaseShared(ByteBuffer table, int offset) {
        long word = (long) WORD.getAcquire(table, offset);
        while (!LatchWord.sharedReleaseWakes(word)) {
            if (WORD.compareAndSet(table, offset, word, LatchWord.sharedReleased(word))) {
                return;
            }
            word = (long) WORD.getAcquire(table, offset);
        }
        ParkingLot.release(ACCESS, table, offset, Mode.SHARED);
    }

    /** Acquires exclusive. <b>Latches:</b> waits for every holder. */
    public static void acquireExclusive(ByteBuffer table, int offset, ContentionSite site) {
        assert HeldLatches.mayWaitFor(site);

        if (!tryAcquireExclusive(table, offset)) {
            ParkingLot.acquire(ACCESS, table, offset, Mode.EXCLUSIVE, site);
            fenceExclusive();
        }
    }

    /** Acquires exclusive unless that would mean to wait. */
    public static boolean tryAcquireExclusive(ByteBuffer table, int offset) {
        long word = (long) WORD.getAcquire(table, offset);
        while (LatchWord.admitsExclusive(word)) {
            if (WORD.compareAndSet(table, offset, word, LatchWord.exclusiveAcquired(word))) {
                fenceExclusive();
                return true;
            }
            word = (long) WORD.getAcquire(table, offset);
        }
        return false;
    }

    /** Releases exclusive and raises the version: optimistic reads that ran beside it fail. */
    public static void releaseExclusive(ByteBuffer table, int offset) {
        long word = (long) WORD.getAcquire(table, offset);
        while (!LatchWord.exclusiveReleaseWakes(word)) {
            if (WORD.compareAndSet(table, offset, word, LatchWord.exclusiveReleased(word))) {
                return;
            }
            word = (long) WORD.getAcquire(table, offset);
        }
        ParkingLot.release(ACCESS, table, offset, Mode.EXCLUSIVE);
    }

    /**
     * Returns once the latch was not held exclusively for at least a moment: what an optimistic
     * reader waits for that met {@link LatchWord#LOCKED}. Acquires nothing.
     */
    public static void awaitNotExclusive(ByteBuffer table, int offset, ContentionSite site) {
        if (LatchWord.isExclusive((long) WORD.getAcquire(table, offset))) {
            assert HeldLatches.mayWaitFor(site);

            ParkingLot.acquire(ACCESS, table, offset, Mode.NOT_EXCLUSIVE, site);
        }
    }

    /** Whether somebody holds the latch exclusively; for assertions. */
    public static boolean isExclusive(ByteBuffer table, int offset) {
        return LatchWord.isExclusive((long) WORD.getAcquire(table, offset));
    }

    /** Whether somebody holds the latch shared; for assertions. */
    public static boolean isShared(ByteBuffer table, int offset) {
        return LatchWord.sharedHolders((long) WORD.getAcquire(table, offset)) > 0;
    }

    /** The latch's state as {@code name=value}, for messages. */
    public static String describe(ByteBuffer table, int offset) {
        return LatchWord.describe((long) WORD.getAcquire(table, offset));
    }

    /**
     * A CAS lets later plain stores pass its own store on some processors; an optimistic reader
     * could then see the holder's first change under the old version. Pairs with {@link #validate}.
     */
    private static void fenceExclusive() {
        VarHandle.storeStoreFence();
    }
}
