// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** Processor time of this process and of the machine, and bytes that a thread has allocated. */
public final class MachineTime {
    /*
     * The JDK's own beans offer both, but in packages that are not of the platform's specification;
     * asked by name through the bean server they need no such import, and where a JVM lacks them
     * the figure is left out.
     */

    private static final Path STAT = Path.of("/proc/stat");
    private static final long TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final int IDLE_FIELD = 4;
    private static final int IO_WAIT_FIELD = 5;
    private static final int LAST_FIELD = 8;
    private static final long UNKNOWN = -1;

    private final long processNanos;
    private final long machineBusyNanos;
    private final long wallNanos;

    private MachineTime(long processNanos, long machineBusyNanos, long wallNanos) {
        this.processNanos = processNanos;
        this.machineBusyNanos = machineBusyNanos;
        this.wallNanos = wallNanos;
    }

    static MachineTime now() {
        return new MachineTime(processNanosNow(), machineBusyNanosNow(), System.nanoTime());
    }

    long processNanosSince(MachineTime earlier) {
        return processNanos == UNKNOWN ? UNKNOWN : processNanos - earlier.processNanos;
    }

    /** Returns the share of all processors that others had; negative if that is unknown. */
    double otherShareSince(MachineTime earlier) {
        if (processNanos == UNKNOWN || machineBusyNanos == UNKNOWN) {
            return UNKNOWN;
        }
        long others = machineBusyNanos - earlier.machineBusyNanos - processNanosSince(earlier);
        long all = (wallNanos - earlier.wallNanos) * Runtime.getRuntime().availableProcessors();
        return all <= 0 ? UNKNOWN : Math.max(0, (double) others / all);
    }

    /** Returns the bytes that the calling thread has allocated, or zero if that is unknown. */
    public static long allocatedBytes() {
        try {
            Object bytes =
                    server().invoke(
                                    new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME),
                                    "getThreadAllocatedBytes",
                                    new Object[] {Thread.currentThread().getId()},
                                    new String[] {long.class.getName()});
            return (Long) bytes;
        } catch (JMException notOffered) {
            return 0;
        }
    }

    private static long processNanosNow() {
        try {
            Object nanos =
                    server().getAttribute(
                                    new ObjectName(ManagementFactory.OPERATING_SYSTEM_MXBEAN_NAME),
                                    "ProcessCpuTime");
            return (Long) nanos;
        } catch (JMException notOffered) {
            return UNKNOWN;
        }
    }

    /** Linux: the first line is "cpu user nice system idle iowait irq softirq steal …" in ticks. */
    private static long machineBusyNanosNow() {
        if (!Files.isReadable(STAT)) {
            return UNKNOWN;
        }
        try {
            String[] words = Files.readAllLines(STAT).get(0).trim().split("\\s+", -1);
            long ticks = 0;
            for (int field = 1; field <= LAST_FIELD; field++) {
                if (field != IDLE_FIELD && field != IO_WAIT_FIELD) {
                    ticks += Long.parseLong(words[field]);
                }
            }
            return ticks * TICK_NANOS;
        } catch (IOException unreadable) {
            return UNKNOWN;
        }
    }

    private static MBeanServer server() {
        return ManagementFactory.getPlatformMBeanServer();
    }
}
