// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import dev.holdfast.CorruptionException;
import dev.holdfast.EngineFailedException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the engine may still be trusted. The first failure wins and is final: nothing is written
 * after it, reads are refused too, and reopening recovers.
 */
public final class EngineHealth {
    /*
     * fail() is called with latches held, from code that met any Throwable, an OutOfMemoryError
     * among them. So it allocates nothing on its way to the state change, and the wakers that it
     * runs only wake: they take no latch above a leaf one and never wait. The state is one field,
     * so that a waiter that reads it before parking, and is registered to be woken, cannot sleep
     * through the change. That is why it is changed by an updater, which needs no linking at its
     * first call as a VarHandle does, and why the wakers are an array without an iterator.
     */
    private static final AtomicReferenceFieldUpdater<EngineHealth, Throwable> CAUSE =
            AtomicReferenceFieldUpdater.newUpdater(EngineHealth.class, Throwable.class, "cause");

    private static final Logger LOG = LoggerFactory.getLogger(EngineHealth.class);
    private static final String WITHOUT_MESSAGE = "cause cannot be described";

    /** Replaced as a whole, so that to go through it takes no memory. */
    private volatile Runnable[] wakers = new Runnable[0];

    /** A waker threw; set by who ran it, cleared by who runs them all again. */
    private volatile boolean missed;

    private final AtomicLong damageMet = new AtomicLong();
    private final DamageTold damageTold = new DamageTold();
    private final AtomicLong warningsLost = new AtomicLong();
    private final FullDisk fullDisk;
    private final Logger log;

    /** Null while healthy. Written once by CAS. */
    private volatile Throwable cause;

    /** Healthy. */
    public EngineHealth() {
        this(LOG, System::nanoTime);
    }

    /** The same, with another log and by another clock. */
    EngineHealth(Logger log, LongSupplier nanoTime) {
        this.log = log;
        this.fullDisk = new FullDisk(nanoTime);
        this.cause = null;
    }

    /**
     * Moves the engine to FAILED and wakes everybody who sleeps in it. Later calls change nothing.
     *
     * <p><b>Latches:</b> any may be held.
     */
    public void fail(Throwable failure) {
        if (CAUSE.compareAndSet(this, null, failure)) {
            wakeAll(failure);
        }
    }

    /**
     * Wakes again, if a waker threw when the engine failed: it may have had no memory to go through
     * its sleepers. For agents, which end after a failure, one after the other.
     */
    void wakeMissed() {
        Throwable failure = cause;
        if (failure != null && missed) {
            missed = false;
            wakeAll(failure);
        }
    }

    private void wakeAll(Throwable failure) {
        Runnable[] all = wakers;
        for (int i = 0; i < all.length; i++) {
            wake(all[i], failure);
        }
    }

    /**
     * Notes damage that background work has met and goes around, before it had changed anything:
     * counts it, and warns once a page, of 64 pages at most. The engine stays open, since all that
     * does not need the page works on.
     *
     * <p><b>Latches:</b> none held.
     *
     * @param leftUndone what is not done for it
     */
    public void damaged(CorruptionException damage, String leftUndone) {
        damageMet.incrementAndGet();
        DamageTold.Place place = null;
        try {
            place = damageTold.take(damage);
            if (place != null) {
                log.warn(
                        "damage met in the background: leftUndone={}, {}",
                        leftUndone,
                        messageOf(damage));
            }
        } catch (Throwable untold) {
            warningLost();
            if (place != null) {
                damageTold.giveBack(place);
            }
        }
    }

    /**
     * No memory for a warning, or a provider of logging that throws, harms nobody else: no latch is
     * held and nothing half changed, what was to be told of is counted and shown by the status, and
     * it is this count that keeps what is caught from going unseen.
     */
    private void warningLost() {
        warningsLost.incrementAndGet();
    }

    /**
     * Writes a line of background work to a log, if that takes it.
     *
     * <p><b>Latches:</b> none held.
     */
    public void say(Runnable line) {
        try {
            line.run();
        } catch (Throwable untold) {
            warningLost();
        }
    }

    /** How many warnings, and other lines of background work, could not be written. */
    public long warningsLost() {
        return warningsLost.get();
    }

    /** For a piece of background work, to say that a full disk holds it up. */
    public RoomWait roomWait() {
        return new RoomWait(this);
    }

    FullDisk fullDisk() {
        return fullDisk;
    }

    void warnFull(Exception refusal) {
        try {
            log.warn("disk is full, work in the background waits for room", refusal);
        } catch (Throwable untold) {
            warningLost();
        }
    }

    /** Why background work does not get on for want of room, or {@code null} if all does. */
    public Exception outOfRoom() {
        return fullDisk.refusal();
    }

    /** How often background work was refused room. */
    public long noRoomMet() {
        return fullDisk.met();
    }

    /** How often {@link #damaged} was told. */
    public long damageMet() {
        return damageMet.get();
    }

    public boolean failed() {
        return cause != null;
    }

    /** What made the engine fail, or {@code null} while it is healthy. */
    public Throwable cause() {
        return cause;
    }

    /**
     * Returns if the engine is healthy.
     *
     * @throws EngineFailedException if it is not; its cause is the first failure
     */
    public void check() {
        Throwable failure = cause;
        if (failure != null) {
            throw new EngineFailedException(messageOf(failure), failure);
        }
    }

    /**
     * What to say of a failure: its message, or its class if it has none, as a stack overflow. The
     * cause matters more than its text, which may need memory that is not there.
     */
    public static String messageOf(Throwable failure) {
        try {
            String message = failure.getMessage();
            return message == null ? failure.getClass().getName() : message;
        } catch (Throwable withoutText) {
            return WITHOUT_MESSAGE;
        }
    }

    /**
     * Registers what wakes sleepers when the engine fails; run at once if it has failed already.
     *
     * @param waker takes no latch of rank, never waits, never throws
     */
    public void onFailure(Runnable waker) {
        add(waker);
        Throwable failure = cause;
        if (failure != null) {
            wake(waker, failure);
        }
    }

    private synchronized void add(Runnable waker) {
        Runnable[] more = Arrays.copyOf(wakers, wakers.length + 1);
        more[more.length - 1] = waker;
        wakers = more;
    }

    private void wake(Runnable waker, Throwable failure) {
        try {
            waker.run();
        } catch (Throwable wakerFailure) {
            missed = true;
            suppress(wakerFailure, failure);
        }
    }

    /**
     * The others must be woken all the same; the first failure carries this one along if it can.
     */
    private static void suppress(Throwable wakerFailure, Throwable failure) {
        try {
            if (wakerFailure != failure) {
                failure.addSuppressed(wakerFailure);
            }
        } catch (Throwable noMemoryForIt) {
            // Nothing is lost but a detail of a failure that is known.
        }
    }
}
