// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

/**
 * Free frames taken out of the pool before latches are taken, so that nothing waits for one later
 * (P9). Belongs to one thread and is used again and again.
 */
public final class FrameStock implements AutoCloseable {
    private final BufferPool pool;
    private int[] frames = new int[8];
    private int count;

    /** How many frames the pool has promised to this stock, whether taken or not. */
    private int promised;

    FrameStock(BufferPool pool) {
        this.pool = pool;
    }

    /** Frames that are left. */
    public int count() {
        return count;
    }

    /** Gives the frames that are left back to the pool; the stock can be filled again. */
    @Override
    public void close() {
        if (promised > 0) {
            pool.close(this);
        }
    }

    void prepare(int wanted) {
        assert promised == 0 && count == 0 : "promised=" + promised + ", count=" + count;

        if (frames.length < wanted) {
            frames = new int[wanted];
        }
        promised = wanted;
    }

    void put(int frame) {
        frames[count] = frame;
        count++;
    }

    /** A frame of the stock, or {@link FrameTable#NONE} if it is used up. */
    int take() {
        if (count == 0) {
            return FrameTable.NONE;
        }
        count--;
        return frames[count];
    }

    int promised() {
        return promised;
    }

    void closed() {
        promised = 0;
    }
}
