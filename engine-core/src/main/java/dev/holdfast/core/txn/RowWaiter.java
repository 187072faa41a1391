// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import java.util.concurrent.locks.LockSupport;

/** A transaction's place in the queue for a row; each has one, since it waits for one at a time. */
final class RowWaiter {
    /*
     *   field                written by                         guard or mode
     *   transactionId, owner its transaction, at its first write
     *   thread, shard        its thread, before it queues
     *   queue, next          who holds the shard latch          shard latch
     *   nextToWake           who granted it                     local to the granter
     *   granted              granter and owner                  volatile; written under the latch
     */
    long transactionId;
    LockOwner owner;
    int shard;
    RowLocks.KeyQueue queue;
    RowWaiter next;
    RowWaiter nextToWake;
    private Thread thread;
    private volatile boolean granted;

    /** Makes ready to queue in the calling thread. */
    void prepare(int shardOfKey) {
        shard = shardOfKey;
        thread = Thread.currentThread();
        granted = false;
    }

    void grant() {
        granted = true;
    }

    void ungrant() {
        granted = false;
        queue = null;
        next = null;
    }

    boolean isGranted() {
        return granted;
    }

    /** Whether it stands in a queue or has been granted a row. For its own thread. */
    boolean isQueued() {
        return queue != null;
    }

    void unpark() {
        LockSupport.unpark(thread);
    }
}
