// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

/** What a crash leaves of the changes that were pending. */
public enum CrashMode {
    /** No pending write arrived; of the names a prefix, with seed 0 none. */
    NOTHING_PENDING,

    /** All pending writes arrived; of the names a prefix, with seed 0 all. */
    ALL_PENDING,

    /** What was done first arrived, over all files: a disk that keeps the order. */
    PREFIX,

    /** Each pending write, and each growth of a length, arrived or not by itself. */
    RANDOM_SUBSET,

    /** One pending write, mostly the last, arrived in some of its sectors; later ones did not. */
    LAST_TORN,

    /** A random subset, and some sectors of pending writes hold noise. */
    GARBAGE_SECTORS,

    /**
     * Only the process died: what it wrote is there and still pending, so that a power loss after
     * the next open may take it. With a seed other than 0 the write in flight may be there in part.
     */
    PROCESS_KILLED;

    /** Whether what was pending is settled by the crash, one way or the other. */
    public boolean isPowerLoss() {
        return this != PROCESS_KILLED;
    }

    /** Whether the seed decides what survives of the writes, and not of names only. */
    boolean isRandom() {
        return this != NOTHING_PENDING && this != ALL_PENDING && this != PROCESS_KILLED;
    }
}
