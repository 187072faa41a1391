// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.util.Arrays;

/**
 * Counts values by their power of two. Recording is one atomic add, from any thread.
 *
 * <p>Bucket 0 holds zero (and what is below it), bucket {@code b} the values from 2^(b-1) to 2^b -
 * 1. A percentile is therefore right within a factor of two and never too low.
 */
public final class Histogram {
    static final int BUCKETS = Long.SIZE;

    /** Of a striped histogram, half a KiB each; beyond it threads share stripes. */
    private static final int STRIPES_MAX = 8;

    private final StripedCells counts;

    /** One for values that few threads record at once. */
    public Histogram() {
        this(1);
    }

    private Histogram(int stripesMax) {
        counts = new StripedCells(BUCKETS, stripesMax);
    }

    /** One for many threads: most values fall into one bucket, and its line would be fought for. */
    static Histogram striped() {
        return new Histogram(STRIPES_MAX);
    }

    public void record(long value) {
        counts.getAndAdd(bucket(value), 1);
    }

    static int bucket(long value) {
        return value <= 0 ? 0 : Long.SIZE - Long.numberOfLeadingZeros(value);
    }

    /** The largest value that falls into {@code bucket}. */
    static long upperBound(int bucket) {
        return bucket == 0 ? 0 : -1L >>> (Long.SIZE - bucket);
    }

    /** What was recorded up to now; recordings that run beside it may be in it or not. */
    public Snapshot snapshot() {
        long[] copy = new long[BUCKETS];
        for (int bucket = 0; bucket < BUCKETS; bucket++) {
            copy[bucket] = counts.sum(bucket);
        }
        return new Snapshot(copy);
    }

    /** The counts of one moment. */
    public static final class Snapshot {
        private final long[] counts;

        private Snapshot(long[] counts) {
            this.counts = counts;
        }

        public long count() {
            return Arrays.stream(counts).sum();
        }

        /** The count of values in [2^(bucket-1), 2^bucket - 1]; of zero for bucket 0. */
        public long count(int bucket) {
            return counts[bucket];
        }

        /**
         * An upper bound of the value that {@code percent} of the recorded ones do not exceed; zero
         * if there are none.
         *
         * @param percent above 0, at most 100
         */
        public long percentile(double percent) {
            if (!(percent > 0 && percent <= 100)) {
                throw new IllegalArgumentException("percentile out of range: percent=" + percent);
            }
            long total = count();
            long wanted = (long) Math.ceil(total * (percent / 100));
            long seen = 0;
            for (int bucket = 0; bucket < BUCKETS; bucket++) {
                seen += counts[bucket];
                if (seen >= wanted && seen > 0) {
                    return upperBound(bucket);
                }
            }
            return 0;
        }

        /** An upper bound of the largest recorded value; zero if there is none. */
        public long max() {
            for (int bucket = BUCKETS - 1; bucket > 0; bucket--) {
                if (counts[bucket] > 0) {
                    return upperBound(bucket);
                }
            }
            return 0;
        }

        /** The recordings that are in this snapshot but not in the earlier one. */
        public Snapshot since(Snapshot earlier) {
            long[] difference = new long[BUCKETS];
            for (int bucket = 0; bucket < BUCKETS; bucket++) {
                difference[bucket] = counts[bucket] - earlier.counts[bucket];
            }
            return new Snapshot(difference);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Snapshot snapshot && Arrays.equals(counts, snapshot.counts);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(counts);
        }
    }
}
