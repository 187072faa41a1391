// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/** The limits of a store, by name. Those that depend on the page size are methods of it. */
public final class Limits {
    /** A page size is a power of two from this on. */
    public static final int PAGE_BYTES_MIN = 4 << 10;

    /** A page size is a power of two up to this. */
    public static final int PAGE_BYTES_MAX = 64 << 10;

    /** Keys may be empty; the empty key sorts before all others. */
    public static final int KEY_BYTES_MIN = 0;

    /** Values may be empty. */
    public static final int VALUE_BYTES_MAX = 16 << 20;

    /** In UTF-8; a table name is not empty. */
    public static final int TABLE_NAME_BYTES_MAX = 255;

    /** The least number of pages that the pool holds. */
    public static final int POOL_PAGES_MIN = 64;

    /** The greatest number of pages that the pool holds. */
    public static final int POOL_PAGES_MAX = 1 << 24;

    /** A pool's number of parts is a power of two up to this. */
    public static final int POOL_SHARDS_MAX = 64;

    /** The least number of undo spaces; one can be emptied while others are in use. */
    public static final int UNDO_SPACES_MIN = 2;

    /** The greatest number of undo spaces. */
    public static final int UNDO_SPACES_MAX = 8;

    /** The greatest number of doublewrite slots. */
    public static final int DOUBLEWRITE_SLOTS_MAX = 8;

    /** The greatest number of pages in a batch of the doublewrite. */
    public static final int DOUBLEWRITE_BATCH_PAGES_MAX = 512;

    private static final int KEYS_PER_PAGE = 8;
    private static final int REDO_GROUP_PAGES = 16;
    private static final int REDO_GROUP_BYTES_MAX = 1 << 20;
    private static final int LOG_BUFFER_GROUPS_MIN = 4;
    private static final int REDO_GROUPS_MIN = 8;

    private Limits() {}

    /** Returns the greatest length of a key in bytes: an eighth of a page. */
    public static int keyBytesMax(int pageBytes) {
        return pageBytes / KEYS_PER_PAGE;
    }

    /** Returns the most redo that one atomic change of pages may write. */
    public static int redoGroupBytesMax(int pageBytes) {
        return Math.min(pageBytes * REDO_GROUP_PAGES, REDO_GROUP_BYTES_MAX);
    }

    /** Returns the least size of the pool. */
    public static long poolBytesMin(int pageBytes) {
        return (long) pageBytes * POOL_PAGES_MIN;
    }

    /** Returns the greatest size of the pool: 64 GiB with the smallest pages. */
    public static long poolBytesMax(int pageBytes) {
        return (long) pageBytes * POOL_PAGES_MAX;
    }

    /** Returns the least size of the log buffer: four atomic changes fit. */
    public static int logBufferBytesMin(int pageBytes) {
        return redoGroupBytesMax(pageBytes) * LOG_BUFFER_GROUPS_MIN;
    }

    /** Returns the least capacity of the redo log: eight atomic changes fit. */
    public static long redoCapacityBytesMin(int pageBytes) {
        return (long) redoGroupBytesMax(pageBytes) * REDO_GROUPS_MIN;
    }

    static boolean isPageBytes(int pageBytes) {
        return pageBytes >= PAGE_BYTES_MIN
                && pageBytes <= PAGE_BYTES_MAX
                && Integer.bitCount(pageBytes) == 1;
    }
}
