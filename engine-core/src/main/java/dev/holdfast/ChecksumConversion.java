// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.util.List;

/**
 * How far a conversion of checksums is, or how it ended.
 *
 * @param kind the name of the kind that pages get; {@code PENDING} for one that an earlier open
 *     left, where files may want different ones; empty if there was none since the open
 * @param running whether it is at work
 * @param spacesDone data files whose pages all bear the kind, durably
 * @param spaces data files that are to be converted
 * @param pagesDone pages that are done with, free ones included
 * @param pages pages of those files
 * @param damaged pages that could not be read, and so were left as they are
 * @param damagedOmitted how many more there were
 */
public record ChecksumConversion(
        String kind,
        boolean running,
        int spacesDone,
        int spaces,
        long pagesDone,
        long pages,
        List<Finding> damaged,
        long damagedOmitted) {
    /** So many damaged pages are kept at most. */
    public static final int DAMAGED_MAX = 1_000;

    public ChecksumConversion {
        damaged = List.copyOf(damaged);
        if (damaged.size() > DAMAGED_MAX) {
            throw new IllegalArgumentException(
                    "too many damaged pages: count=" + damaged.size() + ", max=" + DAMAGED_MAX);
        }
    }

    /** Says whether it has ended and left out no page. */
    public boolean isComplete() {
        return !running && spacesDone == spaces;
    }

    /** Returns a line of {@code name=value} pairs and a line per damaged page. */
    public String toText() {
        StringBuilder text = new StringBuilder(128);
        text.append("kind=").append(kind.isEmpty() ? "none" : kind);
        text.append(", running=").append(running);
        text.append(", spacesDone=").append(spacesDone).append(", spaces=").append(spaces);
        text.append(", pagesDone=").append(pagesDone).append(", pages=").append(pages);
        text.append(", damaged=").append(damaged.size() + damagedOmitted).append('\n');
        for (Finding finding : damaged) {
            text.append(finding.where()).append(": expected=").append(finding.expected());
            text.append(", found=").append(finding.found()).append('\n');
        }
        return text.toString();
    }
}
