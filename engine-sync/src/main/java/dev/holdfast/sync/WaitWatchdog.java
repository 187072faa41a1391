// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import dev.holdfast.sync.LongWaits.LongWait;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Finds waits that last too long, tells of each once, and does nothing about them.
 *
 * <p>It has no thread: somebody calls {@link #check} every second or so, one thread at a time. It
 * sees the waits of the whole JVM, those of other engines in it too. A thread pays nothing for
 * being watched but the note of a sleep, see {@link CurrentWait}.
 */
public final class WaitWatchdog {
    /*
     * field      written by              read by      guard or mode
     * limit      who configures          the checker  volatile
     * reported   the checker             anybody      atomic
     * told       the checker             the checker  plain: one thread at a time
     *
     * A wait is known by its note's entry and the sequence in it. What was told of is kept until a
     * check finds the thread out of that wait.
     *
     * The stack is taken after the note was read, and the note looked at once more: if the wait is
     * over by then, the stack is not that of a wait, and there is nothing to tell.
     *
     * All stacks of the JVM are taken only if there is something to tell and a holder is unknown:
     * that stops every thread for a moment.
     */

    static final int OTHERS_MAX = 16;

    private static final String OWN_CODE =
            WaitWatchdog.class.getPackageName().replaceFirst("\\.sync$", ".");

    private final Consumer<LongWaits> listener;
    private final Namer namer;
    private final Holders holders;
    private final AtomicLong reported = new AtomicLong();
    private volatile long limitNanos;
    private Map<WaitRegistry.Entry, Long> told = new HashMap<>();

    /**
     * A watchdog that knows the holders of a {@link Latch} and of a {@link LatchArray}, under
     * assertions.
     *
     * @param listener called by {@link #check} in its thread
     */
    public WaitWatchdog(long limitNanos, Consumer<LongWaits> listener) {
        this(limitNanos, listener, WaitWatchdog::nameOfStorage, WaitWatchdog::holderAsNoted);
    }

    /**
     * A watchdog that knows what latches are for and who holds them.
     *
     * @param listener called by {@link #check} in its thread
     */
    public WaitWatchdog(
            long limitNanos, Consumer<LongWaits> listener, Namer namer, Holders holders) {
        this.limitNanos = limitNanos;
        this.listener = listener;
        this.namer = namer;
        this.holders = holders;
    }

    /** The namer of those that give none: class and identity of the storage, and the key. */
    public static String nameOfStorage(ContentionSite site, Object storage, long key) {
        return storage == null
                ? "key=" + key
                : String.format(
                        "storage=%s@%x, key=%d",
                        storage.getClass().getSimpleName(), System.identityHashCode(storage), key);
    }

    /**
     * Knows, under assertions, who holds a {@link Latch} or a latch of a {@link LatchArray}. For
     * other storages only their owner knows the key, and can ask {@link HeldLatches#holderOf}.
     */
    public static Optional<Thread> holderAsNoted(ContentionSite site, Object storage, long key) {
        return storage instanceof Latch || storage instanceof long[]
                ? Optional.ofNullable(HeldLatches.holderOf(site, HeldLatches.keyOf(storage, key)))
                : Optional.empty();
    }

    /** How long a wait may last without being told of. */
    public void limitNanos(long newLimitNanos) {
        limitNanos = newLimitNanos;
    }

    public long limitNanos() {
        return limitNanos;
    }

    /** How many waits it has told of. */
    public long reported() {
        return reported.get();
    }

    /**
     * Looks at all waits, and tells the listener of those beyond the limit that it was not told of.
     *
     * @param nowNanos the time by the clock of {@link System#nanoTime}
     * @return how many it told of
     */
    public int check(long nowNanos) {
        long limit = limitNanos;
        Map<WaitRegistry.Entry, Long> stillLong = new HashMap<>();
        List<Found> found = new ArrayList<>();
        Set<Thread> waiting = new HashSet<>();
        WaitRegistry.forEach(
                entry -> {
                    CurrentWait wait = entry.get();
                    if (wait == null) {
                        return;
                    }
                    wait.read()
                            .ifPresent(
                                    reading -> {
                                        waiting.add(reading.thread());
                                        if (nowNanos - reading.sinceNanos() > limit) {
                                            stillLong.put(entry, reading.sequence());
                                            found.add(new Found(entry, wait, reading));
                                        }
                                    });
                });
        found.removeIf(each -> each.reading.sequence() == told.getOrDefault(each.entry, 0L));
        found.sort(Comparator.comparingLong(each -> each.reading.sinceNanos() - nowNanos));
        told = stillLong;
        if (found.isEmpty()) {
            return 0;
        }
        return tell(found, waiting, nowNanos, limit);
    }

    private int tell(List<Found> found, Set<Thread> waiting, long nowNanos, long limit) {
        List<LongWait> waits = new ArrayList<>();
        for (Found each : found) {
            LongWait wait = longWait(each, nowNanos, waits.size() < LongWaits.WAITS_PRINTED_MAX);
            if (each.note.isStillIn(each.reading.sequence())) {
                waits.add(wait);
            }
        }
        if (waits.isEmpty()) {
            return 0;
        }
        boolean holderUnknown = waits.stream().anyMatch(wait -> wait.holder().isEmpty());
        List<ThreadStack> others = holderUnknown ? othersThan(waiting) : List.of();
        reported.addAndGet(waits.size());
        listener.accept(new LongWaits(limit, waits, others));
        return waits.size();
    }

    private LongWait longWait(Found each, long nowNanos, boolean withStacks) {
        CurrentWait.Reading reading = each.reading;
        Thread thread = reading.thread();
        Optional<ThreadStack> holder =
                holders.holderOf(reading.site(), reading.storage(), reading.key())
                        .map(held -> stack(held, withStacks));
        return new LongWait(
                reading.site(),
                namer.name(reading.site(), reading.storage(), reading.key()),
                nowNanos - reading.sinceNanos(),
                stack(thread, withStacks),
                holder);
    }

    private static ThreadStack stack(Thread thread, boolean withFrames) {
        return withFrames ? ThreadStack.of(thread) : ThreadStack.withoutFrames(thread);
    }

    /** Those inside our code first of all; the ones outside it only if there are no others. */
    private static List<ThreadStack> othersThan(Set<Thread> waiting) {
        List<ThreadStack> inside = new ArrayList<>();
        List<ThreadStack> running = new ArrayList<>();
        Thread.getAllStackTraces()
                .forEach(
                        (thread, frames) -> {
                            if (waiting.contains(thread) || thread == Thread.currentThread()) {
                                return;
                            }
                            ThreadStack stack = ThreadStack.of(thread, frames);
                            if (isInside(stack)) {
                                inside.add(stack);
                            } else if (stack.state() == Thread.State.RUNNABLE) {
                                running.add(stack);
                            }
                        });
        List<ThreadStack> chosen = inside.isEmpty() ? running : inside;
        chosen.sort(Comparator.comparing(ThreadStack::state).thenComparing(ThreadStack::id));
        return chosen.subList(0, Math.min(OTHERS_MAX, chosen.size()));
    }

    private static boolean isInside(ThreadStack stack) {
        return stack.frames().stream().anyMatch(frame -> frame.getClassName().startsWith(OWN_CODE));
    }

    /** Puts in words what is waited for, as name=value pairs. */
    @FunctionalInterface
    public interface Namer {
        /**
         * Called by {@link WaitWatchdog#check}.
         *
         * @param storage the object that stores the latch, or the barrier; null for a named wait
         * @param key the index in it, the target, or what the wait was begun with
         */
        String name(ContentionSite site, Object storage, long key);
    }

    /** Knows who holds a latch. */
    @FunctionalInterface
    public interface Holders {
        /** Called by {@link WaitWatchdog#check} with what a {@link Namer} is given. */
        Optional<Thread> holderOf(ContentionSite site, Object storage, long key);
    }

    /** A note that shows a long wait. */
    private record Found(WaitRegistry.Entry entry, CurrentWait note, CurrentWait.Reading reading) {}
}
