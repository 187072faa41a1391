// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.concurrent.locks.LockSupport;

/**
 * One waiting thread: a link of a queue, and the flag that ends its park.
 *
 * <p>Each thread has one and uses it again. Only where what a {@link SequenceBarrier} asks its
 * caller waits in turn does a thread need a second one.
 */
final class Waiter {
    /*
     * field                     written by                       read by        guard or mode
     * storage, index, mode      its thread, while not queued     wakers         queue lock
     * target                    its thread, while not queued     wakers         queue lock
     * tagged, tag               its thread, while not queued     its thread     its own
     * thread                    its thread, while not queued     the waker      queue lock
     * next, previous            who holds the queue lock; next also chains the waiters that one
     *                           waker took out and is about to wake; they are its alone until it
     *                           has signalled them
     * queued                    who links or unlinks it          the same       queue lock
     * timesPassedOver           its thread, while not queued     wakers         queue lock
     * signal                    the waker, once per queueing     its thread     volatile
     *
     * The thread-local holds a weak reference: a library that leaves objects of its own classes in
     * the threads of its host keeps its class loader alive. While a thread waits, its stack holds
     * the waiter.
     */

    /** Still queued. */
    static final int NONE = 0;

    /** Out of the queue, to try again. */
    static final int TRY = 1;

    /** Out of the queue, and the latch is already the waiter's. */
    static final int GRANTED = 2;

    /** Out of the queue because a role is offered, see {@link SequenceBarrier#wakeFirst}. */
    static final int HANDED = 3;

    private static final ThreadLocal<Reference<Waiter>> CURRENT = new ThreadLocal<>();

    Object storage;
    int index;
    Mode mode;
    long target;
    boolean tagged;
    long tag;
    int timesPassedOver;
    Waiter next;
    Waiter previous;

    private boolean queued;
    private Thread thread;
    private volatile int signal;

    private Waiter() {}

    /** The calling thread's own, or a new one if that is in use further up the stack. */
    static Waiter current() {
        Reference<Waiter> reference = CURRENT.get();
        Waiter waiter = reference == null ? null : reference.get();
        if (waiter == null) {
            waiter = new Waiter();
            CURRENT.set(new WeakReference<>(waiter));
        }
        return waiter.storage == null ? waiter : new Waiter();
    }

    /** Makes ready to be queued. To be called before the queue lock is taken. */
    void prepare() {
        thread = Thread.currentThread();
        signal = NONE;
    }

    /** Drops what would keep other objects alive. */
    void clear() {
        assert !queued : "cleared while queued";

        storage = null;
        mode = null;
        thread = null;
    }

    /**
     * Parks until signalled. An interrupt does not end the wait.
     *
     * @return whether the thread was interrupted meanwhile. Its flag is cleared then, since with it
     *     set nothing parks; the caller sets it again when all waiting is done
     */
    boolean awaitSignal(Object blocker) {
        boolean interrupted = false;
        while (signal == NONE) {
            LockSupport.park(blocker);
            interrupted |= Thread.interrupted();
        }
        return interrupted;
    }

    /** The same, but returns at the latest once {@link System#nanoTime} is at the deadline. */
    boolean awaitSignalUntil(Object blocker, long deadlineNanos) {
        boolean interrupted = false;
        long left = deadlineNanos - System.nanoTime();
        while (signal == NONE && left > 0) {
            LockSupport.parkNanos(blocker, left);
            interrupted |= Thread.interrupted();
            left = deadlineNanos - System.nanoTime();
        }
        return interrupted;
    }

    int signal() {
        return signal;
    }

    boolean isQueued() {
        return queued;
    }

    /** To be called by the queue when it links or unlinks this waiter. */
    void queued(boolean nowQueued) {
        assert queued != nowQueued : "queued=" + queued;

        queued = nowQueued;
    }

    /**
     * Ends the wait. To be called once the waiter is out of the queue; it is not the caller's then.
     */
    void signal(int newSignal) {
        Thread sleeper = thread;
        signal = newSignal;
        LockSupport.unpark(sleeper);
    }

    /** Signals a whole chain, linked by {@link #next}, in its order. */
    static void signalAll(Waiter first, int newSignal) {
        Waiter waiter = first;
        while (waiter != null) {
            // Read before the signal: after it the waiter's thread may queue it elsewhere.
            Waiter following = waiter.next;
            waiter.next = null;
            waiter.signal(newSignal);
            waiter = following;
        }
    }
}
