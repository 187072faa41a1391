// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import dev.holdfast.WaitTiming;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.io.stats.IoSites;
import dev.holdfast.sync.ContentionSite;

/** Sets how all waits in this JVM are timed from now on, whichever engine was opened last. */
final class TimedSites {
    private TimedSites() {}

    static void set(WaitTiming timing) {
        set(CoreSites.values(), timing);
        set(IoSites.values(), timing);
    }

    private static void set(ContentionSite[] sites, WaitTiming timing) {
        for (ContentionSite site : sites) {
            site.counters().timing(dev.holdfast.sync.WaitTiming.valueOf(timing.name()));
        }
    }
}
