// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import dev.holdfast.CorruptionException;
import dev.holdfast.DiskFullException;
import dev.holdfast.sync.TestHooks;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * A thread of the engine that does one kind of work in rounds, at an interval or when woken.
 *
 * <p>Created, started and stopped by {@code core.db} only. Whatever ends it makes the engine fail,
 * except that a round that ran out of memory, or met damage or a full disk before it had changed
 * anything, is tried again after a pause.
 */
public final class BackgroundAgent {
    /*
     * wake() sets a flag and unparks; the loop clears the flag before a round, so a wake-up during
     * the round leads to another one. Nothing is polled: between rounds the thread is parked for
     * the whole interval. Interrupts mean nothing to an agent and are cleared, for a set flag would
     * make every park return at once.
     *
     * Nothing may end the thread unseen: an error may come from the round, from its pause, or from
     * the back-off after an earlier one. Memory may be short in the pause too, so a round is tried
     * again as a whole; whatever else gets out of it, and an error of the back-off itself, ends in
     * the one handler around everything.
     */
    static final String PAUSING = "watch.agent.pausing";

    private static final long MEMORY_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long DAMAGE_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FULL_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int MEMORY_RETRIES_MAX = 50;

    private final EngineHealth health;
    private final RoomWait roomWait;
    private final LongSupplier intervalNanos;
    private final Body body;
    private final Thread thread;
    private final AtomicLong rounds = new AtomicLong();

    /** Set by anyone, cleared by the agent before a round. */
    private volatile boolean woken;

    /** Set once by the owner. */
    private volatile boolean stopping;

    /**
     * Prepares an agent; {@link #start} starts it.
     *
     * @param name the thread is called {@code holdfast-<name>}
     * @param intervalNanos the longest pause between two rounds
     */
    public BackgroundAgent(String name, EngineHealth health, long intervalNanos, Body body) {
        this(name, health, () -> intervalNanos, body);
    }

    /**
     * Prepares an agent whose pauses differ.
     *
     * @param intervalNanos asked by the agent's thread before each round for the longest pause
     *     after it
     */
    public BackgroundAgent(
            String name, EngineHealth health, LongSupplier intervalNanos, Body body) {
        this.health = health;
        this.roomWait = health.roomWait();
        this.intervalNanos = intervalNanos;
        this.body = body;
        this.thread = new Thread(this::live, "holdfast-" + name);
        thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Lets the next round begin at once. Never waits; any latch may be held. */
    public void wake() {
        if (!woken) {
            woken = true;
            LockSupport.unpark(thread);
        }
    }

    /** Rounds that have ended. */
    public long rounds() {
        return rounds.get();
    }

    /**
     * Lets the round that runs end and joins the thread; for a thread that was never started,
     * nothing. The interrupt flag of the caller is kept.
     *
     * @return whether the thread ended within the limit
     */
    public boolean stop(long timeoutNanos) {
        stopping = true;
        LockSupport.unpark(thread);
        long deadline = System.nanoTime() + timeoutNanos;
        boolean interrupted = false;
        while (thread.isAlive()) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                break;
            }
            try {
                TimeUnit.NANOSECONDS.timedJoin(thread, left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    /**
     * What the thread does. However it ends, either the owner stopped it or the engine has failed.
     */
    private void live() {
        try {
            loop();
        } catch (Throwable e) {
            giveUp(e);
        }
        roomWait.over();
        health.wakeMissed();
    }

    /** Allocates nothing. The thread goes without a word: who asks the engine is told the cause. */
    private void giveUp(Throwable failure) {
        try {
            health.fail(failure);
        } catch (Throwable inTheHandler) {
            health.fail(inTheHandler);
        }
    }

    private void loop() throws Exception {
        int outOfMemory = 0;
        while (!stopping && !health.failed()) {
            try {
                round();
                outOfMemory = 0;
                roomWait.over();
            } catch (OutOfMemoryError e) {
                outOfMemory++;
                if (outOfMemory > MEMORY_RETRIES_MAX) {
                    throw e;
                }
                pause(MEMORY_PAUSE_NANOS);
            } catch (CorruptionException damage) {
                // Thrown before anything was changed, or the engine has failed already.
                if (!health.failed()) {
                    health.damaged(damage, thread.getName());
                    pause(DAMAGE_PAUSE_NANOS);
                }
            } catch (DiskFullException noRoom) {
                // The same. Room comes when somebody makes some; the round is made again then.
                if (!health.failed()) {
                    roomWait.refused(noRoom);
                    pause(FULL_PAUSE_NANOS);
                }
            }
        }
    }

    private void round() throws Exception {
        woken = false;
        long pauseNanos = intervalNanos.getAsLong();
        boolean workLeft = false;
        try {
            workLeft = body.run();
        } finally {
            rounds.incrementAndGet();
        }
        if (!workLeft) {
            pause(pauseNanos);
        }
    }

    private void pause(long nanos) {
        TestHooks.reached(PAUSING);
        if (nanos > 0 && !woken && !stopping) {
            LockSupport.parkNanos(this, nanos);
            Thread.interrupted();
        }
    }

    /** One round of work. */
    @FunctionalInterface
    public interface Body {
        /**
         * Does one bounded round.
         *
         * @return whether work is left, so that the next round should begin at once
         */
        boolean run() throws Exception;
    }
}
