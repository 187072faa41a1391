// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The faults that a disk is going to have. Safe for use by many threads. */
public final class FaultPlan {
    private final List<Fault> faults = new CopyOnWriteArrayList<>();
    private volatile SeededRandom transferRandom;
    private volatile int sharingViolations;

    /** Plans a fault and returns it. Of several that hit one request the first added counts. */
    public Fault add(Fault fault) {
        if (!fault.hasEffect()) {
            throw new IllegalArgumentException("fault has no effect");
        }
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
        sharingViolations = 0;
    }

    /** Writes arrive in several parts of any length, between which a crash may come. */
    public void splitTransfers(SeededRandom random) {
        transferRandom = random;
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
        SeededRandom random = transferRandom;
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
