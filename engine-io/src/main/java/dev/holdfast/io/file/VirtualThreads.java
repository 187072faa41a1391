// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/** Tells whether the current thread is virtual, on JDKs that have virtual threads and on others. */
final class VirtualThreads {
    /*
     * Thread.isVirtual came with JDK 21, after our baseline. The handle is a static final, so the
     * call is compiled to the field test that it is; without the method it is the constant false.
     */

    private static final MethodHandle IS_VIRTUAL = findIsVirtual();

    private VirtualThreads() {}

    /** Whether the calling thread is virtual, so that blocking in a file call pins its carrier. */
    public static boolean isCurrentVirtual() {
        try {
            return (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
        } catch (Throwable e) {
            throw new AssertionError("Thread.isVirtual cannot be called", e);
        }
    }

    private static MethodHandle findIsVirtual() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", methodType(boolean.class));
        } catch (NoSuchMethodException | IllegalAccessException thisJdkHasNone) {
            return MethodHandles.dropArguments(
                    MethodHandles.constant(boolean.class, false), 0, Thread.class);
        }
    }
}
