// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import dev.holdfast.ChecksumKind;
import dev.holdfast.DoublewriteMode;
import dev.holdfast.EngineOptions;
import dev.holdfast.FileMode;
import dev.holdfast.WaitTiming;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/** Options of an engine by name, for command lines and for comparisons of two settings. */
public final class EngineSettings {
    /*
     * By lambdas, not by method references: those look their method up here and now, and an older
     * engine, which comparisons run with these classes, has not all of them.
     */

    private static final Map<String, BiConsumer<EngineOptions.Builder, String>> SETTERS = setters();

    private EngineSettings() {}

    /**
     * Returns the options with some of them set anew.
     *
     * @param settings values by the names that {@link EngineOptions.Builder} has
     * @throws IllegalArgumentException if a name is unknown or a value wrong
     */
    public static EngineOptions with(EngineOptions options, Map<String, String> settings) {
        EngineOptions.Builder builder = options.toBuilder();
        for (Map.Entry<String, String> setting : settings.entrySet()) {
            BiConsumer<EngineOptions.Builder, String> setter = SETTERS.get(setting.getKey());
            if (setter == null) {
                throw new IllegalArgumentException(
                        "no such option: option="
                                + setting.getKey()
                                + ", known="
                                + SETTERS.keySet());
            }
            setter.accept(builder, setting.getValue());
        }
        return builder.build();
    }

    private static Map<String, BiConsumer<EngineOptions.Builder, String>> setters() {
        Map<String, BiConsumer<EngineOptions.Builder, String>> all = new TreeMap<>();
        all.put("pageBytes", (builder, text) -> builder.pageBytes(Integer.parseInt(text)));
        all.put("poolBytes", (builder, text) -> builder.poolBytes(Long.parseLong(text)));
        all.put("poolShards", (builder, text) -> builder.poolShards(Integer.parseInt(text)));
        all.put(
                "redoCapacityBytes",
                (builder, text) -> builder.redoCapacityBytes(Long.parseLong(text)));
        all.put(
                "logBufferBytes",
                (builder, text) -> builder.logBufferBytes(Integer.parseInt(text)));
        all.put(
                "logFlushIntervalMillis",
                (builder, text) ->
                        builder.logFlushInterval(Duration.ofMillis(Long.parseLong(text))));
        all.put(
                "lockWaitTimeoutMillis",
                (builder, text) ->
                        builder.lockWaitTimeout(Duration.ofMillis(Long.parseLong(text))));
        all.put("readAhead", (builder, text) -> builder.readAhead(isTrue(text)));
        all.put("redoSelfCheck", (builder, text) -> builder.redoSelfCheck(isTrue(text)));
        all.put("checksum", (builder, text) -> builder.checksum(ChecksumKind.valueOf(text)));
        all.put("doublewrite", (builder, text) -> builder.doublewrite(doublewriteMode(text)));
        all.put(
                "doublewriteSlots",
                (builder, text) -> builder.doublewriteSlots(Integer.parseInt(text)));
        all.put(
                "doublewriteBatchPages",
                (builder, text) -> builder.doublewriteBatchPages(Integer.parseInt(text)));
        all.put("fileMode", (builder, text) -> builder.fileMode(FileMode.valueOf(text)));
        all.put("ioCapacity", (builder, text) -> builder.ioCapacity(ioCapacity(text)));
        all.put("ioReadThreads", (builder, text) -> builder.ioReadThreads(Integer.parseInt(text)));
        all.put(
                "ioWriteThreads",
                (builder, text) -> builder.ioWriteThreads(Integer.parseInt(text)));
        all.put("undoSpaces", (builder, text) -> builder.undoSpaces(Integer.parseInt(text)));
        all.put("timeWaits", (builder, text) -> builder.timeWaits(WaitTiming.valueOf(text)));
        return all;
    }

    /** A mode by its name; true and false, which the setting was once, mean ON and OFF. */
    private static DoublewriteMode doublewriteMode(String text) {
        return switch (text) {
            case "true" -> DoublewriteMode.ON;
            case "false" -> DoublewriteMode.OFF;
            default -> DoublewriteMode.valueOf(text);
        };
    }

    private static int ioCapacity(String text) {
        return text.equals("AUTO") ? EngineOptions.IO_CAPACITY_AUTO : Integer.parseInt(text);
    }

    private static boolean isTrue(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException("neither true nor false: value=" + text);
        };
    }
}
