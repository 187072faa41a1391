// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.stats;

import dev.holdfast.sync.Histogram;
import java.util.concurrent.atomic.LongAdder;

/**
 * What one open file did: requests, bytes and time of reads and writes, count and time of syncs.
 *
 * <p>Always on and safe for all threads. Reading the figures takes no latch; figures that are read
 * one after the other may be a request apart. A request is counted when it has succeeded and has
 * moved a byte: a call with an empty buffer is none.
 */
public final class FileStatistics {

    /*
     * LongAdder and not the padded counters of dev.holdfast.sync: a store may have thousands of
     * files, most of them idle, and an adder takes its stripes only when threads meet on it.
     */

    private final LongAdder reads = new LongAdder();
    private final LongAdder readBytes = new LongAdder();
    private final LongAdder readNanos = new LongAdder();
    private final Histogram readLatency = new Histogram();
    private final LongAdder writes = new LongAdder();
    private final LongAdder writeBytes = new LongAdder();
    private final LongAdder writeNanos = new LongAdder();
    private final Histogram writeLatency = new Histogram();
    private final LongAdder readMerges = new LongAdder();
    private final LongAdder writeMerges = new LongAdder();
    private final LongAdder syncs = new LongAdder();
    private final LongAdder syncNanos = new LongAdder();
    private final Histogram syncLatency = new Histogram();

    /** The clock's value to hand to {@link #readDone} and its like when the request has ended. */
    public static long start() {
        return System.nanoTime();
    }

    /** Counts a read that began then and has just ended. */
    public void readDone(long startNanos, long bytes) {
        readTook(System.nanoTime() - startNanos, bytes);
    }

    /** Counts a read of that time. */
    public void readTook(long nanos, long bytes) {
        if (bytes == 0) {
            return;
        }
        reads.increment();
        readBytes.add(bytes);
        readNanos.add(nanos);
        readLatency.record(nanos);
    }

    /** Counts a write that began then and has just ended. */
    public void writeDone(long startNanos, long bytes) {
        writeTook(System.nanoTime() - startNanos, bytes);
    }

    /** Counts a write of that time. */
    public void writeTook(long nanos, long bytes) {
        if (bytes == 0) {
            return;
        }
        writes.increment();
        writeBytes.add(bytes);
        writeNanos.add(nanos);
        writeLatency.record(nanos);
    }

    /** Counts so many reads that were done by the request of a neighbour. */
    public void readsMerged(long count) {
        readMerges.add(count);
    }

    /** Counts so many writes that were done by the request of a neighbour. */
    public void writesMerged(long count) {
        writeMerges.add(count);
    }

    /** Counts a sync that began then and has just ended. */
    public void syncDone(long startNanos) {
        syncTook(System.nanoTime() - startNanos);
    }

    /** Counts a sync of that time. */
    public void syncTook(long nanos) {
        syncs.increment();
        syncNanos.add(nanos);
        syncLatency.record(nanos);
    }

    public long reads() {
        return reads.sum();
    }

    public long readBytes() {
        return readBytes.sum();
    }

    public long readNanos() {
        return readNanos.sum();
    }

    /** How long each read took, in nanoseconds. */
    public Histogram.Snapshot readLatency() {
        return readLatency.snapshot();
    }

    public long writes() {
        return writes.sum();
    }

    public long writeBytes() {
        return writeBytes.sum();
    }

    public long writeNanos() {
        return writeNanos.sum();
    }

    /** How long each write took, in nanoseconds. */
    public Histogram.Snapshot writeLatency() {
        return writeLatency.snapshot();
    }

    /** Reads that were asked for and are none of {@link #reads}: a neighbour's did them. */
    public long readMerges() {
        return readMerges.sum();
    }

    /** As {@link #readMerges}, of writes. */
    public long writeMerges() {
        return writeMerges.sum();
    }

    public long syncs() {
        return syncs.sum();
    }

    public long syncNanos() {
        return syncNanos.sum();
    }

    /** How long each sync took, in nanoseconds. */
    public Histogram.Snapshot syncLatency() {
        return syncLatency.snapshot();
    }
}
