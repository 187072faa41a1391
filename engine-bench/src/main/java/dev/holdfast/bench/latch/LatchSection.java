// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

/** How long a latch is held. */
public enum LatchSection {
    /** Two accesses: some nanoseconds. */
    SHORT("short", 0),
    /** With work between them. */
    MICRO("1 us", 1_000);

    private final String title;
    private final long nanos;

    LatchSection(String title, long nanos) {
        this.title = title;
        this.nanos = nanos;
    }

    public String title() {
        return title;
    }

    /** Calibrates: the work in tokens, as this machine is now. */
    public long tokens() {
        return nanos == 0 ? 0 : WorkTokens.of(nanos);
    }
}
