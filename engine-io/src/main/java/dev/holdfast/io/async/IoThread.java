// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/** How one IO thread sleeps and is woken, and the run that it works on. */
final class IoThread {
    /*
     * The thread announces that it will sleep, looks for work once more, and then sleeps until the
     * announcement is taken back: by itself, if it found something, or by who wakes it. A submitter
     * puts its request in and then looks for announcements. There is a full fence on both sides
     * between the store and the look, so at least one of the two sees the other: no wake-up is lost.
     *
     * Who finds its announcement taken back by another although it needed no waking passes the
     * wake-up on: it was meant for a request that it may not have seen.
     */
    private final AtomicBoolean isAsleep = new AtomicBoolean();
    private final IoRun run;

    /** Written once, before the thread starts. */
    private volatile Thread thread;

    IoThread(IoRun run) {
        this.run = run;
    }

    IoRun run() {
        return run;
    }

    void start(Thread started) {
        thread = started;
        started.start();
    }

    /** Null until it was started. */
    Thread thread() {
        return thread;
    }

    /** By the thread itself: from now on it can be woken. Look for work after this. */
    void announceSleep() {
        isAsleep.set(true);
        VarHandle.fullFence();
    }

    /** By the thread itself: whether it took back its own announcement; else somebody woke it. */
    boolean tryStayAwake() {
        return isAsleep.compareAndSet(true, false);
    }

    /** By the thread itself: sleeps until somebody has woken it. */
    void sleep() {
        while (isAsleep.get()) {
            LockSupport.park(this);
            // An interrupt by a stranger would make park return at once for ever.
            Thread.interrupted();
        }
    }

    /** Wakes it if it sleeps or is about to; each announcement is answered once. */
    boolean tryWake() {
        if (!isAsleep.get() || !isAsleep.compareAndSet(true, false)) {
            return false;
        }
        LockSupport.unpark(thread);
        return true;
    }
}
