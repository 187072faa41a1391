// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * One planned fault: which requests it hits, and what happens to them.
 *
 * <p>{@code Fault.on(WRITE, "redo/*").nth(3).sticky().error(…, Arrival.SOME)} lets the third write
 * to a redo file and every later one fail. It takes effect when it is added to a {@link FaultPlan}
 * and must not be changed after that. What its kind of request cannot suffer is refused there.
 */
public final class Fault {
    public static final String IO_ERROR = "Input/output error";
    public static final String NO_SPACE = "No space left on device";
    public static final String NO_QUOTA = "Disk quota exceeded";
    public static final String FILE_TOO_LARGE = "File too large";
    public static final String READ_ONLY = "Read-only file system";

    /**
     * How much of a failing request has happened all the same; only a write can be done in part.
     */
    public enum Arrival {
        NONE,
        SOME,
        ALL
    }

    /** What the fault does to the call that it hits. */
    enum Effect {
        ERROR,
        LOST,
        MISDIRECTED,
        SYNC_OUTCOME,
        FLIPPED_BIT,
        SLOW,
        STUCK,
        ACTION
    }

    private static final Set<SyncOutcome> DIRECTORY_OUTCOMES =
            Set.of(SyncOutcome.DURABLE, SyncOutcome.LIED, SyncOutcome.NEVER_DURABLE);

    private final Operation operation;
    private final Pattern names;
    private long first = 1;
    private long times = 1;
    private long rangeFrom;
    private long rangeTo = Long.MAX_VALUE;

    private Effect effect;
    private String message = IO_ERROR;
    private Arrival arrival = Arrival.NONE;
    private SyncOutcome outcome = SyncOutcome.NEVER_DURABLE;
    private long amount;
    private Latency delay;
    private int bit;
    private Runnable action;
    private final CountDownLatch released = new CountDownLatch(1);

    /** Guarded by the plan. */
    private long matches;

    private volatile long hits;
    private final AtomicLong acted = new AtomicLong();

    private Fault(Operation operation, Pattern names) {
        this.operation = operation;
        this.names = names;
    }

    /**
     * A fault of one kind of request.
     *
     * @param names of the files, where {@code *} stands for any run of characters; a directory sync
     *     has the directory's name, which is empty for the root
     */
    public static Fault on(Operation operation, String names) {
        String expression = Pattern.quote(names).replace("*", "\\E.*\\Q");
        return new Fault(operation, Pattern.compile(expression));
    }

    /** Begins with the n-th such request, counted from 1; the first if not called. */
    public Fault nth(long ordinal) {
        first = ordinal;
        return this;
    }

    /** Hits so many requests in a row; one if not called. */
    public Fault times(long count) {
        times = count;
        return this;
    }

    /** Never ends. */
    public Fault sticky() {
        return times(Long.MAX_VALUE);
    }

    /** Hits, and counts, requests only that touch these bytes. */
    public Fault range(long from, long to) {
        rangeFrom = from;
        rangeTo = to;
        return this;
    }

    /** The request fails and nothing was done; what a sync of a file had to save is lost. */
    public Fault error(String text) {
        return error(text, Arrival.NONE);
    }

    /** The request fails; some part of it may have happened, of a change of names all or none. */
    public Fault error(String text, Arrival part) {
        message = text;
        arrival = part;
        return with(Effect.ERROR);
    }

    /** The sync ends so; of a directory it is durable, lies, or loses its changes for good. */
    public Fault sync(SyncOutcome how) {
        return sync(how, IO_ERROR);
    }

    /** The sync ends so; when it fails, with that text. */
    public Fault sync(SyncOutcome how, String text) {
        outcome = how;
        message = text;
        return with(Effect.SYNC_OUTCOME);
    }

    /** The write reports success and nothing arrives. */
    public Fault lost() {
        return with(Effect.LOST);
    }

    /** The write lands so many bytes away; where it belonged the old bytes stay. */
    public Fault misdirected(long deltaBytes) {
        amount = deltaBytes;
        return with(Effect.MISDIRECTED);
    }

