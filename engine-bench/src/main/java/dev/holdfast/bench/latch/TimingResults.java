// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

import dev.holdfast.bench.report.PairedRatios;
import dev.holdfast.sync.WaitTiming;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** What it costs to time the waits of one contended latch. For one thread. */
public final class TimingResults {
    private final int threads;
    private final Map<LatchSection, Map<WaitTiming, List<Double>>> rates =
            new EnumMap<>(LatchSection.class);
    private final Map<LatchSection, Map<WaitTiming, List<Double>>> shares =
            new EnumMap<>(LatchSection.class);

    private final Map<LatchSection, Map<WaitTiming, List<Double>>> counts =
            new EnumMap<>(LatchSection.class);

    /** Begins with nothing measured yet, for so many threads. */
    public TimingResults(int threads) {
        this.threads = threads;
    }

    /**
     * Takes the next turn.
     *
     * @param perSecond acquires
     * @param contended the share of them that did not succeed at once
     * @param countNanos what it takes to count, and time, one that did not
     */
    public void add(
            LatchSection section,
            String timing,
            double perSecond,
            double contended,
            double countNanos) {
        put(rates, section, WaitTiming.valueOf(timing), perSecond);
        put(shares, section, WaitTiming.valueOf(timing), contended);
        put(counts, section, WaitTiming.valueOf(timing), countNanos);
    }

    private static void put(
            Map<LatchSection, Map<WaitTiming, List<Double>>> map,
            LatchSection section,
            WaitTiming timing,
            double value) {
        map.computeIfAbsent(section, unused -> new EnumMap<>(WaitTiming.class))
                .computeIfAbsent(timing, unused -> new ArrayList<>())
                .add(value);
    }

    public double perSecond(LatchSection section, WaitTiming timing) {
        return PairedRatios.median(rates.get(section).get(timing));
    }

    public double contendedShare(LatchSection section, WaitTiming timing) {
        return PairedRatios.median(shares.get(section).get(timing));
    }

    /** The time of a thread for one acquire and release, waiting included. */
    public double nanosPerAcquire(LatchSection section, WaitTiming timing) {
        return threads * (double) TimeUnit.SECONDS.toNanos(1) / perSecond(section, timing);
    }

    /** What a contended acquire takes to be counted, and timed, besides its wait. */
    public double countNanos(LatchSection section, WaitTiming timing) {
        return PairedRatios.median(counts.get(section).get(timing));
    }

    /** How fast it is with waits timed in this way, over how fast without. */
    public PairedRatios overOff(LatchSection section, WaitTiming timing) {
        Map<WaitTiming, List<Double>> all = rates.get(section);
        return PairedRatios.of(all.get(timing), all.get(WaitTiming.OFF));
    }

    /** The sections that were measured. */
    public List<LatchSection> sections() {
        return List.copyOf(rates.keySet());
    }
}
