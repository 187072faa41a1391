// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.check;

import dev.holdfast.Finding;
import dev.holdfast.VerifyReport;
import dev.holdfast.core.page.PageId;
import java.util.ArrayList;
import java.util.List;

/** What has been found so far; keeps a bounded number and counts the rest. */
final class FindingList {
    private final List<Finding> findings = new ArrayList<>();
    private long omitted;

    void add(String where, String invariant, String expected, String found) {
        if (findings.size() < VerifyReport.FINDINGS_MAX) {
            findings.add(new Finding(where, invariant, expected, found));
        } else {
            omitted++;
        }
    }

    /** A breach that a page shows. */
    void add(long pageId, String invariant, String what, String expected, String found) {
        add(page(pageId), invariant + " " + what, expected, found);
    }

    static String page(long pageId) {
        return "space="
                + Integer.toUnsignedString(PageId.spaceId(pageId))
                + ", page="
                + Integer.toUnsignedString(PageId.pageNumber(pageId));
    }

    List<Finding> findings() {
        return findings;
    }

    long omitted() {
        return omitted;
    }
}
