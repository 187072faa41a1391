// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A transaction as seen by those who wait for its rows: which shards of the lock table hold
 * somebody to wake when it ends.
 *
 * <p>Made anew for each transaction that writes, never reused, so a late waiter can only flag a
 * transaction that has ended, and finds that out by reading its state again (P14).
 */
final class LockOwner {
    private static final int WORDS = RowLocks.SHARDS / Long.SIZE;
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle WAITED;

    static {
        try {
            WAITED = MethodHandles.lookup().findVarHandle(LockOwner.class, "waited", long[].class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final long transactionId;

    /** Null until somebody waits. Bits are set by waiters, read by the owner at its end. */
    @SuppressWarnings({"unused", "FieldMayBeFinal"})
    private volatile long[] waited;

    LockOwner(long transactionId) {
        this.transactionId = transactionId;
    }

    long transactionId() {
        return transactionId;
    }

    /** Flags a shard. Volatile: the caller reads the owner's state after it. */
    void flagWaiter(int shard) {
        long[] words = waited;
        if (words == null) {
            WAITED.compareAndSet(this, null, new long[WORDS]);
            words = waited;
        }
        WORD.getAndBitwiseOr(words, shard / Long.SIZE, 1L << shard);
    }

    /** Whether somebody waits. Volatile: read by the owner after it stored its final state. */
    boolean hasWaiters() {
        return waited != null;
    }

    boolean isFlagged(int shard) {
        long[] words = waited;
        return words != null
                && ((long) WORD.getVolatile(words, shard / Long.SIZE) & 1L << shard) != 0;
    }
}
