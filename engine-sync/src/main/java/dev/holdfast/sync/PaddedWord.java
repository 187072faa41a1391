// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/**
 * The two words of a latch, that share their cache line with no other object's fields.
 *
 * <p>Fields of a superclass lie before those of its subclasses, hence the chain of classes: {@link
 * PaddingBefore}, this, and the fields that {@link Latch} adds behind.
 */
abstract class PaddedWord extends PaddingBefore {
    /** Guarded by nothing; accessed through the handle in {@link Latch} alone. */
    long state;

    /** The bits of the queue; changed as {@link TwoWordAccess} says, through its handle alone. */
    long queue;

    /**
     * Null for a latch whose readers are not spread. Read beside the state, so it lies beside it.
     */
    final ReaderStripes stripes;

    PaddedWord(ReaderStripes stripes) {
        this.stripes = stripes;
    }
}
