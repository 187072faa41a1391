// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/**
 * The state of an {@link AdmissionGate} in one {@code long}, and its transitions.
 *
 * <pre>
 *   63       62        61 ........ 31   30 ........ 0
 *   closed   waiters   limit            tickets given out
 * </pre>
 *
 * <p>The limit lies in the word so that no ticket can be given out between a look at it and a
 * change of it. More tickets than the limit are out only after it was lowered.
 */
final class GateWord {
    static final int COUNT_MAX = Integer.MAX_VALUE;

    private static final int LIMIT_SHIFT = 31;
    private static final long WAITERS = 1L << 62;
    private static final long CLOSED = 1L << 63;
    private static final long LIMIT_MASK = (long) COUNT_MAX << LIMIT_SHIFT;

    private GateWord() {}

    static long of(int limit) {
        return limitSet(0, limit);
    }

    static int inside(long word) {
        return (int) word & COUNT_MAX;
    }

    static int limit(long word) {
        return (int) (word >>> LIMIT_SHIFT) & COUNT_MAX;
    }

    static boolean isClosed(long word) {
        return word < 0;
    }

    static boolean hasWaiters(long word) {
        return (word & WAITERS) != 0;
    }

    /** Whether a ticket may be taken past the queue: only while there is none. */
    static boolean admits(long word) {
        return (word & (WAITERS | CLOSED)) == 0 && inside(word) < limit(word);
    }

    /** How many tickets there are to give out. */
    static int free(long word) {
        return Math.max(0, limit(word) - inside(word));
    }

    static long entered(long word, int count) {
        assert count <= free(word) : describe(word) + ", count=" + count;

        return word + count;
    }

    static long left(long word, int count) {
        assert count <= inside(word) : describe(word) + ", count=" + count;

        return word - count;
    }

    static long limitSet(long word, int limit) {
        return (word & ~LIMIT_MASK) | (long) limit << LIMIT_SHIFT;
    }

    static long waitersSet(long word, boolean some) {
        return some ? word | WAITERS : word & ~WAITERS;
    }

    static long closed(long word) {
        return word | CLOSED;
    }

    static String describe(long word) {
        return "inside="
                + inside(word)
                + ", limit="
                + limit(word)
                + ", waiters="
                + hasWaiters(word)
                + ", closed="
                + isClosed(word);
    }
}
