// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Where and how a disk crashes; with the trace it gives the image.
 *
 * @param point as in {@link Trace}
 */
public record CrashPoint(int point, CrashMode mode, long seed) {
    /** Reads what {@link #format} wrote. */
    public static List<CrashPoint> parse(String text) {
        List<CrashPoint> chain = new ArrayList<>();
        for (String part : text.split("/", -1)) {
            String[] fields = part.split(":", -1);
            if (fields.length != 3) {
                throw new IllegalArgumentException("no crash point, text=" + text);
            }
            chain.add(
                    new CrashPoint(
                            Integer.parseInt(fields[0]),
                            CrashMode.valueOf(fields[1]),
                            Long.parseLong(fields[2])));
        }
        return chain;
    }

    /** One word for crashes that follow each other, the outermost first. */
    public static String format(List<CrashPoint> chain) {
        return chain.stream().map(CrashPoint::toString).collect(Collectors.joining("/"));
    }

    @Override
    public String toString() {
        return point + ":" + mode + ":" + seed;
    }
}
