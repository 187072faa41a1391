// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/**
 * The state of a latch in one 64-bit word, and every transition of it as a function from word to
 * word.
 *
 * <pre>
 *   bit  63 ... 23  22         21      20         19      18      17     16       15 ... 0
 *        version    exclusive  update  upgrading  spread  barred  woken  waiters  shared holders
 * </pre>
 *
 * <p>A word of zero is a free latch, so zeroed memory is a table of free latches. The version grows
 * by one whenever exclusive is given up and is never reset; while it stands still and the exclusive
 * bit is clear, nobody has changed what the latch guards.
 *
 * <p><b>Latches:</b> none taken; these functions touch no memory.
 */
public final class LatchWord {
    /*
     * Exclusive is the bit below the version, so that adding it to a word that has it set clears it
     * and raises the version in the same addition, whatever the bits of the queue are meanwhile. The
     * version wraps after 2^41 exclusive releases of one latch; an optimistic reader would have to
     * sleep through exactly that many.
     *
     * waiters: set iff the parking lot has a waiter queued for this latch, upgraders not counted.
     * It changes under the lot's queue lock only, so there the two agree.
     *
     * barred: arriving threads do not join those that hold the latch. Set while anybody but update
     * waiters is queued: readers need not stop for one who waits for another holder of update. It
     * may be set without need for a while (see wokenAcquired), never be missing with need.
     *
     * woken: a waiter has left the queue and is on its way to try for the latch. While it is set,
     * releases wake nobody else: one runner at a time, and whoever holds and releases the latch in
     * the meantime pays nothing for it. The runner clears the bit when it gets the latch, queues up
     * again or gives up. Clearing it too early only wakes one more; it is never set without a
     * runner.
     *
     * update: held by one thread that shares the latch with readers and may become exclusive.
     *
     * upgrading: the holder of update sleeps in the lot until the shared holders are gone. No
     * reader is admitted, woken or not, so the count only falls; the last one's release makes the
     * sleeper exclusive. Optimistic reads go on until then. Two upgraders can't exist, since update
     * excludes update.
     *
     * spread: shared holders may be counted in stripes outside of the word too (ReaderStripes). Only
     * a Latch has them. Exclusive is not admitted before they have been brought back.
     *
     * Shared is refused some places before the count is full, and update when it is full: the holder
     * of update always finds room when it downgrades, and so do those who come back from stripes.
     */

    static final int SHARED_BITS = 16;

    static final long SHARED_ONE = 1L;
    static final long SHARED_MASK = (1L << SHARED_BITS) - 1;
    static final long SHARED_MAX = SHARED_MASK - 4096;
    static final long WAITERS = 1L << SHARED_BITS;
    static final long WOKEN = WAITERS << 1;
    static final long BARRED = WOKEN << 1;
    static final long SPREAD = BARRED << 1;
    static final long UPGRADING = SPREAD << 1;
    static final long UPDATE = UPGRADING << 1;
    static final long EXCLUSIVE = UPDATE << 1;
    static final long VERSION_ONE = EXCLUSIVE << 1;
    static final long VERSION_MASK = -VERSION_ONE;

    /** What a latch with a queue word of its own keeps there. */
    static final long QUEUE = WAITERS | WOKEN | BARRED;

    private static final long HOLDERS = EXCLUSIVE | UPDATE | SPREAD | SHARED_MASK;
    private static final long WAITING_UNWOKEN = WAITERS | WOKEN;

    static {
        assert Long.bitCount(VERSION_MASK) >= 40 : "versionBits=" + Long.bitCount(VERSION_MASK);
        assert (HOLDERS | UPGRADING | QUEUE | VERSION_MASK) == -1L : "the fields cover the word";
        assert EXCLUSIVE << 1 == VERSION_ONE : "releasing exclusive carries into the version";
    }

    private LatchWord() {}

    /**
     * Whether a version that an optimistic read began with is that of a latch held exclusively:
     * what is read under it never validates.
     */
    public static boolean isLocked(long version) {
        return (version & EXCLUSIVE) != 0;
    }

