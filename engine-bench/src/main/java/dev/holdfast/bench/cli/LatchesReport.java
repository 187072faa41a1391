// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.bench.latch.Entrant;
import dev.holdfast.bench.latch.LatchGoal;
import dev.holdfast.bench.latch.LatchMemory;
import dev.holdfast.bench.latch.LatchResults;
import dev.holdfast.bench.latch.LatchResults.Scenario;
import dev.holdfast.bench.latch.LatchSection;
import dev.holdfast.bench.latch.TimingResults;
import dev.holdfast.bench.report.PairedRatios;
import dev.holdfast.bench.report.RunConditions;
import dev.holdfast.bench.report.TextTable;
import dev.holdfast.sync.WaitTiming;
import java.util.Locale;
import java.util.Map;

/** The tables of the command {@code latches}; each figure of them also goes into the JSON. */
final class LatchesReport {
    private static final int MILLION = 1_000_000;

    private final Figures measured;
    private final StringBuilder text = new StringBuilder(16_384);

    LatchesReport(Figures measured) {
        this.measured = measured;
    }

    /** Returns all tables. To be called once. */
    String text(String settings, LatchResults results, TimingResults timing) {
        conditions(settings);
        rates(results);
        ratios(results);
        goals(results);
        timing(timing);
        memory();
        return text.toString();
    }

    private void conditions(String settings) {
        text.append('\n');
        for (Map.Entry<String, String> condition : RunConditions.now().entrySet()) {
            text.append(condition.getKey()).append(": ").append(condition.getValue()).append('\n');
            measured.set(condition.getKey(), condition.getValue());
        }
        text.append("settings: ").append(settings).append('\n');
        measured.set("settings", settings);
    }

    private void rates(LatchResults results) {
        Entrant[] all = Entrant.values();
        String[] head = new String[all.length + 1];
        head[0] = "operations/s";
        for (int i = 0; i < all.length; i++) {
            head[i + 1] = all[i].title();
        }
        TextTable table = new TextTable(head);
        for (Scenario scenario : results.scenarios()) {
            String[] line = new String[all.length + 1];
            line[0] = scenario.title();
            for (int i = 0; i < all.length; i++) {
                boolean ran = results.entrants(scenario).contains(all[i]);
                line[i + 1] = ran ? number("%,.0f", results.perSecond(scenario, all[i])) : "";
                if (ran) {
                    measured.set(
                            scenario.title() + ", " + all[i].title() + ", perSecond",
                            results.perSecond(scenario, all[i]));
                }
            }
            table.line(line);
        }
        section("Operations in a second, median of the rounds", table);
    }

    private void ratios(LatchResults results) {
        TextTable table =
                new TextTable("scenario", "latch", "against", "ratio", "low", "high", "best");
        for (Scenario scenario : results.scenarios()) {
            for (Entrant ours : results.entrants(scenario)) {
                for (Entrant other : results.entrants(scenario)) {
                    if (ours.isComparedWith(other)) {
                        boolean isBest = results.best(scenario, ours) == other;
                        PairedRatios ratio = results.ratio(scenario, ours, other);
                        table.line(
                                scenario.title(),
                                ours.title(),
                                other.title(),
                                number("%.3f", ratio.median()),
                                number("%.3f", ratio.low()),
                                number("%.3f", ratio.high()),
                                isBest ? "*" : "");
                        String name =
                                scenario.title() + ", " + ours.title() + " / " + other.title();
                        set(name + (isBest ? " (best)" : ""), ratio);
                    }
                }
            }
        }
        section(
                "Ratio of operations in a second, ours over theirs: median of the pairs and the"
                        + " interval of the sign test, at least 95 %;\n"
                        + "best: who has the highest median of those compared with, a latch that"
                        + " readers hold only with such",
                table);
    }

    private void goals(LatchResults results) {
        TextTable table = new TextTable("goal", "at least", "ratio", "low", "high", "verdict");
        for (LatchGoal goal : LatchGoal.all()) {
            if (results.scenarios().contains(goal.scenario())) {
                PairedRatios ratio = goal.measured(results);
                String name =
                        goal.scenario().title()
                                + ", "
                                + goal.ours().title()
                                + " / "
                                + (goal.against() == null ? "best" : goal.against().title());
                String verdict = goal.verdict(ratio).name().toLowerCase(Locale.ROOT);
                table.line(
                        name,
                        number("%.2f", goal.atLeast()),
                        number("%.3f", ratio.median()),
                        number("%.3f", ratio.low()),
                        number("%.3f", ratio.high()),
                        verdict);
                measured.set("goal " + name, verdict);
            }
        }
        section("Goals: reached or missed with the whole interval, else open", table);
    }

    private void timing(TimingResults timing) {
        TextTable table =
                new TextTable(
                        "timing of waits",
                        "ns/acquire",
                        "contended",
                        "ns to count one",
                        "ratio to OFF",
                        "low",
                        "high");
        for (LatchSection section : timing.sections()) {
            for (WaitTiming way : WaitTiming.values()) {
                PairedRatios ratio = timing.overOff(section, way);
                String name = "timing " + way + ' ' + section.title();
                double share = timing.contendedShare(section, way);
                table.line(
                        way + " " + section.title(),
                        number("%.1f", timing.nanosPerAcquire(section, way)),
                        number("%.3f %%", 100 * share),
                        number("%.1f", timing.countNanos(section, way)),
                        number("%.3f", ratio.median()),
                        number("%.3f", ratio.low()),
                        number("%.3f", ratio.high()));
                measured.set(name + ", nanosPerAcquire", timing.nanosPerAcquire(section, way));
                measured.set(name + ", contendedShare", share);
                measured.set(name + ", countNanos", timing.countNanos(section, way));
                set(name + " / OFF", ratio);
            }
        }
        section(
                "Two threads on one latch, exclusive, by how waits are timed; to count one: what a"
                        + " contended acquire takes besides its wait",
                table);
    }

    private void memory() {
        long million = LatchMemory.measured(MILLION);
        TextTable table =
                new TextTable("memory", "bytes each", "a million")
                        .line(
                                "latch of an array or the frame table",
                                number("%.2f", (double) million / MILLION),
                                number("%,d", million))
                        .line(
                                "frame's line, latch included",
                                Integer.toString(LatchMemory.FRAME_BYTES),
                                number("%,d", (long) LatchMemory.FRAME_BYTES * MILLION))
                        .line(
                                "mutex and rw-lock of a page, InnoDB 5.1 built in",
                                Integer.toString(LatchMemory.BUILT_IN_BYTES),
                                number("%,d", (long) LatchMemory.BUILT_IN_BYTES * MILLION))
                        .line(
                                "the same, XtraDB 5.1",
                                Integer.toString(LatchMemory.XTRADB_BYTES),
                                number("%,d", (long) LatchMemory.XTRADB_BYTES * MILLION));
        measured.set("memory.millionLatchesBytes", million)
                .set("memory.frameLineBytes", LatchMemory.FRAME_BYTES);
        section("Memory; the first line is measured, the others are by layout", table);
    }

    private void set(String name, PairedRatios ratio) {
        measured.set(name + ", ratio", ratio.median())
                .set(name + ", low", ratio.low())
                .set(name + ", high", ratio.high())
                .set(name + ", pairs", ratio.pairs())
                .set(name + ", coverage", ratio.coverage());
    }

    private void section(String title, TextTable table) {
        text.append('\n').append(title).append('\n').append(table.toText());
    }

    private static String number(String format, Object value) {
        return String.format(Locale.ROOT, format, value);
    }
}
