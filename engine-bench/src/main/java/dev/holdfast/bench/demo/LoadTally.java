// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import java.util.EnumMap;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** How often a load did what, and how long each took. For one thread; added up at the end. */
final class LoadTally {
    private static final int SIGNIFICANT_DIGITS = 3;

    private final Map<LoadKind, Histogram> nanos = new EnumMap<>(LoadKind.class);
    private long rowsScanned;
    private long retries;

    LoadTally() {
        for (LoadKind kind : LoadKind.values()) {
            nanos.put(kind, new Histogram(SIGNIFICANT_DIGITS));
        }
    }

    void did(LoadKind kind, long tookNanos) {
        nanos.get(kind).recordValue(tookNanos);
    }

    void scanned(int rows) {
        rowsScanned += rows;
    }

    void retried(long count) {
        retries += count;
    }

    void add(LoadTally other) {
        for (LoadKind kind : LoadKind.values()) {
            nanos.get(kind).add(other.nanos.get(kind));
        }
        rowsScanned += other.rowsScanned;
        retries += other.retries;
    }

    long count(LoadKind kind) {
        return nanos.get(kind).getTotalCount();
    }

    Histogram nanos(LoadKind kind) {
        return nanos.get(kind);
    }

    long rowsScanned() {
        return rowsScanned;
    }

    /** Work begun anew after a conflict. */
    long retries() {
        return retries;
    }
}