    /**
     * Whether what was read under {@code version} is still so.
     *
     * @param version the whole word as it was then: to cut out the version would cost the reader an
     *     operation more before its reads
     */
    static boolean validates(long word, long version) {
        // The second is known to who has asked isLocked before, and costs him nothing.
        return ((word ^ version) & (VERSION_MASK | EXCLUSIVE)) == 0 && !isLocked(version);
    }

    /**
     * Whether an arriving thread may share the latch. Where it is barred it may only if nobody
     * holds the latch: else readers that overlap would keep a queued writer out for ever.
     */
    static boolean admitsShared(long word) {
        return (word & (EXCLUSIVE | UPGRADING)) == 0
                && ((word & BARRED) == 0 || (word & HOLDERS) == 0)
                && hasRoomForShared(word);
    }

    /** Whether a thread that was woken from the queue may share the latch: it has had its wait. */
    static boolean admitsWokenShared(long word) {
        return (word & (EXCLUSIVE | UPGRADING)) == 0 && hasRoomForShared(word);
    }

    private static boolean hasRoomForShared(long word) {
        return (word & SHARED_MASK) < SHARED_MAX;
    }

    /** Whether an arriving thread may have update: shared holders do not matter, a bar does. */
    static boolean admitsUpdate(long word) {
        return admitsWokenUpdate(word) && ((word & BARRED) == 0 || (word & HOLDERS) == 0);
    }

    static boolean admitsWokenUpdate(long word) {
        return (word & (EXCLUSIVE | UPDATE)) == 0 && (word & SHARED_MASK) != SHARED_MASK;
    }

    static boolean admitsExclusive(long word) {
        return (word & HOLDERS) == 0;
    }

    /** Whether {@code word} is free and has the version that an optimistic reader saw. */
    static boolean admitsUpgrade(long word, long version) {
        return (word & ~QUEUE) == (version & VERSION_MASK);
    }

    /** Whether the holder of update may become exclusive: it shares with nobody. */
    static boolean admitsUpgrade(long word) {
        assert isUpdate(word) : describe(word);

        return (word & (SPREAD | SHARED_MASK)) == 0;
    }

    static long sharedAcquired(long word) {
        assert admitsWokenShared(word) : describe(word);

        return word + SHARED_ONE;
    }

    static long updateAcquired(long word) {
        assert admitsWokenUpdate(word) : describe(word);

        return word | UPDATE;
    }

    static long exclusiveAcquired(long word) {
        assert admitsExclusive(word) : describe(word);

        return word | EXCLUSIVE;
    }

    /** From update to exclusive; ends the wait for it, if there was one. */
    static long upgraded(long word) {
        assert isUpdate(word) && sharedHolders(word) == 0 : describe(word);

        return (word & ~(UPDATE | UPGRADING)) | EXCLUSIVE;
    }

    /** The holder of update waits for the shared holders to go. */
    static long upgradeAwaited(long word) {
        assert isUpdate(word) && !isUpgrading(word) && sharedHolders(word) > 0 : describe(word);
        assert !isSpread(word) : describe(word);

        return word | UPGRADING;
    }

    static long sharedReleased(long word) {
        assert sharedHolders(word) > 0 && !isExclusive(word) : describe(word);

        return word - SHARED_ONE;
    }

    static long updateReleased(long word) {
        assert isUpdate(word) && !isUpgrading(word) : describe(word);

        return word & ~UPDATE;
    }

    static long exclusiveReleased(long word) {
        assert isExclusive(word) && sharedHolders(word) == 0 && !isUpdate(word) : describe(word);

        return word + EXCLUSIVE;
    }

    /** From exclusive to update: what was changed is for readers to see, hence a new version. */
    static long downgradedToUpdate(long word) {
        return exclusiveReleased(word) | UPDATE;
    }

    /** From exclusive or update, whichever is held, to shared. */
    static long downgradedToShared(long word) {
        long released = isExclusive(word) ? exclusiveReleased(word) : updateReleased(word);
        assert (released & SHARED_MASK) < SHARED_MASK : describe(word);

        return released + SHARED_ONE;
    }

    /** Somebody is queued; {@code barring} unless it need not keep arriving threads out. */
    static long waitersSet(long word, boolean barring) {
        return word | WAITERS | (barring ? BARRED : 0);
    }

