// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.reflect.Method;

/** The JVM's count; reached by reflection, since the module tested does not read its module. */
final class AllocatedBytes {
    private static final Object BEAN;
    private static final Method METHOD;

    static {
        try {
            BEAN =
                    Class.forName("java.lang.management.ManagementFactory")
                            .getMethod("getThreadMXBean")
                            .invoke(null);
            METHOD =
                    Class.forName("com.sun.management.ThreadMXBean")
                            .getMethod("getThreadAllocatedBytes", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private AllocatedBytes() {}

    static long ofThisThread() {
        try {
            return (long) METHOD.invoke(BEAN, Thread.currentThread().getId());
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("no count of allocated bytes", e);
        }
    }
}
