// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/**
 * Heap bytes that threads have allocated, of which the JDK keeps count.
 *
 * @param byThread of all threads that lived then, by their ids
 */
record AllocatedBytes(Map<Long, Long> byThread) {
    /** What all threads that live now have allocated; nothing where a JVM does not tell. */
    static AllocatedBytes now() {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        long[] ids = ManagementFactory.getThreadMXBean().getAllThreadIds();
        Map<Long, Long> byThread = new HashMap<>();
        try {
            // By name: the bean's own type is not of the platform's specification.
            Object bytes =
                    server.invoke(
                            new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME),
                            "getThreadAllocatedBytes",
                            new Object[] {ids},
                            new String[] {long[].class.getName()});
            for (int i = 0; i < ids.length; i++) {
                byThread.put(ids[i], ((long[]) bytes)[i]);
            }
            return new AllocatedBytes(byThread);
        } catch (JMException notOffered) {
            return new AllocatedBytes(Map.of());
        }
    }

    /** The sum over the threads that live now; what threads that ended had is left out. */
    long since(AllocatedBytes earlier) {
        long sum = 0;
        for (Map.Entry<Long, Long> each : byThread.entrySet()) {
            sum += Math.max(0, each.getValue() - earlier.byThread.getOrDefault(each.getKey(), 0L));
        }
        return sum;
    }
}
