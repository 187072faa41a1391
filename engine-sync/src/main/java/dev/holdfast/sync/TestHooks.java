// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Named points in product code where a test can make threads meet, and faults that a test can
 * plant.
 *
 * <p>Off unless the JVM was started with {@code -Ddev.holdfast.testHooks=true}: {@link #ENABLED} is
 * then a constant false, the compiler removes every call, and installing a hook is refused. The
 * hooks are one set per JVM; a test that installs any calls {@link #reset} when it ends.
 */
public final class TestHooks {
    /** Whether hooks can be installed at all. */
    public static final boolean ENABLED = Boolean.getBoolean("dev.holdfast.testHooks");

    private static final int PAUSE_LIMIT_SECONDS = 60;

    private static final ConcurrentLinkedQueue<Runnable> AMENDS = new ConcurrentLinkedQueue<>();
    private static final Map<String, Runnable> ACTIONS = new ConcurrentHashMap<>();

    /** Replaced as a whole, never changed in place: product threads read it unguarded. */
    private static volatile Set<PlantedFault> planted = EnumSet.noneOf(PlantedFault.class);

    private TestHooks() {}

    /** To be called by product code at a point where a test may want to stop it. */
    public static void reached(String point) {
        if (ENABLED) {
            run(point);
        }
    }

    /** Whether product code shall behave wrongly in this one way. */
    public static boolean fault(PlantedFault fault) {
        return ENABLED && planted.contains(fault);
    }

    /** Runs {@code action} in each thread that reaches {@code point}, until {@link #reset}. */
    public static void onReached(String point, Runnable action) {
        requireEnabled();
        ACTIONS.put(point, action);
    }

    /** Stops the first thread that reaches {@code point}; the later ones pass. */
    public static Pause pauseAt(String point) {
        Pause pause = new Pause(point);
        onReached(point, pause::stop);
        return pause;
    }

    public static synchronized void plant(PlantedFault fault) {
        requireEnabled();
        Set<PlantedFault> changed = EnumSet.copyOf(planted);
        changed.add(fault);
        planted = changed;
    }

    public static synchronized void unplant(PlantedFault fault) {
        Set<PlantedFault> changed = EnumSet.copyOf(planted);
        changed.remove(fault);
        planted = changed;
        makeGood();
    }

    /** What a fault has left undone, to be done when it is gone: threads it keeps asleep end. */
    static void onUnplanted(Runnable amends) {
        AMENDS.add(amends);
    }

    private static void makeGood() {
        Runnable amends = AMENDS.poll();
        while (amends != null) {
            amends.run();
            amends = AMENDS.poll();
        }
    }

    /** Removes all actions and faults. Threads that are stopped at a {@link Pause} stay so. */
    public static synchronized void reset() {
        ACTIONS.clear();
        planted = EnumSet.noneOf(PlantedFault.class);
        makeGood();
    }

    private static void run(String point) {
        Runnable action = ACTIONS.get(point);
        if (action != null) {
            action.run();
        }
    }

    private static void requireEnabled() {
        if (!ENABLED) {
            throw new IllegalStateException("test hooks are off: dev.holdfast.testHooks=false");
        }
    }

    /** A point at which one thread waits until the test lets it go on; closing lets it go on. */
    public static final class Pause implements AutoCloseable {
        private final String point;
        private final AtomicBoolean taken = new AtomicBoolean();
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch resumed = new CountDownLatch(1);

        private Pause(String point) {
            this.point = point;
        }

        /** Waits until a thread is stopped here; fails if none comes. */
        public void awaitReached() {
            await(reached, "not reached");
        }

        /** Whether a thread has come here. */
        public boolean isReached() {
            return reached.getCount() == 0;
        }

        public void resume() {
            resumed.countDown();
        }

        @Override
        public void close() {
            ACTIONS.remove(point);
            resume();
        }

        private void stop() {
            if (taken.compareAndSet(false, true)) {
                reached.countDown();
                await(resumed, "not resumed");
            }
        }

        private void await(CountDownLatch latch, String what) {
            boolean interrupted = false;
            try {
                while (true) {
                    try {
                        if (latch.await(PAUSE_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                            return;
                        }
                        throw new AssertionError("sync point " + what + ": point=" + point);
                    } catch (InterruptedException keptForTheCaller) {
                        interrupted = true;
                    }
                }
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }
}
