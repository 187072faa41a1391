// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A part of a counter that belongs to one thread at a time: for what happens so often that even an
 * atomic add on a stripe of its own would show. Lent by {@link LocalCounts}.
 */
public final class LocalCount {
    private static final VarHandle VALUE;

    static {
        try {
            VALUE = MethodHandles.lookup().findVarHandle(LocalCount.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Written by who has it, read by anyone. */
    private long value;

    /** The one made before it; guarded by the list's construction: set before it is published. */
    final LocalCount older;

    LocalCount(LocalCount older) {
        this.older = older;
    }

    /**
     * Adds one: a plain read and an opaque store. No addition is lost, for there is one writer at a
     * time and the next one begins after the last one's end: what is lent goes from thread to
     * thread by a release and an acquire of its owner. A reader beside it sees a value that was
     * there a moment ago, whole and never smaller than one it saw before, and that is all a sum
     * promises.
     */
    public void increment() {
        VALUE.setOpaque(this, value + 1);
    }

    /** Opaque: a moment old at worst, see {@link #increment}. */
    long valueOpaque() {
        return (long) VALUE.getOpaque(this);
    }
}
