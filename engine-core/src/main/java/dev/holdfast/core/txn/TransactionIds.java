// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.mtr.MtrContext;
import dev.holdfast.core.redo.RedoType;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.core.space.SpaceRecords;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.sync.HeldLatches;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/** Gives out transaction ids: rising, and never one that was used before a crash. */
final class TransactionIds {
    /*
     * Ids are promised to the log in steps: before the first id of a step is used, a record that
     * raises the high-water mark to the step's end has been appended. It need not be durable: what
     * bears the id comes behind it in the log. The mark in memory is raised before the record is
     * appended, so a checkpoint behind the record, which reads the mark last, carries it.
     */
    static final int STEP = 4096;

    private final MtrContext context;
    private final AtomicLong next;
    private final ReentrantLock stepLock = new ReentrantLock();
    private volatile long highWater;
    private volatile long usable;

    /** Guarded by stepLock. */
    private MiniTransaction mtr;

    /**
     * Begins behind what recovery found.
     *
     * @param highWater no id at or above it was ever used
     */
    TransactionIds(MtrContext context, long highWater) {
        this.context = context;
        this.next = new AtomicLong(Math.max(1, highWater));
        this.highWater = next.get();
        this.usable = next.get();
    }

    /**
     * The next id.
     *
     * <p><b>Latches:</b> none held: it may wait for reserved log space.
     */
    long next() {
        assert HeldLatches.mayWaitFor(CoreSites.LOG_SPACE);

        long id = next.getAndIncrement();
        while (id >= usable) {
            raise(id);
        }
        return id;
    }

    /** No id at or above it has been used. */
    long highWater() {
        return highWater;
    }

    private void raise(long id) {
        stepLock.lock();
        try {
            if (id < usable) {
                return;
            }
            long raised = usable + STEP;
            highWater = raised;
            if (mtr == null) {
                mtr = new MiniTransaction(context);
            }
            log(raised);
            usable = raised;
        } finally {
            stepLock.unlock();
        }
    }

    private void log(long raised) {
        byte[] body = SpaceRecords.highWater(raised, 0, 0);
        // From the reserve: others wait for the lock meanwhile, without a limit.
        mtr.begin(body.length + RedoWriter.RECORD_OVERHEAD_MAX, 0, true);
        try {
            mtr.recordWithoutPage(RedoType.ID_HIGH_WATER).putBytes(body, 0, body.length);
            mtr.endRecord();
            mtr.commit();
        } catch (Throwable t) {
            throw mtr.failed(t);
        }
    }
}
