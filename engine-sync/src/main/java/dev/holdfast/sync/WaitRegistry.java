// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.function.Consumer;

/** All notes of waiting threads in this JVM, held weakly. */
final class WaitRegistry extends QueueLock {
    /*
     * A list that grows at its head and loses its dead entries wherever they are, both under the
     * lock and in constant time. It is walked without the lock: an entry that was taken out keeps
     * its link, so whoever stands on it comes to all that were behind it.
     *
     * The dead are taken out by whoever registers, two for each that is added, so that the list
     * follows what the collector leaves without anybody to sweep it.
     *
     * field             written by           read by        guard or mode
     * first, next       who holds the lock   walkers        volatile
     * previous, count   who holds the lock   the same       the lock
     */

    private static final int TAKEN_OUT_PER_ADDED = 2;
    private static final WaitRegistry ALL = new WaitRegistry();

    private final ReferenceQueue<CurrentWait> dead = new ReferenceQueue<>();
    private volatile Entry first;
    private int count;

    private WaitRegistry() {}

    static void add(CurrentWait wait) {
        ALL.takeOutDead(TAKEN_OUT_PER_ADDED);
        ALL.link(new Entry(wait, ALL.dead));
    }

    /** Shows each entry that was there when the walk began and has not been collected. */
    static void forEach(Consumer<Entry> consumer) {
        ALL.takeOutDead(Integer.MAX_VALUE);
        for (Entry entry = ALL.first; entry != null; entry = entry.next) {
            consumer.accept(entry);
        }
    }

    /** How many entries there are, the collected ones that are not yet taken out included. */
    static int count() {
        ALL.lock();
        int count = ALL.count;
        ALL.unlock();
        return count;
    }

    private void takeOutDead(int limit) {
        for (int i = 0; i < limit; i++) {
            if (!(dead.poll() instanceof Entry entry)) {
                return;
            }
            unlink(entry);
        }
    }

    private void link(Entry entry) {
        lock();
        entry.next = first;
        if (first != null) {
            first.previous = entry;
        }
        first = entry;
        count++;
        unlock();
    }

    private void unlink(Entry entry) {
        lock();
        if (entry.previous == null) {
            first = entry.next;
        } else {
            entry.previous.next = entry.next;
        }
        if (entry.next != null) {
            entry.next.previous = entry.previous;
        }
        count--;
        unlock();
    }

    /** A note, as long as its thread or a thread's stack keeps it alive. */
    static final class Entry extends WeakReference<CurrentWait> {
        private volatile Entry next;
        private Entry previous;

        private Entry(CurrentWait wait, ReferenceQueue<CurrentWait> dead) {
            super(wait, dead);
        }
    }
}
