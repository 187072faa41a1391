// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One of what an {@link Alternation} compares. It lives several times; in each life it stays warm
 * and idle while the others have their turns.
 */
public interface LiveSide {
    /** Begins a life: all that is done before the first turn, such as loading a new store. */
    void begin() throws IOException, InterruptedException, ExecutionException;

    /** Works for a turn and says how fast it was. */
    Turn turn() throws IOException, InterruptedException, ExecutionException;

    /** After each turn, untimed: finishes what that has left, so that nobody else's pays for it. */
    void settle() throws IOException, InterruptedException;

    /** Ends the life; also one whose beginning failed. */
    void end() throws IOException, InterruptedException;

    /**
     * What a turn came to.
     *
     * @param unitsPerSecond how fast it was
     * @param othersShare of the machine that other processes had meanwhile; negative if unknown
     */
    record Turn(double unitsPerSecond, double othersShare) {
        private static final String NUMBER = "(-?[0-9.]+(?:E-?[0-9]+)?)";
        private static final Pattern LINE =
                Pattern.compile("turn unitsPerSecond=" + NUMBER + " othersShare=" + NUMBER);

        /** As a process tells it to another. */
        String toLine() {
            return String.format(
                    Locale.ROOT,
                    "turn unitsPerSecond=%s othersShare=%s",
                    unitsPerSecond,
                    othersShare);
        }

        /** Reads what {@link #toLine} has made. */
        static Turn parse(String line) {
            Matcher found = LINE.matcher(line);
            if (!found.matches()) {
                throw new IllegalStateException("not a turn: line=" + line);
            }
            return new Turn(Double.parseDouble(found.group(1)), Double.parseDouble(found.group(2)));
        }
    }

    /** Where stores are put. */
    interface Directories {
        /** Makes an empty directory. */
        Path make() throws IOException;

        /** Removes it with what has come to be in it. */
        void remove(Path directory) throws IOException;
    }
}
