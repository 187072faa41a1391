// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

/**
 * Pages that a scan will want soon, on their way to {@link ReadAhead}. Belongs to one scan, which
 * fills it again and again; not while {@link ReadAhead} has it.
 */
public final class ReadAheadRequest {
    /** How many pages a scan asks for at a time at most. */
    public static final int PAGES_MAX = 64;

    /*
     * field          written by                       guard or mode
     * pageIds, count the scan, while it is not asked  isAsked: volatile, set after and read before
     * isAsked        the scan: on; the agent: off     volatile
     * number         the scan                         as pageIds
     * ended          the agent                        volatile
     */
    private final long[] pageIds = new long[PAGES_MAX];
    private int count;
    private int number;
    private volatile boolean isAsked;

    /** The number of the last time that is over. */
    private volatile int ended;

    /** Whether the agent has it, so that it cannot be filled. */
    public boolean isAsked() {
        return isAsked;
    }

    /** Begins to fill it, under the next number. */
    public void begin() {
        assert !isAsked : "request is asked: number=" + number;
        count = 0;
        number++;
    }

    public void add(long pageId) {
        pageIds[count] = pageId;
        count++;
    }

    public int count() {
        return count;
    }

    /** Which time it is that it is asked; wraps. */
    public int number() {
        return number;
    }

    /** Whether what was asked under the number is over: read, or dropped. */
    public boolean isEnded(int askedNumber) {
        return ended - askedNumber >= 0;
    }

    void asked() {
        isAsked = true;
    }

    /** It was not taken after all. */
    void refused() {
        isAsked = false;
    }

    /** Copies the pages out and lets the scan fill it again. Returns how many they are. */
    int takeOver(long[] target) {
        int taken = count;
        System.arraycopy(pageIds, 0, target, 0, taken);
        isAsked = false;
        return taken;
    }

    void ended(int askedNumber) {
        ended = askedNumber;
    }
}
