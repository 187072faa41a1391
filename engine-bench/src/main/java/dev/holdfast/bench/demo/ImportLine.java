// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import java.util.Optional;

/**
 * A line that the importing child writes into the pipe to its parent.
 *
 * @param kind what it says
 * @param first the batch, or the microseconds of the open, or the commits so far
 * @param second the log syncs so far, else zero
 */
record ImportLine(Kind kind, long first, long second) {
    /*
     * A line ends in a mark of its own: the pipe may end in the middle of one, and half of "DONE
     * 1234" must not acknowledge batch 12. It is written in one transfer of less than a pipe's
     * atomic length, so this is a precaution.
     */

    private static final String END = ";";

    /** What a line says. */
    enum Kind {
        /** The child is about to open the store. */
        OPENING,
        /** The store is open. */
        OPEN,
        /** The commit of a batch has returned. */
        DONE,
        /** Counters of the engine. */
        COUNTS,
        /** All is in, and the store is closed. */
        FINISHED
    }

    static ImportLine of(Kind kind) {
        return new ImportLine(kind, 0, 0);
    }

    static ImportLine of(Kind kind, long first) {
        return new ImportLine(kind, first, 0);
    }

    String toText() {
        return kind + " " + first + " " + second + END;
    }

    /** Returns nothing for a line that is not whole. */
    static Optional<ImportLine> parse(String text) {
        if (!text.endsWith(END)) {
            return Optional.empty();
        }
        String[] words = text.substring(0, text.length() - END.length()).split(" ", -1);
        return Optional.of(
                new ImportLine(
                        Kind.valueOf(words[0]),
                        Long.parseLong(words[1]),
                        Long.parseLong(words[2])));
    }
}
