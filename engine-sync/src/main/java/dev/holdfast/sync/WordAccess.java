// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/**
 * How the slow path reaches a latch word, whatever stores it.
 *
 * <p>Only the slow path calls through this interface. The fast paths of the three storages use
 * their own static final handles: a virtual call there would cost more than the CAS.
 */
interface WordAccess {
    /** Acquire; pairs with the CAS of whoever changed the word last. */
    long wordAcquire(Object storage, int index);

    /** Volatile in both directions; publishes what was written before and acquires. */
    boolean compareAndSet(Object storage, int index, long expected, long update);

    /**
     * Brings shared holders that are counted elsewhere into the word. May wake others, so it is not
     * to be called under a queue lock.
     */
    default void gather(Object storage, int index) {
        // Only a latch with stripes has any.
    }

    /**
     * Acquires for a woken thread, and says in the bits of the queue that it has arrived.
     *
     * @param acquired the word with the thread in it
     */
    default boolean acquireWoken(Object storage, int index, long word, long acquired) {
        return compareAndSet(storage, index, word, LatchWord.wokenAcquired(acquired));
    }

    /**
     * The tag of a latch that has one. Volatile: not read before the word was changed; pairs with
     * the full fence of who has changed the tag.
     */
    default long tagVolatile(Object storage, int index) {
        throw new UnsupportedOperationException("latch without a tag: index=" + index);
    }
}
