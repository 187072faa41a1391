// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.util.Optional;

/**
 * A note of what one thread sleeps for and since when, for others to read while it sleeps.
 *
 * <p>A wait that was noted can be seen by other threads. Noting it costs a look at the clock and
 * some stores, and allocates nothing after the thread's first time, but for a garbage collection in
 * between. Waits may be nested; each {@link #end} belongs to the innermost.
 *
 * <pre>{@code
 * CurrentWait wait = CurrentWait.begin(site, key);
 * try {
 *     ... park ...
 * } finally {
 *     wait.end();
 * }
 * }</pre>
 */
public final class CurrentWait {
    /*
     * field                         written by        read by          mode
     * site, storage, key, since     its thread        watchdogs        plain, between two reads of
     *                                                                  the same odd sequence
     * sequence                      its thread        watchdogs        release / acquire
     * inner, token                  its thread        its thread       plain
     *
     * A sequence lock with one writer: odd while the thread waits. The writer never waits for
     * readers, and a reader that finds the sequence changed has met a wait that is over, which is
     * not worth telling of.
     *
     * Each depth of nesting has its object. They hang together, and what keeps them alive is the
     * stack of the thread that sleeps: the thread-local and the registry are weak, so that neither
     * the threads of a host keep our classes alive nor the registry the threads. A thread that
     * sleeps again after a collection is registered again.
     *
     * Tried on paper and dropped: linking the note into a list at each sleep, which needs no weak
     * references, but two locks more per sleep.
     */

    private static final ThreadLocal<Reference<CurrentWait>> OUTERMOST = new ThreadLocal<>();
    private static final VarHandle SEQUENCE;

    static {
        try {
            SEQUENCE =
                    MethodHandles.lookup().findVarHandle(CurrentWait.class, "sequence", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Thread thread = Thread.currentThread();
    private CurrentWait inner;
    private ContentionSite site;
    private Object storage;
    private long key;
    private long sinceNanos;
    private long token;

    /** Odd while the thread waits; accessed through SEQUENCE. */
    @SuppressWarnings("UnusedVariable")
    private long sequence;

    private CurrentWait() {}

    /**
     * Begins a named wait: counts it at its site, times it as the site says, and notes it. For all
     * waits that are no latches; those of latches and barriers are counted and noted by them.
     *
     * @param key what is waited for, for the eye: a tree id, an LSN; 0 if there is nothing to tell
     * @return the note, to be ended by this thread
     */
    public static CurrentWait begin(ContentionSite site, long key) {
        long token = site.counters().waitBegan();
        long since = SiteCounters.isTimed(token) ? token : System.nanoTime();
        return innermostFree().note(site, null, key, since, token);
    }

    /**
     * Notes a wait that its caller counts himself, just before its first park.
     *
     * @param storage where the latch is stored; null for a wait that is no latch
     * @param key the index in it, or the target
     */
    static CurrentWait sleeping(ContentionSite site, Object storage, long key) {
        return innermostFree().note(site, storage, key, System.nanoTime(), SiteCounters.NOT_TIMED);
    }

    /** Ends the wait; to be called once. */
    public void end() {
        assert thread == Thread.currentThread() : "ended by another thread";
        assert isWaiting() : "ended twice";
        assert inner == null || !inner.isWaiting() : "ended before the wait inside it";

        SiteCounters counters = site.counters();
        SEQUENCE.setRelease(this, sequence + 1);
        // Keeps all later stores to the fields behind the even sequence; pairs with isStillIn.
        VarHandle.storeStoreFence();
        site = null;
        storage = null;
        counters.waitEnded(token);
    }

    /** What is noted now, as one consistent reading; empty if the thread does not wait. */
    Optional<Reading> read() {
        // Acquire; pairs with the release in note. Makes the fields of that wait visible.
        long before = (long) SEQUENCE.getAcquire(this);
        if ((before & 1) == 0) {
            return Optional.empty();
        }
        Reading reading = new Reading(thread, before, site, storage, key, sinceNanos);
        return isStillIn(before) ? Optional.of(reading) : Optional.empty();
    }

    /** Whether the thread is still in the wait with that sequence. */
    boolean isStillIn(long wantedSequence) {
        // Pairs with the store fence in end: who read a field of a later wait sees its sequence.
        VarHandle.acquireFence();
        return (long) SEQUENCE.getOpaque(this) == wantedSequence;
    }

    private static CurrentWait innermostFree() {
        Reference<CurrentWait> reference = OUTERMOST.get();
        CurrentWait wait = reference == null ? null : reference.get();
        if (wait == null) {
            wait = new CurrentWait();
            WaitRegistry.add(wait);
            OUTERMOST.set(new WeakReference<>(wait));
        }
        while (wait.isWaiting()) {
            if (wait.inner == null) {
                CurrentWait added = new CurrentWait();
                WaitRegistry.add(added);
                wait.inner = added;
            }
            wait = wait.inner;
        }
        return wait;
    }

    /** Its own thread only. */
    private boolean isWaiting() {
        return (sequence & 1) != 0;
    }

    private CurrentWait note(
            ContentionSite newSite, Object newStorage, long newKey, long since, long newToken) {
        site = newSite;
        storage = newStorage;
        key = newKey;
        sinceNanos = since;
        token = newToken;
        // Release; pairs with the acquire in read. Publishes the fields.
        SEQUENCE.setRelease(this, sequence + 1);
        return this;
    }

    /**
     * One wait as another thread saw it.
     *
     * @param sequence tells it from the other waits of the same note
     * @param storage where the latch is stored; null for a wait that is no latch
     */
    record Reading(
            Thread thread,
            long sequence,
            ContentionSite site,
            Object storage,
            long key,
            long sinceNanos) {}
}
