// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** If this failed, the pages of counters and latches would not say what the engine has. */
final class CounterTableTest {
    @Test
    void givenThePageOfCounters_whenComparedWithTheList_thenTheyAgree() throws IOException {
        List<String> rows = rows("counters.md", "| ");

        List<String> expected =
                Stream.of(Counter.values())
                        .map(c -> row(c.name(), c.unit(), c.owner(), c.meaning()))
                        .collect(Collectors.toList());
        assertThat(rows).containsExactlyElementsOf(expected);
    }

    @Test
    void givenThePageOfLatches_whenComparedWithTheSites_thenRanksAndMeaningsAgree()
            throws IOException {
        String page = Files.readString(directory().resolve("latching.md"));

        for (CoreSites site : CoreSites.values()) {
            String row =
                    site.rank() == CoreSites.NO_RANK
                            ? "| " + site.name() + " | " + site.meaning() + " |"
                            : "| " + site.rank() + " | " + site.name() + " | ";
            assertThat(page).contains(row).contains("| " + site.meaning() + " |");
        }
    }

    private static String row(String... cells) {
        return "| " + String.join(" | ", cells) + " |";
    }

    private static List<String> rows(String page, String prefix) throws IOException {
        try (Stream<String> lines = Files.lines(directory().resolve(page))) {
            return lines.filter(line -> line.startsWith(prefix) && !line.startsWith("| Counter"))
                    .collect(Collectors.toList());
        }
    }

    private static Path directory() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(directory.resolve("docs/architecture"))) {
            directory = directory.getParent();
        }
        return directory.resolve("docs/architecture");
    }
}
