// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.invoke.VarHandle;

/**
 * The forms of a latch that are the same for each storage, where a call through {@link WordAccess}
 * more does not matter: update, what leads from mode to mode, and waiting with a limit.
 */
final class LatchForms {
    private LatchForms() {}

    static boolean tryAcquire(WordAccess access, Object storage, int index, Mode mode) {
        access.gather(storage, index);
        return fenced(mode, ParkingLot.tryAcquire(access, storage, index, mode, false));
    }

    /** Acquires; waits as long as it takes. */
    static void acquire(
            WordAccess access, Object storage, int index, Mode mode, ContentionSite site) {
        acquireWithin(access, storage, index, mode, site, ParkingLot.FOREVER);
    }

    static boolean acquireWithin(
            WordAccess access,
            Object storage,
            int index,
            Mode mode,
            ContentionSite site,
            long timeoutNanos) {
        return fenced(
                mode,
                tryAcquire(access, storage, index, mode)
                        || ParkingLot.acquire(access, storage, index, mode, site, timeoutNanos));
    }

    /** Gives up, or lowers, what is held exclusively or for update. */
    static void release(WordAccess access, Object storage, int index, Release how) {
        long word = access.wordAcquire(storage, index);
        while (!LatchWord.releaseWakes(word)) {
            if (access.compareAndSet(storage, index, word, how.applied(word))) {
                return;
            }
            word = access.wordAcquire(storage, index);
        }
        ParkingLot.release(access, storage, index, how);
    }

    /**
     * A CAS lets later plain stores pass its own store on some processors; an optimistic reader
     * could then see the holder's first change under the old version. Pairs with {@link
     * BufferLatch#validate}.
     */
    private static boolean fenced(Mode mode, boolean acquired) {
        if (mode == Mode.EXCLUSIVE || mode == Mode.UPGRADE) {
            VarHandle.storeStoreFence();
        }
        return acquired;
    }
}
