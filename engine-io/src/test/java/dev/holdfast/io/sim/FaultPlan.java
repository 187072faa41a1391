// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The faults that a disk is going to have. Safe for use by many threads. */
public final class FaultPlan {
    private final List<Fault> faults = new CopyOnWriteArrayList<>();
    private volatile SeededRandom transferRandom;
    private volatile SeededRandom readRandom;
    private volatile int sharingViolations;

    /** Plans a fault and returns it. Of several that hit one request the first added counts. */
    public Fault add(Fault fault) {
        fault.check();
        faults.add(fault);
        return fault;
    }

    public void remove(Fault fault) {
        faults.remove(fault);
        fault.release();
    }

    /** Nothing fails any more; what is stuck goes on. */
    public void clear() {
        faults.forEach(this::remove);
        transferRandom = null;
        readRandom = null;
        sharingViolations = 0;
    }

    /**
     * Transfers go in several parts of any length, between which others come, and of a write a
     * crash.
     */
    public void splitTransfers(SeededRandom random) {
        transferRandom = random;
        readRandom = random.derive("reads");
    }

    /** The faults that the disk has not done even once. */
    public List<Fault> idle() {
        return faults.stream().filter(fault -> fault.acted() == 0).toList();
    }

    /** Fails if there are {@link #idle} faults: a test that planned one has not seen it. */
    public void requireActed() {
        if (!idle().isEmpty()) {
            throw new AssertionError("planned faults did not happen: " + idle());
        }
    }

    /** As on Windows, so many deletions or replacements of files that somebody has open fail. */
    public void sharingViolations(int count) {
        sharingViolations = count;
    }

    /** The fault that hits this request, null if none does. */
    Fault next(Operation operation, String name, long position, int length) {
        if (faults.isEmpty()) {
            return null;
        }
        synchronized (this) {
            Fault hit = null;
            for (Fault fault : faults) {
                if (fault.meets(operation, name, position, length) && hit == null) {
                    hit = fault;
                }
            }
            return hit;
        }
    }

    /** How many of the remaining bytes the next part of a write takes. */
    int transferLength(int remaining) {
        return partLength(transferRandom, remaining);
    }

    /** How many of the remaining bytes the next part of a read takes; drawn apart from writes. */
    int readLength(int remaining) {
        return partLength(readRandom, remaining);
    }

    private int partLength(SeededRandom random, int remaining) {
        if (random == null) {
            return remaining;
        }
        synchronized (this) {
            return random.between(1, remaining);
        }
    }

    synchronized boolean violatesSharing() {
        if (sharingViolations == 0) {
            return false;
        }
        sharingViolations--;
        return true;
    }
}
