// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import dev.holdfast.Durability;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** All phases by name. */
public final class Phases {
    /** The load in key order, which every other timed phase needs first. */
    public static final String LOAD_SEQUENTIAL = "load-seq";

    public static final String LOAD_RANDOM = "load-random";

    private static final Map<String, Operation> LOADS =
            Map.of(LOAD_SEQUENTIAL, Operations::load, LOAD_RANDOM, Operations::load);

    private static final Map<String, Operation> TIMED = timed();

    private Phases() {}

    /** Returns the names of the phases that run for a time on a loaded table. */
    public static Set<String> timedNames() {
        return TIMED.keySet();
    }

    public static boolean isLoad(String name) {
        return LOADS.containsKey(name);
    }

    /**
     * Returns the phase that a text like {@code update-sync@8} names; one thread if it does not
     * say.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Phase parse(String text) {
        int at = text.indexOf('@');
        String name = at < 0 ? text : text.substring(0, at);
        int threads = at < 0 ? 1 : Integer.parseInt(text.substring(at + 1));
        if (threads < 1) {
            throw new IllegalArgumentException("phase without threads: phase=" + text);
        }
        if (LOADS.containsKey(name)) {
            return new Phase(name, threads, false, LOADS.get(name));
        }
        Operation operation = TIMED.get(name);
        if (operation == null) {
            throw new IllegalArgumentException(
                    "no such phase: phase=" + text + ", known=" + LOADS.keySet() + TIMED.keySet());
        }
        return new Phase(name, threads, true, operation);
    }

    private static Map<String, Operation> timed() {
        Map<String, Operation> all = new LinkedHashMap<>();
        all.put("scan-full", Operations::scanAll);
        all.put("read-random", Operations::readRandom);
        all.put("read-snapshot", Operations::readInSnapshot);
        all.put("scan-100", Operations::scanHundred);
        all.put("update-nosync", Operations.update(Durability.LAZY));
        all.put("update-os", Operations.update(Durability.WRITE));
        all.put("update-sync", Operations.update(Durability.SYNC));
        all.put("rmw10-zipf", Operations::readModifyWriteTen);
        all.put("oltp-ro", Operations::sysbenchReadOnly);
        all.put("oltp-rw", Operations.sysbenchReadWrite(Durability.LAZY));
        all.put("oltp-rw-sync", Operations.sysbenchReadWrite(Durability.SYNC));
        return all;
    }
}
