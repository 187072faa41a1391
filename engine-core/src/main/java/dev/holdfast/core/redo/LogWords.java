// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** The numbers that all users of a log share, each on cache lines of its own. */
final class LogWords {
    /*
     * All are payload positions, but the last; they hold durable <= written <= closed <= append.
     * Accesses are volatile: each is beside a copy, a write or a sync, or read where a stale value
     * would show a snapshot of the past.
     *
     * word      written by                                      read by
     * append    appenders (fetch-add), a sync leader (CAS)      all
     * closed    whoever walks the link ring (CAS upwards)       all
     * written   the leader                                      appenders, waiters
     * durable   the leader                                      waiters
     * lead      whoever takes it (CAS 0 -> 1), the leader       waiters
     */
    private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);

    /** Two cache lines of 64 bytes: adjacent ones are fetched in pairs. */
    private static final int STRIDE = 16;

    private static final int APPEND = STRIDE;
    private static final int CLOSED = 2 * STRIDE;
    private static final int WRITTEN = 3 * STRIDE;
    private static final int DURABLE = 4 * STRIDE;
    private static final int LEAD = 5 * STRIDE;

    private static final long FREE = 0;
    private static final long TAKEN = 1;

    private final long[] words = new long[6 * STRIDE];

    LogWords(long startPosition) {
        words[APPEND] = startPosition;
        words[CLOSED] = startPosition;
        words[WRITTEN] = startPosition;
        words[DURABLE] = startPosition;
        VarHandle.releaseFence();
    }

    long append() {
        return (long) WORD.getVolatile(words, APPEND);
    }

    /** Reserves that many bytes; returns where they begin. */
    long addToAppend(int bytes) {
        return (long) WORD.getAndAdd(words, APPEND, (long) bytes);
    }

    boolean moveAppend(long from, long to) {
        return WORD.compareAndSet(words, APPEND, from, to);
    }

    long closed() {
        return (long) WORD.getVolatile(words, CLOSED);
    }

    /** Raises the closed position; one that is higher already stays. */
    void raiseClosed(long position) {
        long now = closed();
        while (now < position && !WORD.compareAndSet(words, CLOSED, now, position)) {
            now = closed();
        }
    }

    long written() {
        return (long) WORD.getVolatile(words, WRITTEN);
    }

    void publishWritten(long position) {
        assert position >= written() : "position=" + position + ", written=" + written();

        WORD.setVolatile(words, WRITTEN, position);
    }

    long durable() {
        return (long) WORD.getVolatile(words, DURABLE);
    }

    void publishDurable(long position) {
        assert position >= durable() : "position=" + position + ", durable=" + durable();
        assert position <= written() : "position=" + position + ", written=" + written();

        WORD.setVolatile(words, DURABLE, position);
    }

    boolean isLeadFree() {
        return (long) WORD.getVolatile(words, LEAD) == FREE;
    }

    boolean tryTakeLead() {
        return isLeadFree() && WORD.compareAndSet(words, LEAD, FREE, TAKEN);
    }

    void releaseLead() {
        assert !isLeadFree() : "nobody leads";

        WORD.setVolatile(words, LEAD, FREE);
    }
}
