// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * How many frames are promised to stocks, within a limit that leaves the rest of the pool moving.
 */
final class FrameTickets {
    /*
     * A stock is promised all its frames at once and gathers them afterwards. Promises end at half
     * of the pool, so the other half can always be cleaned and given to who gathers: nobody waits
     * for frames that sit in other half-filled stocks. An eighth of the promises is kept for
     * rollback, purge and checkpoint, which others wait for.
     */
    private final int limit;
    private final int ordinaryLimit;
    private final AtomicInteger promised = new AtomicInteger();

    FrameTickets(int frames) {
        limit = frames / 2;
        ordinaryLimit = limit - limit / 8;
    }

    /** The largest stock that can be asked for. */
    int stockMax() {
        return ordinaryLimit;
    }

    boolean tryPromise(int count, boolean reserved) {
        int bound = reserved ? limit : ordinaryLimit;
        int now = promised.get();
        while (now + count <= bound) {
            if (promised.compareAndSet(now, now + count)) {
                return true;
            }
            now = promised.get();
        }
        return false;
    }

    void giveBack(int count) {
        promised.addAndGet(-count);
    }
}
