// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.concurrent.ExecutionException;

/** The two ends of a side that lives in another process: lines of text, each answered by one. */
public final class TurnLines {
    /*
     *   parent           child
     *                    loads
     *            ◀────── begun
     *   turn ──────────▶
     *            ◀────── turn unitsPerSecond=… othersShare=…
     *   settle ────────▶
     *            ◀────── settled
     *   (closes) ──────▶ ends
     *
     * The child reads while it waits for its turn, and so is gone when its parent is.
     */

    private static final String BEGUN = "begun";
    private static final String TURN = "turn";
    private static final String SETTLE = "settle";
    private static final String SETTLED = "settled";

    private TurnLines() {}

    /** In the child: lives a life of the side as the lines say, until there are no more. */
    public static void serve(LiveSide side, BufferedReader in, Writer out)
            throws IOException, InterruptedException, ExecutionException {
        try {
            side.begin();
            say(out, BEGUN);
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                switch (line) {
                    case TURN -> say(out, side.turn().toLine());
                    case SETTLE -> {
                        side.settle();
                        say(out, SETTLED);
                    }
                    default -> throw new IllegalStateException("nothing to do: line=" + line);
                }
            }
        } finally {
            side.end();
        }
    }

    private static void say(Writer out, String line) throws IOException {
        out.write(line + '\n');
        out.flush();
    }

    /** In the parent: a life of the side in the child, through the other ends of its streams. */
    static final class Remote implements LiveSide {
        private final BufferedReader in;
        private final Writer out;

        Remote(BufferedReader in, Writer out) {
            this.in = in;
            this.out = out;
        }

        @Override
        public void begin() throws IOException {
            expect(BEGUN, answer());
        }

        @Override
        public Turn turn() throws IOException {
            say(out, TURN);
            return Turn.parse(answer());
        }

        @Override
        public void settle() throws IOException {
            say(out, SETTLE);
            expect(SETTLED, answer());
        }

        @Override
        public void end() {
            try {
                out.close();
            } catch (IOException e) {
                throw new UncheckedIOException("child is not told of its end", e);
            }
        }

        private String answer() throws IOException {
            String line = in.readLine();
            if (line == null) {
                throw new IllegalStateException("child ended by itself, its stderr says why");
            }
            return line;
        }

        private static void expect(String wanted, String line) {
            if (!wanted.equals(line)) {
                throw new IllegalStateException(
                        "child says something else: wanted=" + wanted + ", line=" + line);
            }
        }
    }
}
