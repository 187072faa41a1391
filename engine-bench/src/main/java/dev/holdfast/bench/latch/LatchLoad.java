// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

/** What threads do with a latch. */
public enum LatchLoad {
    READ_ONLY("read-only"),
    MIXED("95/5"),
    WRITE_ONLY("write-only");

    /** Of 65536 operations of the mixed load: five in a hundred. */
    private static final int WRITES = 3277;

    private final String title;

    LatchLoad(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }

    /** The next of a thread's random numbers; never zero if {@code random} is not. */
    static int next(int random) {
        int next = random ^ (random << 13);
        next ^= next >>> 17;
        return next ^ (next << 5);
    }

    /** Whether the operation with this random number is a write of the mixed load. */
    static boolean writes(int random) {
        return (random & 0xFFFF) < WRITES;
    }
}
