// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.sync.BufferLatch;
import dev.holdfast.sync.ContentionSite;
import dev.holdfast.sync.HeldLatches;
import java.util.Optional;

/**
 * Knows the latches of a pool's frames by what {@code CurrentWait} notes of who waits for one:
 * which page each guards, and who holds it. Takes no latch; what it tells may be over.
 */
public final class FrameLatches {
    private final FrameTable frames;

    FrameLatches(FrameTable frames) {
        this.frames = frames;
    }

    /** Whether latches in that storage are this pool's. */
    public boolean areIn(Object storage) {
        return storage == frames.table();
    }

    /** The page, the frame and the latch, as {@code name=value}. */
    public String describe(long offset) {
        return frames.describe(frameAt(offset))
                + ", "
                + BufferLatch.describe(frames.table(), Math.toIntExact(offset));
    }

    /**
     * A thread that holds the latch; known under assertions only, see {@link HeldLatches#holderOf}.
     */
    public Optional<Thread> holderOf(ContentionSite site, long offset) {
        return Optional.ofNullable(HeldLatches.holderOf(site, frameAt(offset)));
    }

    private static int frameAt(long offset) {
        return Math.toIntExact(offset >>> FrameTable.LINE_SHIFT);
    }
}
