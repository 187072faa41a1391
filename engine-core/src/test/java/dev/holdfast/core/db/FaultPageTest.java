// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** If this failed, the page of faults would name tests that are not there. */
final class FaultPageTest {
    private static final String PAGE = "docs/architecture/faults.md";
    private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|IT))(?:\\.(\\w+))?`");

    @Test
    void givenThePageOfFaults_whenItsTestsAreLookedFor_thenEachIsThere() throws IOException {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve(PAGE))) {
            root = root.getParent();
        }
        Map<String, String> sources = sources(root);
        List<String> missing = new ArrayList<>();
        int found = 0;

        Matcher tests = TEST.matcher(Files.readString(root.resolve(PAGE), UTF_8));
        while (tests.find()) {
            String source = sources.get(tests.group(1) + ".java");
            String method = tests.group(2);
            boolean isThere =
                    source != null && (method == null || source.contains("void " + method + "("));
            if (isThere) {
                found++;
            } else {
                missing.add(tests.group());
            }
        }

        assertThat(missing).isEmpty();
        assertThat(found).isGreaterThan(40);
    }

    private static Map<String, String> sources(Path root) throws IOException {
        Map<String, String> sources = new TreeMap<>();
        for (String module : List.of("engine-sync", "engine-io", "engine-core")) {
            try (Stream<Path> files = Files.walk(root.resolve(module).resolve("src/test/java"))) {
                for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                    sources.put(file.getFileName().toString(), Files.readString(file, UTF_8));
                }
            }
        }
        return sources;
    }
}
