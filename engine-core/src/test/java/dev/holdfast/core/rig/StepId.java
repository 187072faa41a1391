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
record StepId(int session, int generation, int sequence) {
    private static final int SEQUENCE_BITS = 24;
    private static final int GENERATION_BITS = 16;
    private static final int KEY_BYTES = 6;

    /** A number that no other step has; its lowest twelve bits are zero, for the step's values. */
    long tag() {
        long number = session;
        number = number << GENERATION_BITS | generation;
        number = number << SEQUENCE_BITS | sequence;
        return number << 12;
    }

    /** The key of its row in the journals. */
    String key() {
        char[] bytes = new char[KEY_BYTES];
        long number = tag() >> 12;
        for (int i = KEY_BYTES - 1; i >= 0; i--) {
            bytes[i] = (char) (number & 0xFF);
            number >>= 8;
        }
        return String.valueOf(bytes);
    }

    static StepId ofKey(String key) {
        long number = 0;
        for (int i = 0; i < key.length(); i++) {
            number = number << 8 | key.charAt(i);
        }
        int sequence = (int) (number & (1 << SEQUENCE_BITS) - 1);
        int generation = (int) (number >> SEQUENCE_BITS) & (1 << GENERATION_BITS) - 1;
        return new StepId(
                (int) (number >> (SEQUENCE_BITS + GENERATION_BITS)), generation, sequence);
    }

    @Override
    public String toString() {
        return session + "." + generation + "." + sequence;
    }
}
