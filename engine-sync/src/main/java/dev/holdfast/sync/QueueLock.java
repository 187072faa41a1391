// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock for the few instructions that link a waiter into a queue or take it out.
 *
 * <p>Waiting for it is spinning and yielding, never parking, so it can stand below everything that
 * parks. Its holder runs no foreign code, allocates nothing and waits for nothing.
 */
abstract class QueueLock {
    /*
     * A ReentrantLock would allocate a node when contended and has a queue of its own; this has one
     * int. Yielding matters on few processors, where the holder may have been descheduled; it also
     * lets another virtual thread use the carrier.
     */

    static final String LOCKING = "sync.queueLocking";

    private static final int FREE = 0;
    private static final int HELD = 1;
    private static final int SPINS_BEFORE_YIELD = 2 * Spin.limit(cpus());
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(QueueLock.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("UnusedVariable") // accessed through STATE
    private int state;

    private static int cpus() {
        return Runtime.getRuntime().availableProcessors();
    }

    final void lock() {
        TestHooks.reached(LOCKING);
        if (!STATE.compareAndSet(this, FREE, HELD)) {
            lockContended();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // a yield, since parking here would need a queue
    private void lockContended() {
        int spins = 0;
        while (true) {
            // Opaque: only a hint; the CAS decides and acquires.
            if ((int) STATE.getOpaque(this) == FREE && STATE.compareAndSet(this, FREE, HELD)) {
                return;
            }
            if (spins < SPINS_BEFORE_YIELD) {
                spins++;
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    /** Release; pairs with the CAS in {@link #lock}. Publishes the queue. */
    final void unlock() {
        assert isHeld() : "unlock of a free queue lock";

        STATE.setRelease(this, FREE);
    }

    final boolean isHeld() {
        return (int) STATE.getOpaque(this) == HELD;
    }
}
