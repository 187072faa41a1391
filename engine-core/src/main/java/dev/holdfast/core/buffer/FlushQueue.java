// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

/** Frames that the cleaner has chosen to be written, handed out a batch at a time. */
final class FlushQueue {
    /*
     * One round's choice at a time. Whoever takes a share copies its frames, so the cleaner may put
     * its next choice while a helper still writes: what the helper has copied is no longer dirty
     * for anyone else, and what it has not copied yet is at worst chosen twice and then left out by
     * the second, who finds it being written.
     */
    private final int shareMax;
    private final int[] frames;
    private int next;
    private int end;
    private boolean waits;

    FlushQueue(int framesMax, int shareMax) {
        this.frames = new int[framesMax];
        this.shareMax = shareMax;
    }

    /**
     * Puts a choice in the place of what may be left of the one before.
     *
     * @param waitsForLatches whether frames are wanted that are latched
     */
    synchronized void put(int[] chosen, int count, boolean waitsForLatches) {
        System.arraycopy(chosen, 0, frames, 0, count);
        next = 0;
        end = count;
        waits = waitsForLatches;
    }

    /** Takes the next frames; false if there are none. */
    synchronized boolean take(Share share) {
        int count = Math.min(shareMax, end - next);
        System.arraycopy(frames, next, share.frames, 0, count);
        next += count;
        share.count = count;
        share.waits = waits;
        return count > 0;
    }

    /** Room for what one taker gets; one for each thread. */
    Share newShare() {
        return new Share(shareMax);
    }

    /** What one taker got. */
    static final class Share {
        final int[] frames;
        int count;
        boolean waits;

        private Share(int framesMax) {
            frames = new int[framesMax];
        }
    }
}
