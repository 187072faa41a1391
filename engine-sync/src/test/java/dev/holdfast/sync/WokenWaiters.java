// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/** Stops each waiter of the parking lot that is woken, before it tries to get its latch. */
final class WokenWaiters {
    private final AtomicInteger woken = new AtomicInteger();
    private final Semaphore mayTry = new Semaphore(0);

    private WokenWaiters() {}

    /** From now on, until the hooks are reset. */
    static WokenWaiters stopped() {
        WokenWaiters waiters = new WokenWaiters();
        TestHooks.onReached(ParkingLot.WOKEN, waiters::stop);
        return waiters;
    }

    private void stop() {
        woken.incrementAndGet();
        mayTry.acquireUninterruptibly();
    }

    /** How many were woken. */
    int count() {
        return woken.get();
    }

    /** Lets so many go on, also such as are woken later. */
    void letTry(int count) {
        mayTry.release(count);
    }
}
