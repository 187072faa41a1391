// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/**
 * The slow path's view of a latch whose queue bits lie in a word of their own: as if it were one.
 *
 * <p>The parts that the storage gives are volatile in both directions.
 */
abstract class TwoWordAccess implements WordAccess {
    /*
     * With the queue's bits elsewhere nobody changes the state of a latch that is held exclusively,
     * and its holder gives it up by a plain release store. What an atomic word got for nothing now
     * takes an order of steps:
     *
     *   who releases                        who wants to sleep, under the queue lock
     *     state := free                       queue := waiters
     *     (full fence)                        (the CAS's fence)
     *     reads queue: wakes if waiters       reads state: sleeps if it is as it was
     *
     * One of the two sees the other. So the queue is changed first, and then the state is changed,
     * or looked at, if it is still what was expected; else the queue's change is taken back. Others
     * see it meanwhile, which does no harm: who sees waiters comes to the queue lock and finds
     * nobody; who sees woken leaves the waking to us, and we decide anew, holding the queue lock.
     *
     * The queue's bits change under the queue lock alone, with one exception: a woken thread clears
     * woken when it has the latch. From then on it is a holder whose release comes here, so it need
     * not be the same step. It looks for waiters behind its acquire: who queued before is seen
     * there, who queues after sees what it holds. And it looks once more behind that whether it has
     * to set the bar: who gave up update before has seen woken and woken nobody.
     */

    abstract long stateVolatile(Object storage);

    abstract boolean compareAndSetState(Object storage, long expected, long update);

    abstract long queueVolatile(Object storage);

    abstract boolean compareAndSetQueue(Object storage, long expected, long update);

    @Override
    public final long wordAcquire(Object storage, int index) {
        return queueVolatile(storage) | stateVolatile(storage);
    }

    @Override
    public final boolean compareAndSet(Object storage, int index, long expected, long update) {
        long queue = expected & LatchWord.QUEUE;
        long queueUpdate = update & LatchWord.QUEUE;
        long state = expected & ~LatchWord.QUEUE;
        long stateUpdate = update & ~LatchWord.QUEUE;
        if (queue == queueUpdate) {
            return compareAndSetState(storage, state, stateUpdate);
        }
        if (!compareAndSetQueue(storage, queue, queueUpdate)) {
            return false;
        }
        boolean changed =
                state == stateUpdate
                        ? stateVolatile(storage) == state
                        : compareAndSetState(storage, state, stateUpdate);
        if (!changed) {
            takeBack(storage, queue, queueUpdate);
        }
        return changed;
    }

    /** Only our own bits: a woken thread may have cleared its own meanwhile. */
    private void takeBack(Object storage, long before, long after) {
        long cleared = before & ~after;
        long set = after & ~before;
        long queue;
        do {
            queue = queueVolatile(storage);
        } while (!compareAndSetQueue(storage, queue, (queue & ~set) | cleared));
    }

    @Override
    public final boolean acquireWoken(Object storage, int index, long word, long acquired) {
        if (!compareAndSetState(storage, word & ~LatchWord.QUEUE, acquired & ~LatchWord.QUEUE)) {
            return false;
        }
        long queue;
        long arrived;
        do {
            queue = queueVolatile(storage);
            arrived = LatchWord.wokenAcquired(stateVolatile(storage) | queue) & LatchWord.QUEUE;
        } while (!compareAndSetQueue(storage, queue, arrived));
        barBehindShared(storage);
        return true;
    }

    /** A holder of update may have left while it saw woken, and so have woken nobody. */
    private void barBehindShared(Object storage) {
        long queue;
        long barred;
        do {
            queue = queueVolatile(storage);
            barred = LatchWord.barredBehindShared(stateVolatile(storage) | queue) & LatchWord.QUEUE;
        } while (barred != queue && !compareAndSetQueue(storage, queue, barred));
    }
}
