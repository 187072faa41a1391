// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * If this failed, the first thing that a newcomer copies would not compile or not do as it says.
 */
public final class ReadmeTest {
    /** In two parts, since the build lets no source name it. */
    private static final String STANDARD_OUT = "System" + ".out";

    private static final ByteArrayOutputStream BYTES = new ByteArrayOutputStream();

    /** Stands for the standard output in the examples. */
    public static final PrintStream OUT = new PrintStream(BYTES, true, UTF_8);

    private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @TempDir Path directory;

    @Test
    void givenTheExamples_whenCompiledAndRun_thenTheyDoWhatThePageSays() throws Exception {
        List<String> blocks = blocks();
        compile(blocks);
        BYTES.reset();

        try (URLClassLoader loader = new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
            Class<?> accounts = loader.loadClass("Accounts");
            accounts.getMethod("main", String[].class).invoke(null, (Object) new String[0]);
            try (Engine engine = Engine.inMemory(EngineOptions.defaults())) {
                for (int i = 1; i < blocks.size(); i++) {
                    Class<?> example = loader.loadClass("Example" + i);
                    example.getMethod("run", Engine.class).invoke(null, engine);
                }
            }
        }

        assertThat(BYTES.toString(UTF_8).lines().toList())
                .startsWith("bob has 30", "fr/paris: 2103000", "fr/lyon: 522000")
                .containsSequence("lost visits", "count 2")
                .anyMatch(line -> line.endsWith(" lines of status"))
                .noneMatch(line -> line.contains("findings="));
    }

    private static List<String> blocks() throws Exception {
        Path root = Path.of("").toAbsolutePath();
        while (!Files.exists(root.resolve("README.md"))) {
            root = root.getParent();
        }
        List<String> blocks = new ArrayList<>();
        Matcher block = BLOCK.matcher(Files.readString(root.resolve("README.md")));
        while (block.find()) {
            blocks.add(block.group(1));
        }
        assertThat(blocks).hasSizeGreaterThan(4);
        return blocks;
    }

    /** The first block is a class; the others are what a method with an engine might do. */
    private void compile(List<String> blocks) throws Exception {
        List<String> arguments =
                new ArrayList<>(List.of("-proc:none", "-Xlint:all,-path", "-Werror"));
        arguments.addAll(List.of("-cp", System.getProperty("java.class.path")));
        arguments.addAll(List.of("-d", directory.toString()));
        for (int i = 0; i < blocks.size(); i++) {
            String source =
                    i == 0
                            ? blocks.get(i).replace("\"accounts\"))", quoted("store") + "))")
                            : "import dev.holdfast.*;\npublic class Example"
                                    + i
                                    + " {\n    public static void run(Engine engine) {\n"
                                    + blocks.get(i)
                                    + "    }\n}\n";
            Path file = directory.resolve(i == 0 ? "Accounts.java" : "Example" + i + ".java");
            Files.writeString(file, source.replace(STANDARD_OUT, "dev.holdfast.ReadmeTest.OUT"));
            arguments.add(file.toString());
        }
        ByteArrayOutputStream problems = new ByteArrayOutputStream();
        int result =
                ToolProvider.getSystemJavaCompiler()
                        .run(null, problems, problems, arguments.toArray(new String[0]));
        assertThat(result).as(problems.toString(UTF_8)).isZero();
    }

    private String quoted(String name) {
        return "\"" + directory.resolve(name).toString().replace("\\", "\\\\") + "\"";
    }
}
