// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Makes a failing list of operations smaller while it still fails.
 *
 * <p>First runs of elements are left out, halves, then quarters, down to single ones; then each
 * remaining element is replaced by simpler ones. The result fails, and with tries to spare no
 * single element of it can be left out.
 */
public final class Shrinker {
    private final int triesMax;
    private int tries;

    private Shrinker(int triesMax) {
        this.triesMax = triesMax;
    }

    /**
     * Shrinks by leaving elements out.
     *
     * @param fails whether a list still fails, in the same way; it must be repeatable
     * @param triesMax how often {@code fails} may be asked
     */
    public static <T> List<T> shrink(List<T> failing, Predicate<List<T>> fails, int triesMax) {
        return shrink(failing, fails, element -> List.of(), triesMax);
    }

    /**
     * Shrinks by leaving elements out, then by replacing them.
     *
     * @param simpler candidates for one element, the simplest first; none when it is simple enough
     */
    public static <T> List<T> shrink(
            List<T> failing, Predicate<List<T>> fails, Function<T, List<T>> simpler, int triesMax) {
        Shrinker shrinker = new Shrinker(triesMax);
        List<T> smallest = new ArrayList<>(failing);
        boolean progress = true;
        while (progress && shrinker.mayTry()) {
            List<T> before = smallest;
            smallest = shrinker.leaveOut(smallest, fails);
            smallest = shrinker.replace(smallest, fails, simpler);
            progress = !smallest.equals(before);
        }
        return smallest;
    }

    private boolean mayTry() {
        return tries < triesMax;
    }

    private <T> boolean fails(List<T> candidate, Predicate<List<T>> fails) {
        tries++;
        return fails.test(List.copyOf(candidate));
    }

    private <T> List<T> leaveOut(List<T> failing, Predicate<List<T>> fails) {
        List<T> smallest = failing;
        for (int run = smallest.size(); run >= 1; run /= 2) {
            int from = 0;
            while (from < smallest.size() && mayTry()) {
                int to = Math.min(from + run, smallest.size());
                List<T> candidate = new ArrayList<>(smallest.subList(0, from));
                candidate.addAll(smallest.subList(to, smallest.size()));
                if (fails(candidate, fails)) {
                    smallest = candidate;
                } else {
                    from = to;
                }
            }
        }
        return smallest;
    }

    private <T> List<T> replace(
            List<T> failing, Predicate<List<T>> fails, Function<T, List<T>> simpler) {
        List<T> smallest = failing;
        for (int i = 0; i < smallest.size(); i++) {
            List<T> candidates = simpler.apply(smallest.get(i));
            for (int c = 0; c < candidates.size() && mayTry(); c++) {
                List<T> candidate = new ArrayList<>(smallest);
                candidate.set(i, candidates.get(c));
                if (fails(candidate, fails)) {
                    smallest = candidate;
                    candidates = simpler.apply(smallest.get(i));
                    c = -1;
                }
            }
        }
        return smallest;
    }
}