    /** The read shows a flipped bit in its byte at that position of the file; the file is sound. */
    public Fault flipBit(long position, int bitIndex) {
        bit = bitIndex;
        amount = position;
        return range(position, position + 1).with(Effect.FLIPPED_BIT);
    }

    /** The request takes so much longer. */
    public Fault slow(long nanos) {
        return slow((kind, bytes, random) -> nanos);
    }

    /** The request takes longer by a time that is drawn for each. */
    public Fault slow(Latency distribution) {
        delay = distribution;
        return with(Effect.SLOW);
    }

    /** The request hangs until {@link #release}, and then succeeds. */
    public Fault stuck() {
        return with(Effect.STUCK);
    }

    /** The thread runs this before the request, under no latch of the disk. */
    public Fault run(Runnable what) {
        action = what;
        return with(Effect.ACTION);
    }

    /** Lets all go on that are stuck here, now and later. */
    public void release() {
        released.countDown();
    }

    /** How many requests were hit. */
    public long hits() {
        return hits;
    }

    /**
     * How often the disk has done what the fault says. A test that plans a fault asserts that it
     * came to pass. Fewer than {@link #hits} while requests are on their way, where one had no room
     * or the disk was unplugged, and where of several faults that hit a request another counted.
     */
    public long acted() {
        return acted.get();
    }

    /** The disk has done it. */
    void act() {
        acted.incrementAndGet();
    }

    /** Counts the request if it is of this kind, and tells whether it is hit; the plan calls. */
    boolean meets(Operation what, String name, long position, int length) {
        long end = position + Math.max(length, 1);
        if (what != operation || position >= rangeTo || end <= rangeFrom) {
            return false;
        }
        if (!names.matcher(name).matches()) {
            return false;
        }
        matches++;
        boolean isHit = matches >= first && matches - first < times;
        if (isHit) {
            hits = matches - first + 1;
        }
        return isHit;
    }

    /** Refuses what no disk can do. */
    void check() {
        if (effect == null || !isPossible()) {
            throw new IllegalArgumentException("no such fault: " + this);
        }
    }

    private boolean isPossible() {
        return switch (effect) {
            case SLOW, STUCK, ACTION -> true;
            case LOST, MISDIRECTED -> operation == Operation.WRITE;
            case FLIPPED_BIT -> operation == Operation.READ;
            case SYNC_OUTCOME ->
                    operation == Operation.SYNC
                            || (operation == Operation.SYNC_DIRECTORY
                                    && DIRECTORY_OUTCOMES.contains(outcome));
            case ERROR ->
                    switch (operation) {
                        case WRITE -> true;
                        case READ, OPEN, SYNC, SYNC_DIRECTORY -> arrival == Arrival.NONE;
                        default -> arrival != Arrival.SOME;
                    };
        };
    }

    boolean is(Effect which) {
        return effect == which;
    }

    String message() {
        return message;
    }

    Arrival arrival() {
        return arrival;
    }

    SyncOutcome outcome() {
        return outcome;
    }

    Latency delay() {
        return delay;
    }

    /** Bytes or a position, as the effect has it. */
    long amount() {
        return amount;
    }

    int bit() {
        return bit;
    }

    Runnable action() {
        return action;
    }

    /** Waits for {@link #release}; an interrupt does not end it. */
    void awaitRelease() {
        boolean wasInterrupted = false;
        while (released.getCount() > 0) {
            try {
                released.await();
            } catch (InterruptedException waitsOn) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Fault with(Effect which) {
        effect = which;
        return this;
    }

    @Override
    public String toString() {
        return "operation="
                + operation
                + ", names="
                + names
                + ", first="
                + first
                + ", times="
                + times
                + ", effect="
                + effect
                + (effect == Effect.SYNC_OUTCOME ? ", outcome=" + outcome : "")
                + (effect == Effect.ERROR ? ", arrival=" + arrival : "")
                + ", hits="
                + hits
                + ", acted="
                + acted;
    }
}
