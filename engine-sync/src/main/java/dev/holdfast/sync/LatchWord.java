// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/**
 * The state of a latch in one 64-bit word, and every transition of it as a function from word to
 * word.
 *
 * <pre>
 *   bit   63   62 ... 20   19          18       17      16        15 ... 0
 *         zero version     exclusive   update   woken   waiters   shared holders
 * </pre>
 *
 * <p>A word of zero is a free latch, so zeroed memory is a table of free latches. The version grows
 * by one with each release of exclusive and is never reset; while it stands still and the exclusive
 * bit is clear, nobody has changed what the latch guards.
 *
 * <p><b>Latches:</b> none taken; these functions touch no memory.
 */
public final class LatchWord {
    /*
     * Exclusive is the bit below the version, so that adding it to a word that has it set clears it
     * and raises the version in the same addition. Bit 63 stays zero: a version is never negative,
     * and LOCKED can be told from all of them. The version wraps after 2^43 exclusive releases of
     * one latch; an optimistic reader would have to sleep through exactly that many.
     *
     * waiters: set iff the parking lot has a waiter queued for this latch. Both are changed under
     * the lot's queue lock only, so there they agree.
     *
     * woken: a waiter has left the queue and is on its way to try for the latch. While it is set,
     * releases wake nobody else: one runner at a time, and whoever holds and releases the latch in
     * the meantime pays nothing for it. The runner clears the bit when it gets the latch or queues
     * up again. Clearing it too early only wakes one more; it is never set without a runner.
     *
     * update: reserved for the mode that is compatible with shared and can become exclusive. It is
     * a holder to whom no transition leads yet.
     */

    /** What {@link #optimisticVersion} gives when the latch is held exclusively. */
    public static final long LOCKED = -1L;

    static final int SHARED_BITS = 16;

    static final long SHARED_ONE = 1L;
    static final long SHARED_MASK = (1L << SHARED_BITS) - 1;
    static final long WAITERS = 1L << SHARED_BITS;
    static final long WOKEN = WAITERS << 1;
    static final long UPDATE = WOKEN << 1;
    static final long EXCLUSIVE = UPDATE << 1;
    static final long VERSION_ONE = EXCLUSIVE << 1;
    static final long VERSION_MASK = Long.MAX_VALUE & -VERSION_ONE;

    private static final long HOLDERS = EXCLUSIVE | UPDATE | SHARED_MASK;
    private static final long QUEUE = WAITERS | WOKEN;

    static {
        assert Long.bitCount(VERSION_MASK) >= 40 : "versionBits=" + Long.bitCount(VERSION_MASK);
        assert (HOLDERS | QUEUE | VERSION_MASK) == Long.MAX_VALUE : "the fields cover the word";
        assert EXCLUSIVE << 1 == VERSION_ONE : "releasing exclusive carries into the version";
    }

    private LatchWord() {}

    /** The version to read under, or {@link #LOCKED} if the word is held exclusively. */
    public static long optimisticVersion(long word) {
        return (word & EXCLUSIVE) == 0 ? word & VERSION_MASK : LOCKED;
    }

    /** Whether what was read under {@code version} is still so; false for {@link #LOCKED}. */
    public static boolean validates(long word, long version) {
        return (word & (VERSION_MASK | EXCLUSIVE)) == version;
    }

    /**
     * Whether an arriving thread may share the latch. Behind a queue it may only if nobody holds
     * the latch: else readers that overlap would keep a queued writer out for ever.
     */
    static boolean admitsShared(long word) {
        return (word & EXCLUSIVE) == 0
                && ((word & WAITERS) == 0 || (word & HOLDERS) == 0)
                && (word & SHARED_MASK) != SHARED_MASK;
    }

    /** Whether a thread that was woken from the queue may share the latch: it has had its wait. */
    static boolean admitsWokenShared(long word) {
        return (word & EXCLUSIVE) == 0 && (word & SHARED_MASK) != SHARED_MASK;
    }

    static boolean admitsExclusive(long word) {
        return (word & HOLDERS) == 0;
    }

    /** Whether {@code word} is free and has the version that an optimistic reader saw. */
    static boolean admitsUpgrade(long word, long version) {
        return (word & ~QUEUE) == version;
    }

    static long sharedAcquired(long word) {
        assert admitsWokenShared(word) : describe(word);

        return word + SHARED_ONE;
    }

    static long exclusiveAcquired(long word) {
        assert admitsExclusive(word) : describe(word);

        return word | EXCLUSIVE;
    }

    static long sharedReleased(long word) {
        assert sharedHolders(word) > 0 : describe(word);

        return word - SHARED_ONE;
    }

    static long exclusiveReleased(long word) {
        assert isExclusive(word) && sharedHolders(word) == 0 : describe(word);

        return (word + EXCLUSIVE) & Long.MAX_VALUE;
    }

    static long waitersSet(long word) {
        return word | WAITERS;
    }

    static long waitersCleared(long word) {
        return word & ~WAITERS;
    }

    static long wokenSet(long word) {
        return word | WOKEN;
    }

    static long wokenCleared(long word) {
        return word & ~WOKEN;
    }

    /** Whether releasing exclusive must go to the queue: someone waits and nobody is on the way. */
    static boolean exclusiveReleaseWakes(long word) {
        return (word & QUEUE) == WAITERS;
    }

    /** The same for shared: only the last holder's release lets a waiter in. */
    static boolean sharedReleaseWakes(long word) {
        return (word & (QUEUE | UPDATE | SHARED_MASK)) == (WAITERS | SHARED_ONE);
    }

    static boolean hasWaiters(long word) {
        return (word & WAITERS) != 0;
    }

    static boolean isExclusive(long word) {
        return (word & EXCLUSIVE) != 0;
    }

    static int sharedHolders(long word) {
        return (int) (word & SHARED_MASK);
    }

    static long version(long word) {
        return (word & VERSION_MASK) / VERSION_ONE;
    }

    /** The fields of a word as {@code name=value}, for messages. */
    public static String describe(long word) {
        return "version="
                + version(word)
                + ", exclusive="
                + isExclusive(word)
                + ", update="
                + ((word & UPDATE) != 0)
                + ", shared="
                + sharedHolders(word)
                + ", waiters="
                + hasWaiters(word)
                + ", woken="
                + ((word & WOKEN) != 0);
    }
}
