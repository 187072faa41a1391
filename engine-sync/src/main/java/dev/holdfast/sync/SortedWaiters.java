// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/**
 * Waiters in ascending order of their targets, equal ones in order of arrival.
 *
 * <p>All methods but {@link #lock} need the lock held.
 */
final class SortedWaiters {
    /*
     * The place of a new waiter is sought from both ends at once. Targets mostly come in ascending
     * order and belong at the end; a waiter that was woken first and sleeps again belongs at the
     * front. Only targets in disorder cost steps, at most half as many as there are waiters.
     */

    private final WaitQueue queue = new WaitQueue();
    private int count;

    void lock() {
        queue.lock();
    }

    void unlock() {
        queue.unlock();
    }

    boolean isLocked() {
        return queue.isHeld();
    }

    /** The one with the lowest target; null if there is none. */
    Waiter first() {
        return queue.first();
    }

    int count() {
        return count;
    }

    void remove(Waiter waiter) {
        queue.remove(waiter);
        count--;
    }

    /** Puts the waiter in its place, and returns how many steps that took. */
    int add(Waiter waiter) {
        Waiter front = queue.first();
        Waiter back = queue.last();
        int steps = 0;
        while (back != null && back.target > waiter.target && front.target <= waiter.target) {
            front = front.next;
            back = back.previous;
            steps++;
        }
        boolean isBehindBack = back == null || back.target <= waiter.target;
        queue.addAfter(isBehindBack ? back : front.previous, waiter);
        count++;
        return steps;
    }

    /**
     * Takes out those with a target up to {@code target}, at most {@code limit}.
     *
     * @return the first of a chain in their order, for {@link Waiter#signalAll}; null if there are
     *     none
     */
    Waiter takeUpTo(long target, int limit) {
        Waiter chain = null;
        Waiter chainEnd = null;
        Waiter waiter = queue.first();
        for (int taken = 0; taken < limit && waiter != null && waiter.target <= target; taken++) {
            remove(waiter);
            if (chain == null) {
                chain = waiter;
            } else {
                chainEnd.next = waiter;
            }
            chainEnd = waiter;
            waiter = queue.first();
        }
        return chain;
    }
}
