// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.checksum;

import dev.holdfast.bench.report.PairedRatios;
import dev.holdfast.io.checksum.PageChecksum;
import dev.holdfast.io.memory.PageMemory;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The processor time that the sum of a page takes in this JVM, one page after the other. */
final class PageSumCost {
    /*
     * Time of the thread on a processor, and not by the clock: it is held against processor time of
     * the process, and others on the machine make only the latter of the two longer.
     */
    private static final int MEMORY_BYTES = 4 << 20;
    private static final int ROUNDS = 9;
    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final ByteBuffer chunk = ByteBuffer.allocateDirect(MEMORY_BYTES);

    /** Keeps the sums alive, so that none can be left out. */
    private final AtomicInteger sums = new AtomicInteger();

    PageSumCost() {
        SplittableRandom random = new SplittableRandom(1);
        for (int at = 0; at < MEMORY_BYTES; at += Long.BYTES) {
            PageMemory.putLong(chunk, at, random.nextLong());
        }
    }

    /** The median of some rounds; the first, which compiles, does not count. */
    double nanosPerPage(PageChecksum kind, int pageBytes) {
        round(kind, pageBytes);
        List<Double> rounds = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            rounds.add(round(kind, pageBytes));
        }
        return PairedRatios.median(rounds);
    }

    private double round(PageChecksum kind, int pageBytes) {
        long from = threads.getCurrentThreadCpuTime();
        long now;
        long pages = 0;
        do {
            int sum = 0;
            for (int at = 0; at + pageBytes <= MEMORY_BYTES; at += pageBytes) {
                sum += kind.compute(chunk, at + Integer.BYTES, pageBytes - Integer.BYTES);
                pages++;
            }
            sums.addAndGet(sum);
            now = threads.getCurrentThreadCpuTime();
        } while (now - from < ROUND_NANOS);
        return (double) (now - from) / pages;
    }
}
