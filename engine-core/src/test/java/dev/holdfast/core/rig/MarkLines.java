// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;

/**
 * Marks as lines of text, for a pipe or a file. A line names a step; what the step is about follows
 * from the name and from what the session has behind it.
 *
 * <p>{@code C session generation sequence hotKey:version …} and {@code A session generation
 * sequence}.
 */
final class MarkLines {
    private final long seed;
    private final ScriptShape shape;
    private final List<SessionScript> scripts = new ArrayList<>();

    /** For each session, how many of its steps are behind it in each generation. */
    private final List<List<Integer>> history = new ArrayList<>();

    /** The steps of this generation as far as they were asked for. */
    private final Map<StepId, Step> steps = new HashMap<>();

    private int generation;

    /** A reader of what sessions 1 to the given one do, and the setup. */
    MarkLines(long seed, int sessions, ScriptShape shape) {
        this.seed = seed;
        this.shape = shape;
        for (int session = 1; session <= sessions; session++) {
            scripts.add(new SessionScript(seed, session, shape));
            history.add(new ArrayList<>());
        }
        Tables.setup().forEach(step -> steps.put(step.id(), step));
    }

    static String committing(Step step, Map<Integer, Integer> hotVersions) {
        StringJoiner line = new StringJoiner(" ");
        line.add("C").add(fields(step.id()));
        hotVersions.forEach((key, version) -> line.add(key + ":" + version));
        return line.toString();
    }

    static String acknowledged(Step step) {
        return "A " + fields(step.id());
    }

    static String of(Object mark) {
        return mark instanceof Mark.Committing committing
                ? committing(committing.step(), committing.hotVersions())
                : acknowledged(((Mark.Acknowledged) mark).step());
    }

    private static String fields(StepId id) {
        return id.session() + " " + id.generation() + " " + id.sequence();
    }

    static boolean isMark(String line) {
        return line.startsWith("C ") || line.startsWith("A ");
    }

    Mark read(String line) {
        String[] fields = line.split(" ", -1);
        StepId id =
                new StepId(
                        Integer.parseInt(fields[1]),
                        Integer.parseInt(fields[2]),
                        Integer.parseInt(fields[3]));
        if (fields[0].equals("A")) {
            return new Mark.Acknowledged(step(id));
        }
        Map<Integer, Integer> hotVersions = new HashMap<>();
        for (int i = 4; i < fields.length; i++) {
            String[] hot = fields[i].split(":", -1);
            hotVersions.put(Integer.valueOf(hot[0]), Integer.valueOf(hot[1]));
        }
        return new Mark.Committing(step(id), hotVersions);
    }

    private Step step(StepId id) {
        while (!steps.containsKey(id)) {
            Step next = scripts.get(id.session() - 1).next();
            steps.put(next.id(), next);
        }
        return steps.get(id);
    }

    int generation() {
        return generation;
    }

    /** What each session has behind it, as {@link SessionScript#replay} takes it. */
    List<String> histories() {
        return history.stream().map(SessionScript::history).toList();
    }

    /** A recovery found these steps; the sessions go on from there. */
    void recovered(Iterable<StepId> found) {
        int[] counts = new int[scripts.size()];
        for (StepId id : found) {
            if (id.generation() == generation && id.session() > 0) {
                int session = id.session() - 1;
                counts[session] = Math.max(counts[session], id.sequence() + 1);
            }
        }
        generation++;
        steps.clear();
        for (int i = 0; i < counts.length; i++) {
            history.get(i).add(counts[i]);
            SessionScript script = new SessionScript(seed, i + 1, shape);
            script.replay(SessionScript.history(history.get(i)));
            script.restart(generation, script.state());
            scripts.set(i, script);
        }
    }
}
