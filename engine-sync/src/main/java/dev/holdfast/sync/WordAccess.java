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
     * The tag of a latch that has one. Volatile: not read before the word was changed; pairs with
     * the full fence of who has changed the tag.
     */
    default long tagVolatile(Object storage, int index) {
        throw new UnsupportedOperationException("latch without a tag: index=" + index);
    }
}
