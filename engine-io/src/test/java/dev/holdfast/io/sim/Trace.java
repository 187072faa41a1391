// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What was done to a disk, in one total order, from a known first state on.
 *
 * <p>A point k of a trace lies before event k: of the events 0 to k − 1 all have happened. Safe for
 * use by many threads.
 */
public final class Trace {
    /*
     * The state at a point is that of the nearest kept state before it plus the events between. The
     * kept states share all blocks and most tables with each other, so that one for every few
     * events costs little memory, and building an image costs the same anywhere in the trace.
     */
    private static final int EVENTS_PER_KEPT_STATE = 64;

    private final DiskState first;
    private final List<Event> events;
    private final CrashImage origin;
    private final DiskOptions options;
    private final List<Object> marks = new ArrayList<>();
    private final List<Integer> markIndexes = new ArrayList<>();
    private List<DiskState> keptStates;

    Trace(DiskState first, List<Event> events, CrashImage origin, DiskOptions options) {
        this.first = first;
        this.events = events;
        this.origin = origin;
        this.options = options;
        for (int i = 0; i < events.size(); i++) {
            if (events.get(i) instanceof Event.Marked marked) {
                marks.add(marked.mark());
                markIndexes.add(i);
            }
        }
    }

    public int eventCount() {
        return events.size();
    }

    /** What the tests noted before the point, also on the disks that this one is the image of. */
    public List<Object> marksBefore(int point) {
        List<Object> before = new ArrayList<>();
        if (origin != null) {
            before.addAll(origin.marks());
        }
        before.addAll(marks.subList(0, ownMarksBefore(point)));
        return before;
    }

    /** How many {@link #marksBefore} has. */
    public int markCountBefore(int point) {
        return (origin == null ? 0 : origin.markCount()) + ownMarksBefore(point);
    }

    private int ownMarksBefore(int point) {
        int found = Collections.binarySearch(markIndexes, point);
        return found >= 0 ? found : -found - 1;
    }

    /** Points at which a sync, a name change or a mark begins or has just ended, in order. */
    public List<Integer> borders() {
        List<Integer> borders = new ArrayList<>();
        for (int i = 0; i < events.size(); i++) {
            if (events.get(i).isBorder()) {
                if (borders.isEmpty() || borders.get(borders.size() - 1) != i) {
                    borders.add(i);
                }
                borders.add(i + 1);
            }
        }
        return borders;
    }

    /** How many events are of syncs that ended, for tests of what a workload did. */
    public int syncCount() {
        int count = 0;
        for (Event event : events) {
            if (event instanceof Event.SyncEnded) {
                count++;
            }
        }
        return count;
    }

    /** The events around a point in words. */
    public String describe(int point, int before, int after) {
        StringBuilder text = new StringBuilder();
        int to = Math.min(events.size(), point + after);
        for (int i = Math.max(0, point - before); i < to; i++) {
            text.append(i == point ? "  -- the crash --\n" : "");
            text.append("  ").append(i).append(": ").append(events.get(i)).append('\n');
        }
        return point >= to ? text.append("  -- the crash --\n").toString() : text.toString();
    }

    /** Differs between traces that differ, as far as their events' words do. */
    public long fingerprint() {
        long hash = first.hash();
        for (Event event : events) {
            hash = SeededRandom.mix(hash + event.toString().hashCode());
        }
        return hash;
    }

    /** The image that the first state is; null if the disk began empty. */
    CrashImage origin() {
        return origin;
    }

    DiskOptions options() {
        return options;
    }

    Event event(int index) {
        return events.get(index);
    }

    /** The state at the point; the caller owns it. */
    DiskState stateAt(int point) {
        if (point < 0 || point > events.size()) {
            throw new IndexOutOfBoundsException(
                    "no such point, point=" + point + ", events=" + events.size());
        }
        int kept = point / EVENTS_PER_KEPT_STATE;
        DiskState state = keptState(kept).copy();
        for (Event event : events.subList(kept * EVENTS_PER_KEPT_STATE, point)) {
            state.apply(event);
        }
        return state;
    }

    private synchronized DiskState keptState(int index) {
        if (keptStates == null) {
            keptStates = new ArrayList<>(List.of(first));
        }
        if (index >= keptStates.size()) {
            int done = (keptStates.size() - 1) * EVENTS_PER_KEPT_STATE;
            DiskState state = keptStates.get(keptStates.size() - 1).copy();
            for (int i = done; i < index * EVENTS_PER_KEPT_STATE; i++) {
                state.apply(events.get(i));
                if ((i + 1) % EVENTS_PER_KEPT_STATE == 0) {
                    keptStates.add(state.copy());
                }
            }
        }
        return keptStates.get(index);
    }
}
