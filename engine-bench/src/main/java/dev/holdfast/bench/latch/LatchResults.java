// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

import dev.holdfast.bench.report.PairedRatios;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What all turns have given, by scenario. For one thread. */
public final class LatchResults {
    private final Map<Scenario, Map<Entrant, List<Double>>> rates = new LinkedHashMap<>();

    /** Takes the next turn of an entrant. */
    public void add(Scenario scenario, Entrant entrant, double perSecond) {
        rates.computeIfAbsent(scenario, unused -> new EnumMap<>(Entrant.class))
                .computeIfAbsent(entrant, unused -> new ArrayList<>())
                .add(perSecond);
    }

    /** The scenarios, in the order in which they came. */
    public List<Scenario> scenarios() {
        return List.copyOf(rates.keySet());
    }

    /** Who ran in a scenario, in the order of their turns. */
    public List<Entrant> entrants(Scenario scenario) {
        return List.copyOf(rates.get(scenario).keySet());
    }

    /** The median of an entrant's operations in a second. */
    public double perSecond(Scenario scenario, Entrant entrant) {
        return PairedRatios.median(rates.get(scenario).get(entrant));
    }

    /** How much faster one is than another, turn by turn. */
    public PairedRatios ratio(Scenario scenario, Entrant above, Entrant below) {
        Map<Entrant, List<Double>> all = rates.get(scenario);
        return PairedRatios.of(all.get(above), all.get(below));
    }

    /**
     * Who, of those that one of ours is compared with, has the highest median: not the highest of
     * each round, which would be chosen by its luck.
     */
    public Entrant best(Scenario scenario, Entrant ours) {
        Entrant best = null;
        for (Entrant other : entrants(scenario)) {
            if (ours.isComparedWith(other)
                    && (best == null || perSecond(scenario, other) > perSecond(scenario, best))) {
                best = other;
            }
        }
        if (best == null) {
            throw new IllegalArgumentException(
                    "nobody to compare with: latch=" + ours + ", scenario=" + scenario);
        }
        return best;
    }

    /** Under which circumstances some entrants ran. */
    public record Scenario(LatchLoad load, LatchSection section, int threads) {
        public String title() {
            return load.title() + ' ' + section.title() + " @" + threads;
        }
    }
}
