// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

/**
 * How much a scheduler does at once.
 *
 * @param readThreads how many reads are at the device at most
 * @param writeThreads how many writes
 * @param pendingMax how many requests of a class and a direction wait at most
 * @param mergeBytesMax how long a transfer of merged neighbours is at most; each thread has a
 *     buffer of that length; 0 merges nothing
 */
public record IoSchedulerOptions(
        int readThreads, int writeThreads, int pendingMax, int mergeBytesMax) {
    public static final int THREADS_MAX = 64;
    public static final int PENDING_MAX = 4096;
    public static final int MERGE_BYTES_DEFAULT = 256 << 10;

    private static final int PENDING_DEFAULT = 256;
    private static final int PAGES_PER_SECOND_AND_THREAD = 2000;
    private static final int CAPACITY_THREADS_MAX = 16;

    public IoSchedulerOptions {
        check("readThreads", readThreads, 1, THREADS_MAX);
        check("writeThreads", writeThreads, 1, THREADS_MAX);
        check("pendingMax", pendingMax, 1, PENDING_MAX);
        check("mergeBytesMax", mergeBytesMax, 0, 1 << 26);
    }

    /** Threads enough for so many pages a second on a device that takes half a millisecond each. */
    public static IoSchedulerOptions forCapacity(int pagesPerSecond) {
        int threads = (pagesPerSecond - 1) / PAGES_PER_SECOND_AND_THREAD + 1;
        int bounded = Math.min(CAPACITY_THREADS_MAX, Math.max(1, threads));
        return new IoSchedulerOptions(bounded, bounded, PENDING_DEFAULT, MERGE_BYTES_DEFAULT);
    }

    /** The same with other numbers of threads, where they are not zero. */
    public IoSchedulerOptions threads(int reads, int writes) {
        return new IoSchedulerOptions(
                reads == 0 ? readThreads : reads,
                writes == 0 ? writeThreads : writes,
                pendingMax,
                mergeBytesMax);
    }

    private static void check(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    "option out of range: "
                            + name
                            + "="
                            + value
                            + ", least="
                            + least
                            + ", most="
                            + most);
        }
    }
}
