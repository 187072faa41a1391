// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.undo;

import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.space.SpaceShrink;
import dev.holdfast.core.watch.Counter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes an undo space short again after a burst of history: takes it out of service while another
 * serves, waits until it is empty, cuts its file, puts it back. For the purge agent's thread.
 */
public final class UndoTruncation {
    /*
     * A space that is out of service gives out no segment, so each of its segments comes to be free
     * and stays so; they are taken here one by one. When all are here and purge is past their last
     * log, nothing points into the space that anybody may follow: the rows that still bear its roll
     * pointers are visible to all. The chains are condemned, the epochs pass (P6), the tail of the
     * file is free, and SpaceShrink cuts it.
     *
     * Each step is one round and waits for nothing. A crash in between leaves a space that is empty
     * in part, which is a legal state; whether it was out of service is forgotten.
     */
    private static final int KEPT_EXTENTS = 4;

    private final UndoSystem undo;
    private final SpaceShrink shrink;
    private final MiniTransaction mtr;
    private final long pagesMax;
    private final List<UndoSegment> held = new ArrayList<>();

    /** Out of service because of this; null between two truncations. */
    private UndoSpace truncated;

    private boolean emptied;

    /**
     * Uses the mini-transaction alone.
     *
     * @param pagesMax a space with more pages is truncated
     */
    public UndoTruncation(UndoSystem undo, SpaceShrink shrink, MiniTransaction mtr, long pagesMax) {
        this.undo = undo;
        this.shrink = shrink;
        this.mtr = mtr;
        this.pagesMax = pagesMax;
    }

    /** The extents below which truncating a space is not worth it. */
    public static int extentsMin() {
        return KEPT_EXTENTS + 2;
    }

    /**
     * Does the next step, if there is one that can be done now.
     *
     * @throws IOException if the file could not be cut
     */
    public void step() throws IOException {
        if (truncated == null) {
            choose();
        } else if (!emptied) {
            collect();
        } else if (shrink.shrink(truncated.space(), KEPT_EXTENTS)) {
            undo.backInService(truncated);
            truncated = null;
            undo.counters().increment(Counter.UNDO_TRUNCATIONS);
        }
    }

    private void choose() {
        int inService = 0;
        UndoSpace largest = null;
        for (UndoSpace space : undo.spaces()) {
            inService += space.isInService() ? 1 : 0;
            if (largest == null || space.space().pageCount() > largest.space().pageCount()) {
                largest = space;
            }
        }
        if (largest != null && inService > 1 && largest.space().pageCount() > pagesMax) {
            largest.inService(false);
            truncated = largest;
            emptied = false;
        }
    }

    private void collect() {
        for (UndoSegment free = truncated.takeFree(); free != null; free = truncated.takeFree()) {
            held.add(free);
        }
        if (truncated.isCreating() || held.size() < truncated.segments().size()) {
            return;
        }
        for (UndoSegment segment : held) {
            if (segment.announced.get()) {
                return;
            }
        }
        // One by one out of the list: a round that ran out of memory is begun again.
        while (!held.isEmpty()) {
            int last = held.size() - 1;
            undo.history().freeChain(mtr, held.get(last));
            truncated.remove(held.get(last));
            held.remove(last);
        }
        emptied = true;
    }
}
