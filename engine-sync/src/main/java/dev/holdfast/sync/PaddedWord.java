// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/**
 * One word that shares its cache line with no other object's fields.
 *
 * <p>Fields of a superclass lie before those of its subclasses, hence the chain of classes: {@link
 * PaddingBefore}, this, and the fields that {@link Latch} adds behind.
 */
abstract class PaddedWord extends PaddingBefore {
    /** Guarded by nothing; accessed through the handle in {@link Latch} alone. */
    long word;
}
