// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import dev.holdfast.io.sim.DamageBudget.Region;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Flips bits at rest, anywhere in a disk's files that a budget allows. */
public final class BitRot {
    private static final int TRIES_PER_BIT = 1000;

    private final DamageBudget budget;
    private final SeededRandom random;

    public BitRot(DamageBudget budget, SeededRandom random) {
        this.budget = budget;
        this.random = random;
    }

    /**
     * Flips so many bits, each in a byte of its own, drawn evenly over all bytes of the files.
     *
     * @param names of the files that may rot
     * @return where; fewer than asked for if the budget hardly allows any
     */
    public List<Region> flip(SimulatedDisk disk, List<String> names, int count) throws IOException {
        long total = 0;
        for (String name : names) {
            total += disk.contents(name).length;
        }
        List<Region> flipped = new ArrayList<>();
        int triesLeft = total == 0 ? 0 : count * TRIES_PER_BIT;
        while (flipped.size() < count && triesLeft-- > 0) {
            Region region = byteAt(disk, names, random.nextLong(total));
            if (!flipped.contains(region) && budget.claim(region)) {
                disk.flipBit(region.name(), region.from(), random.nextInt(Byte.SIZE));
                flipped.add(region);
            }
        }
        return flipped;
    }

    private static Region byteAt(SimulatedDisk disk, List<String> names, long index)
            throws IOException {
        long left = index;
        for (String name : names) {
            int length = disk.contents(name).length;
            if (left < length) {
                return new Region(name, left, left + 1);
            }
            left -= length;
        }
        throw new IllegalStateException("files have changed meanwhile: index=" + index);
    }
}
