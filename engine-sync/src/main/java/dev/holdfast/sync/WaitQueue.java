// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/**
 * One stripe of the parking lot: the waiters of all latches that hash to it, in order of arrival.
 *
 * <p>Every method but the lock's own needs the lock held.
 */
final class WaitQueue extends QueueLock {
    private Waiter first;
    private Waiter last;

    /** How many of the queued only wait for exclusive to be released, over all latches. */
    private int lookers;

    void addLast(Waiter waiter) {
        link(waiter);
        waiter.previous = last;
        waiter.next = null;
        if (last == null) {
            first = waiter;
        } else {
            last.next = waiter;
        }
        last = waiter;
    }

    void addFirst(Waiter waiter) {
        link(waiter);
        waiter.previous = null;
        waiter.next = first;
        if (first == null) {
            last = waiter;
        } else {
            first.previous = waiter;
        }
        first = waiter;
    }

    private void link(Waiter waiter) {
        assert isHeld() : "queue changed without its lock";

        waiter.queued(true);
        lookers += waiter.mode == Mode.NOT_EXCLUSIVE ? 1 : 0;
    }

    void remove(Waiter waiter) {
        assert isHeld() : "queue changed without its lock";

        waiter.queued(false);
        lookers -= waiter.mode == Mode.NOT_EXCLUSIVE ? 1 : 0;
        if (waiter.previous == null) {
            first = waiter.next;
        } else {
            waiter.previous.next = waiter.next;
        }
        if (waiter.next == null) {
            last = waiter.previous;
        } else {
            waiter.next.previous = waiter.previous;
        }
        waiter.next = null;
        waiter.previous = null;
    }

    /** The first waiter of this latch at {@code from} or behind it; null if there is none. */
    static Waiter find(Waiter from, Object storage, int index) {
        Waiter waiter = from;
        while (waiter != null && !(waiter.storage == storage && waiter.index == index)) {
            waiter = waiter.next;
        }
        return waiter;
    }

    Waiter find(Object storage, int index) {
        return find(first, storage, index);
    }

    /** The waiter that has waited longest, of whichever latch; null if the queue is empty. */
    Waiter first() {
        return first;
    }

    boolean hasLookers() {
        return lookers > 0;
    }

    Waiter last() {
        return last;
    }

    /** Puts {@code waiter} behind {@code position}, or first if that is null. */
    void addAfter(Waiter position, Waiter waiter) {
        if (position == null) {
            addFirst(waiter);
        } else if (position.next == null) {
            addLast(waiter);
        } else {
            link(waiter);
            waiter.previous = position;
            waiter.next = position.next;
            position.next.previous = waiter;
            position.next = waiter;
        }
    }
}
