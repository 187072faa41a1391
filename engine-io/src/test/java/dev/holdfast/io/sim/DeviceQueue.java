// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.Arrays;

/** Lets requests take as long as {@link Latency} says, so many at a time. */
final class DeviceQueue {
    /*
     * Each place has the time at which the device is done with all that came to it. A request goes
     * to the place that is free first and ends so much later than that, or than now: not than the
     * moment at which a thread woke up and noticed. So a device in steady use does exactly as many
     * requests a second as its figures say, however late threads wake.
     */
    private final Latency latency;
    private final SeededRandom random;

    /** Guarded by the random source. */
    private final long[] freeAt;

    DeviceQueue(Latency latency, int depth, SeededRandom random, DiskClock clock) {
        this.latency = latency;
        this.random = random;
        this.freeAt = new long[depth];
        Arrays.fill(freeAt, clock.nanos());
    }

    /** Waits until the device has served the request; true if that took any time. */
    boolean serve(Operation operation, int bytes, DiskClock clock) {
        if (latency == Latency.NONE) {
            return false;
        }
        long end;
        synchronized (random) {
            long nanos = latency.nanos(operation, bytes, random);
            if (nanos <= 0) {
                return false;
            }
            int place = 0;
            for (int i = 1; i < freeAt.length; i++) {
                if (freeAt[i] - freeAt[place] < 0) {
                    place = i;
                }
            }
            long now = clock.nanos();
            end = (freeAt[place] - now > 0 ? freeAt[place] : now) + nanos;
            freeAt[place] = end;
        }
        clock.awaitUntil(end);
        return true;
    }
}
