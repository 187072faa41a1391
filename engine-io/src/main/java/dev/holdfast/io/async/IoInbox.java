// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import org.jctools.queues.varhandle.MpscVarHandleArrayQueue;

/** Requests of one class that were submitted and not yet looked at. Bounded. */
final class IoInbox {
    /*
     * In front of the ordered requests, so that who submits takes no lock: one CAS on the producer
     * index. Many submit; who takes out holds the lane's lock, which makes of the IO threads one
     * consumer at a time.
     *
     * The queue of the varhandle package: for the default one JDKs from 24 on print a warning.
     */
    private static final int CAPACITY_MIN = 2;

    private final MpscVarHandleArrayQueue<IoRequest> queue;
    private final int countMax;

    IoInbox(int countMax) {
        this.countMax = countMax;
        // Rounded up to a power of two by the queue, so the bound is kept by offer.
        this.queue = new MpscVarHandleArrayQueue<>(Math.max(CAPACITY_MIN, countMax));
    }

    /** False if it is full. For all threads. */
    boolean offer(IoRequest request) {
        return queue.offerIfBelowThreshold(request, countMax);
    }

    /**
     * The next one; null if there is none, or if it is still being put in by a thread that will
     * wake somebody then. Under the lane's lock.
     */
    IoRequest poll() {
        return queue.relaxedPoll();
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }
}
