// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.util.List;

/**
 * What {@link Engine#verify} found. The check stops at no finding, but keeps no more than {@link
 * #FINDINGS_MAX} of them.
 *
 * @param pages how many pages were read
 * @param tables how many tables were walked
 * @param rows how many rows were seen in them, deleted ones that are still there included
 * @param findings what does not hold, in the order it was met
 * @param findingsOmitted how many more there were
 */
public record VerifyReport(
        long pages, long tables, long rows, List<Finding> findings, long findingsOmitted) {
    public static final int FINDINGS_MAX = 1_000;

    public VerifyReport {
        findings = List.copyOf(findings);
        if (findings.size() > FINDINGS_MAX) {
            throw new IllegalArgumentException(
                    "too many findings: count=" + findings.size() + ", max=" + FINDINGS_MAX);
        }
    }

    /** Says whether all that was checked holds. */
    public boolean isSound() {
        return findings.isEmpty() && findingsOmitted == 0;
    }

    /** Returns a line of counts and a line per finding. */
    public String toText() {
        StringBuilder text = new StringBuilder(128);
        text.append("pages=").append(pages);
        text.append(", tables=").append(tables);
        text.append(", rows=").append(rows);
        text.append(", findings=").append(findings.size() + findingsOmitted).append('\n');
        for (Finding finding : findings) {
            text.append(finding.where()).append(": ").append(finding.invariant());
            text.append(": expected=").append(finding.expected());
            text.append(", found=").append(finding.found()).append('\n');
        }
        return text.toString();
    }
}
