// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

/** One contender's time on the machine: how long the sections are, and whether it is over. */
public final class Turn {
    private final long tokens;
    private volatile boolean isOver;

    /**
     * Begins a turn.
     *
     * @param tokens work inside each section, see {@link WorkTokens}; zero for none
     */
    public Turn(long tokens) {
        this.tokens = tokens;
    }

    long tokens() {
        return tokens;
    }

    boolean goesOn() {
        return !isOver;
    }

    void end() {
        isOver = true;
    }
}
