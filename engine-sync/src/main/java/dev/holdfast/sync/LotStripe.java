// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/**
 * One stripe of the parking lot: its queue, and the choice of whom a release wakes.
 *
 * <p>All methods need the queue's lock held; what was decided is forgotten when it is released.
 */
final class LotStripe {
    /*
     * Who is chosen, from the front: one writer alone if nobody holds the latch; else the readers up
     * to the first writer, and one that wants update unless it is held. A second that wants update
     * is stepped over, since it does not stand in the way of the readers behind it. All who only
     * look are chosen, wherever they stand, once exclusive is free.
     *
     * The word has to be changed before the queue is, and the CAS may fail, so the queue is walked
     * twice with the same decisions: once to count, once to take out.
     */

    /** How many readers one release wakes at most. */
    static final int READERS_WOKEN_MAX = 256;

    final WaitQueue queue = new WaitQueue();

    // What was decided, and from which word.
    private long decidedWord;
    private int acquirers;
    private int lookers;
    private boolean grants;

    // The state of a walk.
    private boolean closed;
    private boolean updateTaken;
    private int readersToTake;
    private int taken;

    /**
     * Decides whom the change to {@code word} wakes.
     *
     * @param word the word after the change, the bits of its queue being those before it
     * @return the word with the queue's bits as they will be when the chosen have been taken out,
     *     and with what is handed to them
     */
    long decide(Object storage, int index, long word) {
        begin(word);
        acquirers = 0;
        lookers = 0;
        grants = false;
        boolean left = false;
        boolean barringLeft = false;
        long granted = LatchWord.wokenCleared(word);
        Waiter waiter = queue.find(storage, index);
        while (waiter != null && !(closed && barringLeft && !queue.hasLookers())) {
            if (takes(waiter.mode)) {
                if (waiter.mode == Mode.NOT_EXCLUSIVE) {
                    lookers++;
                } else {
                    acquirers++;
                    grants |= waiter.timesPassedOver >= ParkingLot.PASSED_OVER_MAX;
                    granted = waiter.mode.acquired(granted);
                }
            } else if (waiter.mode != Mode.UPGRADE) {
                left = true;
                barringLeft |= waiter.mode != Mode.UPDATE;
            }
            waiter = WaitQueue.find(waiter.next, storage, index);
        }
        long next = grants ? granted : acquirers > 0 ? LatchWord.wokenSet(word) : word;
        return LatchWord.queueLeft(next, left, barringLeft);
    }

    private void begin(long word) {
        assert queue.isHeld() : "decided without the queue's lock";

        decidedWord = word;
        // With a thread on its way nobody else is woken, and an upgrade lets nobody in before it.
        closed =
                LatchWord.isExclusive(word)
                        || LatchWord.isUpgrading(word)
                        || LatchWord.isWoken(word);
        updateTaken = LatchWord.isUpdate(word);
        readersToTake =
                (int)
                        Math.min(
                                READERS_WOKEN_MAX,
                                LatchWord.SHARED_MAX - LatchWord.sharedHolders(word));
        taken = 0;
    }

    private boolean takes(Mode mode) {
        if (mode == Mode.NOT_EXCLUSIVE) {
            return !LatchWord.isExclusive(decidedWord);
        }
        if (closed || mode == Mode.UPGRADE) {
            return false;
        }
        if (mode == Mode.EXCLUSIVE) {
            closed = true;
            boolean alone = taken == 0 && LatchWord.admitsExclusive(decidedWord);
            taken += alone ? 1 : 0;
            return alone;
        }
        if (mode == Mode.UPDATE) {
            boolean free = !updateTaken;
            updateTaken = true;
            taken += free ? 1 : 0;
            return free;
        }
        if (readersToTake <= 0) {
            closed = true;
            return false;
        }
        readersToTake--;
        taken++;
        return true;
    }

    /** Removes those whom {@link #decide} chose and returns them, linked in their order. */
    Waiter takeOut(Object storage, int index) {
        begin(decidedWord);
        Waiter chain = null;
        Waiter chainEnd = null;
        int toTake = acquirers + lookers;
        Waiter waiter = toTake > 0 ? queue.find(storage, index) : null;
        while (toTake > 0) {
            Waiter following = WaitQueue.find(waiter.next, storage, index);
            if (takes(waiter.mode)) {
                toTake--;
                queue.remove(waiter);
                if (chain == null) {
                    chain = waiter;
                } else {
                    chainEnd.next = waiter;
                }
                chainEnd = waiter;
            }
            waiter = following;
        }
        return chain;
    }

    /** Removes all that wait for the latch and returns them, linked in their order. */
    Waiter takeOutAll(Object storage, int index) {
        Waiter chain = null;
        Waiter chainEnd = null;
        Waiter waiter = queue.find(storage, index);
        while (waiter != null) {
            Waiter following = WaitQueue.find(waiter.next, storage, index);
            queue.remove(waiter);
            if (chain == null) {
                chain = waiter;
            } else {
                chainEnd.next = waiter;
            }
            chainEnd = waiter;
            waiter = following;
        }
        return chain;
    }

    /** Removes the one waiter that is to be upgraded. */
    Waiter takeOutUpgrader(Object storage, int index) {
        Waiter waiter = queue.find(storage, index);
        while (waiter.mode != Mode.UPGRADE) {
            waiter = WaitQueue.find(waiter.next, storage, index);
        }
        queue.remove(waiter);
        return waiter;
    }

    /** Whether those chosen get the latch handed over and not just a wake-up. */
    boolean grants() {
        return grants;
    }
}
