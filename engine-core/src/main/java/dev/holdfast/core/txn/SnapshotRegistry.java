// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * The snapshots in use, one number each, and the horizon: what is committed up to it is visible to
 * every snapshot, those of the future included.
 */
final class SnapshotRegistry {
    /*
     * P5. A slot holds 0 (free), the LSN of a snapshot, or that of the last published horizon with
     * the REGISTERING bit. To register: flag the slot, full fence, read the append LSN, store it.
     * The agent: read the append LSN, full fence, scan. If the scan missed the flag, the flag was
     * stored after the scan read the slot, so the snapshot's LSN was read after the agent's, and is
     * not lower. If it saw the flag, the number beside it is a horizon already published, and the
     * minimum stays there.
     *
     *   field      written by                      read by
     *   slots      the owner of the slot           the agent
     *   chunks     acquire, under growLock         anyone
     *   horizon    the agent, rising only          anyone
     *
     * Slots lie a cache line apart, and so do their holders, since each is written by one thread on
     * every begin and end.
     */
    static final int CHUNK_SLOTS = 64;

    /** Limit of snapshots and transactions in use at once. */
    static final int SLOTS_MAX = 1 << 20;

    private static final int STRIDE_SHIFT = 3;

    /** References take four bytes, or eight in a large heap. */
    private static final int HOLDER_STRIDE_SHIFT = 4;

    private static final long FREE = 0;
    private static final long REGISTERING = 1L << 62;

    /** In use, but no snapshot just now: higher than any LSN, so it holds nothing back. */
    private static final long SUSPENDED = 1L << 61;

    private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(long[].class);
    private static final VarHandle HOLDER = MethodHandles.arrayElementVarHandle(View[].class);

    private final LongSupplier appendLsn;
    private final ReentrantLock growLock = new ReentrantLock();
    private volatile long[][] chunks = {new long[CHUNK_SLOTS << STRIDE_SHIFT]};

    /** Who has a slot, for the engine's close and for reports. Grows before the chunks do. */
    private volatile View[][] holders = {newHolders()};

    private volatile long horizon;

    /**
     * Makes an empty registry.
     *
     * @param appendLsn the append LSN of the log, read by one volatile access
     */
    SnapshotRegistry(LongSupplier appendLsn) {
        this.appendLsn = appendLsn;
        this.horizon = appendLsn.getAsLong();
    }

    /** What is committed up to here every snapshot sees. Never falls. */
    long horizon() {
        return horizon;
    }

    /**
     * Takes a free slot and flags it as registering; {@link #register} gives it its number.
     *
     * @return the slot, or -1 if {@link #SLOTS_MAX} are in use
     */
    int acquire() {
        int probe = (int) Thread.currentThread().getId() * 7;
        while (true) {
            long[][] now = chunks;
            int slots = now.length * CHUNK_SLOTS;
            for (int i = 0; i < slots; i++) {
                int slot = Math.floorMod(probe + i, slots);
                long[] chunk = now[slot / CHUNK_SLOTS];
                int index = index(slot);
                // Opaque: a stale look only leads to another slot; the exchange decides.
                if ((long) SLOT.getOpaque(chunk, index) == FREE
                        && SLOT.compareAndSet(chunk, index, FREE, REGISTERING | horizon)) {
                    return slot;
                }
            }
            if (slots >= SLOTS_MAX) {
                return -1;
            }
            grow(now);
        }
    }

    private void grow(long[][] seen) {
        growLock.lock();
        try {
            if (chunks == seen) {
                long[][] larger = Arrays.copyOf(seen, seen.length * 2);
                for (int i = seen.length; i < larger.length; i++) {
                    larger[i] = new long[CHUNK_SLOTS << STRIDE_SHIFT];
                }
                View[][] moreHolders = Arrays.copyOf(holders, larger.length);
                for (int i = seen.length; i < larger.length; i++) {
                    moreHolders[i] = newHolders();
                }
                holders = moreHolders;
                chunks = larger;
            }
        } finally {
            growLock.unlock();
        }
    }

    /** Gives an acquired slot a new snapshot: the append LSN of now. */
    long register(int slot) {
        long[] chunk = chunks[slot / CHUNK_SLOTS];
        int index = index(slot);
        SLOT.setVolatile(chunk, index, REGISTERING | horizon);
        VarHandle.fullFence();
        long lsn = appendLsn.getAsLong();
        assert lsn > 0 && lsn < SUSPENDED : "lsn=" + lsn;
        // Release; pairs with the agent's acquire. Nothing read under the snapshot moves before it.
        SLOT.setRelease(chunk, index, lsn);
        return lsn;
    }

    /** Says who has the slot. Volatile: the caller looks whether the engine closes after it. */
    void holder(int slot, View view) {
        HOLDER.setVolatile(holders[slot / CHUNK_SLOTS], holderIndex(slot), view);
    }

    /**
     * The views in use. Volatile reads; pair with {@link #holder}: who refuses new views first and
     * looks here then misses none that was let in.
     */
    List<View> holders() {
        List<View> views = new ArrayList<>();
        for (View[] chunk : holders) {
            for (int i = 0; i < chunk.length; i += 1 << HOLDER_STRIDE_SHIFT) {
                View view = (View) HOLDER.getVolatile(chunk, i);
                if (view != null) {
                    views.add(view);
                }
            }
        }
        return views;
    }

    /** Keeps the slot but gives up its snapshot, until it is registered again. */
    void suspend(int slot) {
        SLOT.setRelease(chunks[slot / CHUNK_SLOTS], index(slot), SUSPENDED);
    }

    void release(int slot) {
        long[] chunk = chunks[slot / CHUNK_SLOTS];
        assert (long) SLOT.getAcquire(chunk, index(slot)) != FREE : "slot=" + slot;
        // Release is enough: close may still see the view, and then sees that it has ended.
        HOLDER.setRelease(holders[slot / CHUNK_SLOTS], holderIndex(slot), null);
        SLOT.setRelease(chunk, index(slot), FREE);
    }

    /** Computes and publishes the horizon. One thread at a time. */
    long advanceHorizon() {
        long lowest = appendLsn.getAsLong();
        VarHandle.fullFence();
        for (long[] chunk : chunks) {
            for (int i = 0; i < chunk.length; i += 1 << STRIDE_SHIFT) {
                long value = (long) SLOT.getAcquire(chunk, i);
                if (value != FREE) {
                    lowest = Math.min(lowest, value & ~REGISTERING);
                }
            }
        }
        if (lowest > horizon) {
            horizon = lowest;
        }
        return horizon;
    }

    /** Slots in use. Racy; for reports. */
    int inUse() {
        int count = 0;
        for (long[] chunk : chunks) {
            for (int i = 0; i < chunk.length; i += 1 << STRIDE_SHIFT) {
                if ((long) SLOT.getOpaque(chunk, i) != FREE) {
                    count++;
                }
            }
        }
        return count;
    }

    private static View[] newHolders() {
        return new View[CHUNK_SLOTS << HOLDER_STRIDE_SHIFT];
    }

    private static int index(int slot) {
        return slot % CHUNK_SLOTS << STRIDE_SHIFT;
    }

    private static int holderIndex(int slot) {
        return slot % CHUNK_SLOTS << HOLDER_STRIDE_SHIFT;
    }
}
