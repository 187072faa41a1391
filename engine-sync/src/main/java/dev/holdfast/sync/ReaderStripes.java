// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Shared holders of one latch that are counted outside its word, a count for each stripe of
 * threads, so that readers write no line that other readers write.
 */
final class ReaderStripes {
    /*
     * The idea is BRAVO's (Dice and Kogan, USENIX ATC 2019): readers of a latch that is mostly read
     * leave a mark elsewhere, and who wants the latch exclusively goes and looks. Differences: the
     * marks are counts of this latch alone, not slots of a table for all; and a writer does not wait
     * for them but brings them back into the word, where readers are waited for in the one way that
     * there is, asleep in the parking lot.
     *
     * A share is a unit in the sum of the word's count and the stripes. Whoever gives one up takes a
     * unit out of its stripe, and if there is none there, out of the word. It may be the unit of
     * another thread of the stripe; that one then takes this one's. What counts is the sum.
     *
     *   reader                               who wants it alone (Latch.gather)
     *     stripe += 1   (CAS)                  clears spread, adds a share of its own   (CAS)
     *     reads spread: set, it holds          for each stripe with n units:
     *       else gives the unit up               word += n; stripe -= n, or word -= n and again
     *                                          gives its own share up, and wakes as any reader does
     *
     * One of the two sees the other. A unit is in the word before it leaves the stripe, so the word
     * never shows fewer than there are. A unit that its reader is about to give up may be brought
     * back too: it takes it out of the word then.
     *
     * Whether to spread is decided by readers whose CASes on the word fail because of other readers:
     * that costs nothing where it does not happen. A writer that had to bring readers back makes the
     * next time dearer.
     */

    /** How often readers have to meet before they are spread. */
    static final int MEETINGS = 16;

    /** How much more often after a writer has come. */
    static final int MEETINGS_AFTER_WRITE = 256;

    /** Units in a stripe at most. With the most stripes they fit what the word keeps free. */
    static final int UNITS_MAX = 32;

    private static final int STRIPES_MIN = 8;
    private static final int STRIPES_MAX = 64;

    /** Two lines: processors fetch them in pairs. */
    private static final int STRIDE = 16;

    private static final VarHandle UNITS = MethodHandles.arrayElementVarHandle(long[].class);

    static {
        assert 2 * UNITS_MAX * STRIPES_MAX <= LatchWord.SHARED_MASK - LatchWord.SHARED_MAX
                : "what comes back may be counted twice for a moment";
    }

    private final long[] units;
    private final int mask;

    /** Racy: counts meetings, and may lose some. */
    private int meetings;

    ReaderStripes(int stripes) {
        assert Integer.bitCount(stripes) == 1 && stripes <= STRIPES_MAX : "stripes=" + stripes;

        units = new long[(stripes + 1) * STRIDE];
        mask = stripes - 1;
    }

    /** Four times the processors, within limits: two threads that run rarely share a stripe. */
    static int stripes(int processors) {
        int wanted = Math.min(STRIPES_MAX, Math.max(STRIPES_MIN, 4 * processors));
        return Integer.highestOneBit(2 * wanted - 1);
    }

    /** Counts the calling thread in its stripe; false if that is full. */
    boolean enter() {
        int index = index();
        long held = (long) UNITS.getVolatile(units, index);
        while (held < UNITS_MAX) {
            long seen = (long) UNITS.compareAndExchange(units, index, held, held + 1);
            if (seen == held) {
                return true;
            }
            held = seen;
        }
        return false;
    }

    /** Takes a unit out of the calling thread's stripe; false if there is none. */
    boolean leave() {
        int index = index();
        long held = (long) UNITS.getAcquire(units, index);
        while (held > 0) {
            long seen = (long) UNITS.compareAndExchange(units, index, held, held - 1);
            if (seen == held) {
                return true;
            }
            held = seen;
        }
        return false;
    }

    int stripes() {
        return mask + 1;
    }

    long unitsVolatile(int stripe) {
        return (long) UNITS.getVolatile(units, (stripe + 1) * STRIDE);
    }

    /** Empties a stripe that holds {@code held} units. */
    boolean tryEmpty(int stripe, long held) {
        return UNITS.compareAndSet(units, (stripe + 1) * STRIDE, held, 0L);
    }

    /** A reader's CAS has failed because of another reader; returns whether to spread them. */
    boolean met() {
        int count = meetings + 1;
        meetings = count < MEETINGS ? count : 0;
        return count >= MEETINGS;
    }

    /** A writer has brought the readers back. */
    void gathered() {
        meetings = MEETINGS - MEETINGS_AFTER_WRITE;
    }

    private int index() {
        return (((int) Thread.currentThread().getId() & mask) + 1) * STRIDE;
    }
}
