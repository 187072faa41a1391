// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.ArrayList;
import java.util.List;

/**
 * Which bytes of a disk a test may damage: all, or never both members of a pair that repair each
 * other.
 *
 * <p>In survivable mode a program must come through with all it had; in destructive mode it need
 * only notice. A pair is, say, a page and its doublewrite copy, or the two checkpoint slots.
 */
public final class DamageBudget {
    private final boolean isSurvivable;
    private final List<Pair> pairs = new ArrayList<>();
    private final List<Region> damaged = new ArrayList<>();

    private DamageBudget(boolean isSurvivable) {
        this.isSurvivable = isSurvivable;
    }

    /** What has no pair may not be damaged at all, and of each pair one member. */
    public static DamageBudget survivable() {
        return new DamageBudget(true);
    }

    /** Everything may be damaged. */
    public static DamageBudget destructive() {
        return new DamageBudget(false);
    }

    /** Says that either region can be restored from the other. */
    public DamageBudget pair(Region one, Region other) {
        pairs.add(new Pair(one, other));
        return this;
    }

    /** Whether the bytes may be damaged; if so they count as damaged from now on. */
    public boolean claim(Region region) {
        if (isSurvivable && !isCovered(region)) {
            return false;
        }
        damaged.add(region);
        return true;
    }

    private boolean isCovered(Region region) {
        boolean hasTwin = false;
        for (Pair pair : pairs) {
            boolean isOfOne = pair.one.overlaps(region);
            boolean isOfOther = pair.other.overlaps(region);
            hasTwin |= pair.one.contains(region) || pair.other.contains(region);
            if ((isOfOne && isOfOther)
                    || (isOfOne && isDamaged(pair.other))
                    || (isOfOther && isDamaged(pair.one))) {
                return false;
            }
        }
        return hasTwin;
    }

    private boolean isDamaged(Region region) {
        return damaged.stream().anyMatch(region::overlaps);
    }

    private record Pair(Region one, Region other) {}

    /**
     * Some bytes of a file.
     *
     * @param name the file's
     * @param from the first byte
     * @param to behind the last byte
     */
    public record Region(String name, long from, long to) {
        public Region {
            if (from < 0 || to <= from) {
                throw new IllegalArgumentException("bad region: from=" + from + ", to=" + to);
            }
        }

        boolean contains(Region other) {
            return name.equals(other.name) && from <= other.from && to >= other.to;
        }

        boolean overlaps(Region other) {
            return name.equals(other.name) && from < other.to && to > other.from;
        }
    }
}
