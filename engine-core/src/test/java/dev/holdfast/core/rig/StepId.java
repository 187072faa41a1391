// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

/**
 * Names a step of a session for ever.
 *
 * @param session whose step it is: one thread at a time works for a session
 * @param generation how many recoveries there were before; a step that a crash took is not done
 *     again under its old name
 * @param sequence counts the steps of a generation of the session
 */
record StepId(int session, int generation, int sequence) implements Comparable<StepId> {
    private static final int SEQUENCE_BITS = 24;
    private static final int GENERATION_BITS = 16;

    /** A number that no other step has; its lowest twelve bits are zero, for the step's values. */
    long tag() {
        long number = session;
        number = number << GENERATION_BITS | generation;
        number = number << SEQUENCE_BITS | sequence;
        return number << 12;
    }

    /** The key of its row in the journals. */
    String key() {
        String bytes = "";
        for (int shift = 40; shift >= 0; shift -= 8) {
            bytes += (char) (tag() >> 12 >> shift & 0xFF);
        }
        return bytes;
    }

    static StepId ofKey(String key) {
        long number = 0;
        for (int i = 0; i < key.length(); i++) {
            number = number << 8 | key.charAt(i);
        }
        int sequence = (int) (number & (1 << SEQUENCE_BITS) - 1);
        int generation = (int) (number >> SEQUENCE_BITS) & (1 << GENERATION_BITS) - 1;
        return new StepId((int) (number >> SEQUENCE_BITS + GENERATION_BITS), generation, sequence);
    }

    @Override
    public int compareTo(StepId other) {
        return Long.compare(tag(), other.tag());
    }

    @Override
    public String toString() {
        return session + "." + generation + "." + sequence;
    }
}
