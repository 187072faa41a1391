// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import dev.holdfast.Durability;
import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Which entries form a transaction, and in what order the transactions are begun. Immutable, the
 * same for the same seed.
 *
 * <p>A batch is a run of entries in key order, from one to {@link #BATCH_ROWS_MAX}; the batches
 * come in random order. So leaves fill both from their end and in their middle.
 */
final class ImportPlan {
    static final int BATCH_ROWS_MAX = 1 << 7;

    private static final int REHEARSAL_EVERY = 8;
    private static final int WRITE_EVERY = 4;

    /** The first entry of each batch, and at the end the number of entries. */
    private final int[] starts;

    private final int[] order;

    ImportPlan(int entries, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        int[] found = new int[entries + 1];
        int count = 0;
        int next = 0;
        while (next < entries) {
            found[count++] = next;
            next +=
                    1
                            + random.nextInt(
                                    1 << random.nextInt(Integer.bitCount(BATCH_ROWS_MAX - 1) + 1));
        }
        found[count] = entries;
        starts = Arrays.copyOf(found, count + 1);
        order = shuffled(count, random);
    }

    int batchCount() {
        return order.length;
    }

    /** Returns the batch that is begun at this place. */
    int batchAt(int place) {
        return order[place];
    }

    int firstEntry(int batch) {
        return starts[batch];
    }

    int endEntry(int batch) {
        return starts[batch + 1];
    }

    int rowCount(int batch) {
        return starts[batch + 1] - starts[batch];
    }

    int batchOf(int entry) {
        int found = Arrays.binarySearch(starts, 0, order.length, entry);
        return found >= 0 ? found : -found - 2;
    }

    /** Whether the batch is written and rolled back before it is written and committed. */
    boolean isRehearsed(int batch) {
        return batch % REHEARSAL_EVERY == 0;
    }

    /** Both kinds outlive a killed process, so both are acknowledged. */
    Durability durability(int batch) {
        return batch % WRITE_EVERY == 1 ? Durability.WRITE : Durability.SYNC;
    }

    private static int[] shuffled(int count, SplittableRandom random) {
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            int j = random.nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        return order;
    }
}
