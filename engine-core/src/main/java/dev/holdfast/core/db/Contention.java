// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.LatchContention;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.io.stats.IoSites;
import dev.holdfast.sync.ContentionReport;
import dev.holdfast.sync.ContentionSite;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What threads have waited for, at the sites of the core and of the files. */
final class Contention {
    private Contention() {}

    private static List<ContentionSite> sites() {
        List<ContentionSite> sites = new ArrayList<>(List.of(CoreSites.values()));
        sites.addAll(List.of(IoSites.values()));
        return sites;
    }

    /** As the API has it, the longest wait first. */
    static List<LatchContention> rows() {
        List<ContentionSite> sites = sites();
        Map<String, String> meanings = new HashMap<>();
        for (ContentionSite site : sites) {
            meanings.put(site.siteName(), site.meaning());
        }
        List<LatchContention> rows = new ArrayList<>();
        for (ContentionReport.Row row : ContentionReport.of(sites).rows()) {
            rows.add(
                    new LatchContention(
                            row.siteName(),
                            meanings.get(row.siteName()),
                            row.contendedAcquires(),
                            row.spinRounds(),
                            row.parks(),
                            row.optimisticRestarts(),
                            row.waitNanos()));
        }
        return rows;
    }

    /** As text, without the sites that nobody waited for. */
    static String text() {
        return ContentionReport.of(sites()).toText();
    }
}
