// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

/**
 * One piece of background work that a full disk may hold up. It counts as waiting from its first
 * refusal until it says that this is over.
 */
public final class RoomWait {
    private final EngineHealth health;

    /** Guarded by the monitor; read without it by who has most often nothing to end. */
    private volatile boolean waits;

    RoomWait(EngineHealth health) {
        this.health = health;
    }

    /**
     * Notes that the work found no room and will try again: counts it, and warns at the first time
     * since nobody waited, once a minute at most.
     *
     * <p><b>Latches:</b> none held that a transaction wants; that of the checkpoint may be.
     */
    public void refused(Exception refusal) {
        boolean isToBeTold;
        synchronized (this) {
            isToBeTold = health.fullDisk().refused(waits, refusal);
            waits = true;
        }
        if (isToBeTold) {
            health.warnFull(refusal);
        }
    }

    /** The work got on, or was given up. One volatile read if it did not wait. */
    public void over() {
        if (waits) {
            end();
        }
    }

    private synchronized void end() {
        if (waits) {
            waits = false;
            health.fullDisk().over();
        }
    }
}