    /** The bits of a queue in which these are left. */
    static long queueLeft(long word, boolean anybody, boolean barring) {
        assert anybody || !barring : describe(word);

        return (word & ~(WAITERS | BARRED)) | (anybody ? WAITERS : 0) | (barring ? BARRED : 0);
    }

    /**
     * Whether one that waits for update must bar arriving threads: unless there is a holder whose
     * release will wake it, only the last of the shared holders does, so their number must fall.
     */
    static boolean updateWaitBars(long word) {
        return (word & (EXCLUSIVE | UPDATE)) == 0;
    }

    static long wokenSet(long word) {
        return word | WOKEN;
    }

    static long wokenCleared(long word) {
        return word & ~WOKEN;
    }

    /**
     * The woken bit cleared because its thread has the latch. Nobody is on the way any more, so if
     * only shared holders are left to wake who is queued, whoever it is, others may not join them.
     */
    static long wokenAcquired(long word) {
        return barredBehindShared(word & ~WOKEN);
    }

    /** Barred, if somebody is queued and only shared holders are left to wake him. */
    static long barredBehindShared(long word) {
        boolean onlySharedHeld = (word & (EXCLUSIVE | UPDATE)) == 0;
        return word | (onlySharedHeld && hasWaiters(word) ? BARRED : 0);
    }

    /** Whether giving up or lowering exclusive or update must go to the queue. */
    static boolean releaseWakes(long word) {
        return (word & WAITING_UNWOKEN) == WAITERS;
    }

    /**
     * The same for shared: only the last holder's release lets a waiter in, and beside a holder of
     * update only one who does not wait for that.
     */
    static boolean sharedReleaseWakes(long word) {
        return (word & (WAITERS | UPGRADING)) != 0
                && (word & SHARED_MASK) == SHARED_ONE
                && (isUpgrading(word)
                        || (releaseWakes(word) && (word & (UPDATE | BARRED)) != UPDATE));
    }

    /** Whether the holder of update who sleeps is to be made exclusive now. */
    static boolean upgradeIsDue(long word) {
        return (word & (UPGRADING | SHARED_MASK)) == UPGRADING;
    }

    /** Whether readers that meet may be spread from now on: nobody is there who wants them gone. */
    static boolean admitsSpread(long word) {
        return (word & (EXCLUSIVE | UPDATE | UPGRADING | SPREAD | QUEUE)) == 0;
    }

    static long spread(long word) {
        assert admitsSpread(word) : describe(word);

        return word | SPREAD;
    }

    /**
     * No more shared holders outside the word; a share of the caller's keeps their count above 0.
     */
    static long gathered(long word) {
        assert isSpread(word) && !isExclusive(word) && !isUpgrading(word) : describe(word);

        return (word & ~SPREAD) + SHARED_ONE;
    }

    static boolean isSpread(long word) {
        return (word & SPREAD) != 0;
    }

    static boolean hasWaiters(long word) {
        return (word & WAITERS) != 0;
    }

    static boolean isWoken(long word) {
        return (word & WOKEN) != 0;
    }

    static boolean isBarred(long word) {
        return (word & BARRED) != 0;
    }

    static boolean isExclusive(long word) {
        return (word & EXCLUSIVE) != 0;
    }

    static boolean isUpdate(long word) {
        return (word & UPDATE) != 0;
    }

    static boolean isUpgrading(long word) {
        return (word & UPGRADING) != 0;
    }

    static int sharedHolders(long word) {
        return (int) (word & SHARED_MASK);
    }

    static long version(long word) {
        return word >>> Long.numberOfTrailingZeros(VERSION_ONE);
    }

    /** The fields of a word as {@code name=value}, for messages. */
    public static String describe(long word) {
        return "version="
                + version(word)
                + ", exclusive="
                + isExclusive(word)
                + ", update="
                + isUpdate(word)
                + ", upgrading="
                + isUpgrading(word)
                + ", shared="
                + sharedHolders(word)
                + ", spread="
                + isSpread(word)
                + ", waiters="
                + hasWaiters(word)
                + ", barred="
                + isBarred(word)
                + ", woken="
                + isWoken(word);
    }
}
