// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.ArrayList;
import java.util.List;

/**
 * A clock that goes when a test says so, and then to the nanosecond.
 *
 * <p>A jumping clock goes on by itself to whatever a thread waits for, so that a slow device costs
 * a test no time. Who waits on the other kind, stopped, waits for {@link #advance}: with it a test
 * of several threads sees who waits for the device and who does not.
 */
public final class TestClock implements DiskClock {
    private final boolean isJumping;

    /** Guarded by this, as is the next: the times that threads wait for. */
    private long now;

    private final List<Long> deadlines = new ArrayList<>();

    private TestClock(boolean isJumping) {
        this.isJumping = isJumping;
    }

    public static TestClock jumping() {
        return new TestClock(true);
    }

    public static TestClock stopped() {
        return new TestClock(false);
    }

    @Override
    public synchronized long nanos() {
        return now;
    }

    /** Lets time pass, and all go on whose time has come. */
    public synchronized void advance(long nanos) {
        now += nanos;
        notifyAll();
    }

    /** How many threads wait, those included whose time has come and who have not noticed yet. */
    public synchronized int waitingCount() {
        return deadlines.size();
    }

    /** How many of those who wait need not wait any longer. */
    public synchronized long dueCount() {
        return deadlines.stream().filter(deadline -> deadline <= now).count();
    }

    @Override
    public synchronized void awaitUntil(long nanos) {
        if (isJumping) {
            now = Math.max(now, nanos);
            return;
        }
        boolean wasInterrupted = false;
        Long deadline = nanos;
        deadlines.add(deadline);
        while (now < nanos) {
            try {
                wait();
            } catch (InterruptedException theFlagIsPutBackBelow) {
                wasInterrupted = true;
            }
        }
        deadlines.remove(deadline);
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
