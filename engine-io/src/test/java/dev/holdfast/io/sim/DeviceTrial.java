// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Requests that come to a device at the same time, and when it is done with each. */
final class DeviceTrial {
    private static final long STEP_NANOS = 10;

    private DeviceTrial() {}

    /** Syncs from so many threads at once; the times by a stopped clock at which they ended. */
    static List<Long> syncAtOnce(StorageFile file, TestClock clock, int threadCount) {
        List<Long> ended = Collections.synchronizedList(new ArrayList<>());
        List<IOException> failures = Collections.synchronizedList(new ArrayList<>());
        for (int i = 0; i < threadCount; i++) {
            new Thread(
                            () -> {
                                try {
                                    file.sync(true);
                                } catch (IOException e) {
                                    failures.add(e);
                                }
                                ended.add(clock.nanos());
                            })
                    .start();
        }
        awaitAllSettled(clock, ended, threadCount);
        while (ended.size() < threadCount) {
            clock.advance(STEP_NANOS);
            awaitAllSettled(clock, ended, threadCount);
        }
        if (!failures.isEmpty()) {
            throw new AssertionError("a sync failed", failures.get(0));
        }
        return List.copyOf(ended);
    }

    /** Until each thread waits for a later time or has ended; till then the clock must stand. */
    private static void awaitAllSettled(TestClock clock, List<Long> ended, int threadCount) {
        while (clock.dueCount() > 0 || clock.waitingCount() + ended.size() < threadCount) {
            Thread.onSpinWait();
        }
    }
}
