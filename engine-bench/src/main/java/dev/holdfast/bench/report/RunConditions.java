// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.report;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** What a figure depends on and does not show: machine, JDK, commit, and what else ran. */
public final class RunConditions {
    private static final Path PROCESSORS = Path.of("/proc/cpuinfo");
    private static final long GIT_SECONDS_MAX = 10;

    private RunConditions() {}

    /** Returns them by name. What cannot be found out is called unknown. */
    public static Map<String, String> now() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("commit", git("describe", "--always", "--dirty", "--abbrev=12"));
        all.put("jdk", System.getProperty("java.vm.name") + ' ' + Runtime.version());
        all.put("jvmFlags", String.join(" ", flags()));
        all.put("os", System.getProperty("os.name") + ' ' + System.getProperty("os.version"));
        all.put("processor", processor());
        all.put("processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        all.put("loadAverageAtStart", load < 0 ? "unknown" : Double.toString(load));
        return all;
    }

    private static Iterable<String> flags() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments();
    }

    private static String processor() {
        try (Stream<String> lines = Files.lines(PROCESSORS)) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse(System.getProperty("os.arch"));
        } catch (IOException notLinux) {
            return System.getProperty("os.arch");
        }
    }

    /** Of the directory in which the command was called; its output is a line. */
    private static String git(String... arguments) {
        String[] command = new String[arguments.length + 1];
        command[0] = "git";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            byte[] said = process.getInputStream().readAllBytes();
            boolean isOver = process.waitFor(GIT_SECONDS_MAX, TimeUnit.SECONDS);
            if (!isOver || process.exitValue() != 0) {
                process.destroyForcibly();
                return "unknown";
            }
            return new String(said, StandardCharsets.UTF_8).trim();
        } catch (IOException noGit) {
            return "unknown";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "unknown";
        }
    }
}
