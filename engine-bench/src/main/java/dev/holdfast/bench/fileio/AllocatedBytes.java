// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import java.lang.management.ManagementFactory;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Heap bytes that threads have allocated, of which the JDK keeps count. */
final class AllocatedBytes {
    private AllocatedBytes() {}

    /** The sum over all threads that live now, or zero where a JVM does not tell. */
    static long ofLiveThreads() {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            // By name: the bean's own type is not of the platform's specification.
            Object bytes =
                    server.invoke(
                            new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME),
                            "getThreadAllocatedBytes",
                            new Object[] {ManagementFactory.getThreadMXBean().getAllThreadIds()},
                            new String[] {long[].class.getName()});
            long sum = 0;
            for (long each : (long[]) bytes) {
                sum += Math.max(0, each);
            }
            return sum;
        } catch (JMException notOffered) {
            return 0;
        }
    }
}
