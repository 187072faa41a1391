// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.concurrent.TimeUnit;

/** How long a device takes for a request; drawn anew for each. */
@FunctionalInterface
public interface Latency {
    /** A device that takes no time. */
    Latency NONE = (operation, bytes, random) -> 0;

    /**
     * The time for one request.
     *
     * @param bytes the length of the transfer, 0 if there is none
     * @param random of the disk; used by one thread at a time
     */
    long nanos(Operation operation, int bytes, SeededRandom random);

    /** A constant time per request, plus the time that the bytes take on the wire. */
    static Latency of(long readNanos, long writeNanos, long syncNanos, long bytesPerSecond) {
        if (bytesPerSecond <= 0) {
            throw new IllegalArgumentException("bytesPerSecond=" + bytesPerSecond);
        }
        return (operation, bytes, random) -> {
            long transferNanos = bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
            return switch (operation) {
                case READ -> readNanos + transferNanos;
                case WRITE -> writeNanos + transferNanos;
                case SYNC, SYNC_DIRECTORY -> syncNanos;
                default -> 0;
            };
        };
    }

    /** The same, with an exponential tail whose mean is a share of each time. */
    default Latency withTail(double share) {
        return (operation, bytes, random) -> {
            long nanos = nanos(operation, bytes, random);
            return nanos + (long) (nanos * share * -Math.log(1 - random.nextDouble()));
        };
    }

    /** The same, but now and then a request takes so much longer. */
    default Latency withStalls(double probability, long stallNanos) {
        return (operation, bytes, random) ->
                nanos(operation, bytes, random) + (random.chance(probability) ? stallNanos : 0);
    }
}
