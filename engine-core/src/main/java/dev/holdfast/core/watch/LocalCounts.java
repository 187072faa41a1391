// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The parts of some counters that belong to one thread at a time: for what each operation counts,
 * so often that an atomic add on a stripe would show. Lent by {@link LentCounts}.
 *
 * <p>What is not kept here is counted with the others' at once, so its user need not know.
 */
public final class LocalCounts implements Tally {
    /*
     * A line's worth of cells lies before the first and behind the last: without it the counts of
     * threads that began together lie side by side, at the latest once the collector has copied
     * them, and each page that one thread fixes takes the line from the others. On two processors
     * neither that nor an atomic add on a stripe shows in the rate of updates (one in a hundred at
     * most); this is for many, where a line that all write is what ends the scaling.
     */
    private static final Counter[] KEPT = {
        Counter.PAGE_FIXES,
        Counter.PAGE_FIXES_MISSED,
        Counter.MTR_COMMITS,
        Counter.MTR_REDO_BYTES,
        Counter.COMMITS
    };

    private static final int NOT_KEPT = -1;
    private static final int LINE_LONGS = 8;
    private static final int[] CELL_OF = cellOf();
    private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

    /** Written by who has it, read by anyone. */
    private final long[] cells = new long[LINE_LONGS + KEPT.length + LINE_LONGS];

    private final Counters others;

    /** The one made before it; set before it is published. */
    final LocalCounts older;

    LocalCounts(Counters others, LocalCounts older) {
        this.others = others;
        this.older = older;
    }

    @SuppressWarnings("EnumOrdinal") // an array by ordinal is the cheapest map there is
    private static int[] cellOf() {
        int[] cellOf = new int[Counter.values().length];
        Arrays.fill(cellOf, NOT_KEPT);
        for (int i = 0; i < KEPT.length; i++) {
            cellOf[KEPT[i].ordinal()] = LINE_LONGS + i;
        }
        return cellOf;
    }

    @Override
    public void increment(Counter counter) {
        add(counter, 1);
    }

    /**
     * A plain read and an opaque store. No addition is lost, for there is one writer at a time and
     * the next one begins after the last one's end: what is lent goes from thread to thread by a
     * release and an acquire of its owner. A reader beside it sees a value that was there a moment
     * ago, whole and never smaller than one it saw before, and that is all a sum promises.
     */
    @Override
    @SuppressWarnings("EnumOrdinal")
    public void add(Counter counter, long amount) {
        int cell = CELL_OF[counter.ordinal()];
        if (cell == NOT_KEPT) {
            others.add(counter, amount);
        } else {
            CELL.setOpaque(cells, cell, cells[cell] + amount);
        }
    }

    /**
     * What was counted here so far, by whoever had it. Opaque: a moment old at worst, see {@link
     * #add}, and what it is for who adds. Zero of a counter that is not kept.
     */
    @SuppressWarnings("EnumOrdinal")
    public long valueOpaque(Counter counter) {
        int cell = CELL_OF[counter.ordinal()];
        return cell == NOT_KEPT ? 0 : (long) CELL.getOpaque(cells, cell);
    }
}
