// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * How slow the simulated device is.
 *
 * @param readMicros of a read, beside its transfer
 * @param writeMicros of a write, beside its transfer
 * @param syncMicros of a sync
 * @param megabytesPerSecond of a transfer, for each place
 * @param depth requests that it serves at once
 */
public record DeviceShape(
        long readMicros, long writeMicros, long syncMicros, long megabytesPerSecond, int depth) {
    private static final String READ = "read";
    private static final String WRITE = "write";
    private static final String SYNC = "sync";
    private static final String MEGABYTES = "mb";
    private static final String DEPTH = "depth";
    private static final Set<String> NAMES =
            new TreeSet<>(Set.of(READ, WRITE, SYNC, MEGABYTES, DEPTH));

    /** A flash disk of the plain sort. */
    public static final DeviceShape DEFAULT = new DeviceShape(90, 40, 1_000, 500, 8);

    public DeviceShape {
        if (readMicros < 0
                || writeMicros < 0
                || syncMicros < 0
                || megabytesPerSecond < 1
                || depth < 1) {
            throw new IllegalArgumentException(
                    "no such device: read="
                            + readMicros
                            + ", write="
                            + writeMicros
                            + ", sync="
                            + syncMicros
                            + ", mb="
                            + megabytesPerSecond
                            + ", depth="
                            + depth);
        }
    }

    /** Returns the default with some values set anew, by name. */
    public static DeviceShape with(Map<String, Long> values) {
        for (String name : values.keySet()) {
            if (!NAMES.contains(name)) {
                throw new IllegalArgumentException(
                        "no such value of a device: name=" + name + ", known=" + NAMES);
            }
        }
        return new DeviceShape(
                values.getOrDefault(READ, DEFAULT.readMicros),
                values.getOrDefault(WRITE, DEFAULT.writeMicros),
                values.getOrDefault(SYNC, DEFAULT.syncMicros),
                values.getOrDefault(MEGABYTES, DEFAULT.megabytesPerSecond),
                Math.toIntExact(values.getOrDefault(DEPTH, (long) DEFAULT.depth)));
    }
}
