// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

/**
 * How a pool is cut.
 *
 * @param pageBytes a power of two from 4 KiB to 64 KiB
 * @param frames at least {@link #FRAMES_MIN}
 * @param shards a power of two; fewer are made if a shard would have less than 64 frames
 * @param coldWindowMillis how long touches of a page that a scan loaded do not count
 */
public record PoolOptions(int pageBytes, int frames, int shards, int coldWindowMillis) {
    /** The smallest pool that every protocol works with. */
    public static final int FRAMES_MIN = 64;

    /** As the lineage has it. */
    public static final int COLD_WINDOW_MILLIS = 1000;

    public PoolOptions {
        if (Integer.bitCount(pageBytes) != 1 || pageBytes < 4096 || pageBytes > 65536) {
            throw new IllegalArgumentException("bad page size: pageBytes=" + pageBytes);
        }
        if (frames < FRAMES_MIN || frames > FrameTable.FRAMES_MAX) {
            throw new IllegalArgumentException(
                    "bad number of frames: frames="
                            + frames
                            + ", min="
                            + FRAMES_MIN
                            + ", max="
                            + FrameTable.FRAMES_MAX);
        }
        if (Integer.bitCount(shards) != 1 || coldWindowMillis < 0) {
            throw new IllegalArgumentException(
                    "bad pool: shards=" + shards + ", coldWindowMillis=" + coldWindowMillis);
        }
    }

    /** As many shards as processors, rounded up. */
    public static PoolOptions of(int pageBytes, int frames) {
        int processors = Runtime.getRuntime().availableProcessors();
        int shards = processors <= 1 ? 1 : Integer.highestOneBit(processors - 1) << 1;
        return new PoolOptions(pageBytes, frames, shards, COLD_WINDOW_MILLIS);
    }

    int shardsUsed() {
        int most = Integer.highestOneBit(frames / FRAMES_MIN);
        return Math.min(shards, most);
    }
}
