// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

import dev.holdfast.bench.workload.MachineTime;
import dev.holdfast.sync.LatchArray;

/** What latches cost in memory. */
public final class LatchMemory {
    /** The latches of one buffer page in InnoDB 5.1 as built in: a mutex and a rw-lock. */
    public static final int BUILT_IN_BYTES = 104 + 224;

    /** The same in XtraDB 5.1; both without the operating system's events. */
    public static final int XTRADB_BYTES = 56 + 112;

    /** All that a frame needs, its latch included: one line of the frame table. */
    public static final int FRAME_BYTES = 64;

    private LatchMemory() {}

    /**
     * Returns the bytes that an array of so many latches has taken of the heap; zero if unknown.
     */
    public static long measured(int latches) {
        if (take(1) == 0) { // also loads what measuring needs
            return 0;
        }
        return take(latches);
    }

    private static long take(int latches) {
        BenchSite site = new BenchSite();
        long before = MachineTime.allocatedBytes();
        LatchArray array = new LatchArray(latches, site);
        long taken = MachineTime.allocatedBytes() - before;
        if (array.isExclusive(latches - 1)) {
            throw new IllegalStateException("a new latch is held: latches=" + latches);
        }
        return taken;
    }
}
