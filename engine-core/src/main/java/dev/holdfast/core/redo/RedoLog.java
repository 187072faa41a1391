// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import dev.holdfast.EngineFailedException;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.sync.HeldLatches;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.SequenceBarrier;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.ObjIntConsumer;

/**
 * The redo log while the engine is open: appending groups and making them durable.
 *
 * <p>An append is {@link #reserve}, {@link #copy}, {@link #publish} by the same thread, with
 * nothing in between that could throw or wait; room was acquired from {@link #space} before.
 * Positions of the payload are passed between these three; everything else speaks LSN.
 *
 * <p>Safe for all threads. A failed write or sync makes the engine fail: nothing is written behind
 * it, and who waits for durability learns that the outcome is unknown.
 */
public final class RedoLog implements AutoCloseable {
    /*
     * Group commit by leader and follower. Who needs durability and finds it not there takes the
     * lead if that is free, and then writes and syncs for everybody; else sleeps at the barrier,
     * with the position that it needs. The leader wakes those it covered, in the order of their
     * positions, frees the lead, and wakes the first that it did not cover, to lead next. Who
     * arrives in between may take the lead first; the one that was woken then sleeps again.
     *
     * That no wake-up is lost: a waiter is queued before it looks whether the lead is free, and the
     * lead is freed before the leader looks for waiters; both are volatile, with full fences in the
     * barrier between.
     *
     * A write without sync (WRITE durability; the ring is full and nobody leads, P13) takes the
     * same lead. So it can find a sync in flight and wait for it; the format allows several in
     * flight, the leader's code has one.
     *
     * On failure the health is set before the lead is freed, and a leader looks at it after taking
     * the lead: nothing is written behind a failed write.
     */
    static final String RESERVED = "redo.reserved";
    static final String COPIED = "redo.copied";
    public static final String LED = "redo.led";

    private final LogWords words;
    private final LogRing ring;
    private final RedoSegments segments;
    private final LogSpace space;
    private final LogLeader leader;
    private final EngineHealth health;
    private final Counters counters;
    private final LogPosition start;
    private final SequenceBarrier durableBarrier = new SequenceBarrier(CoreSites.LOG_DURABILITY);
    private final SequenceBarrier writtenBarrier = new SequenceBarrier(CoreSites.REDO_LEADER);
    private final LongSupplier durable;
    private final LongSupplier written;
    private final BooleanSupplier leadFreeOrFailed;
    private boolean isClosed;

    private RedoLog(
            RedoSegments segments,
            RedoOptions options,
            EngineHealth health,
            Counters counters,
            LogPosition start) {
        this.segments = segments;
        this.health = health;
        this.counters = counters;
        this.start = start;
        words = new LogWords(start.startPosition());
        ring = new LogRing(options.ringBytes(), options.groupBytesMax(), words);
        space = new LogSpace(this::appendLsn, start.checkpointLsn(), options, health);
        BlockWriter writer = new BlockWriter(ring, segments, start.identity(), counters);
        leader =
                new LogLeader(
                        words, ring, writer, space, health, durableBarrier, writtenBarrier, start);
        durable = words::durable;
        written = words::written;
        leadFreeOrFailed = () -> words.isLeadFree() || health.failed();
        health.onFailure(this::wakeAll);
    }

    /** Makes the segment files of a new store, synced. */
    public static void create(StorageDirectory directory, UUID store, RedoLayout layout)
            throws IOException {
        RedoSegments.create(directory, store, layout);
    }

    /**
     * Opens the log for appending at a position whose epoch is durable in the checkpoint file.
     *
     * @throws dev.holdfast.CorruptionException if a segment is missing or not this log's
     */
    public static RedoLog open(
            StorageDirectory directory,
            RedoOptions options,
            EngineHealth health,
            Counters counters,
            LogPosition start)
            throws IOException {
        RedoSegments segments = RedoSegments.open(directory, start.store(), options.layout());
        return new RedoLog(segments, options, health, counters, start);
    }

    /** The end of what has been reserved; a snapshot is this number, read once (P4). */
    public long appendLsn() {
        return Lsn.fromPayload(words.append());
    }

    /** Up to here groups are published without a gap, so their page LSNs are set (P11). */
    public long closedLsn() {
        return Lsn.fromPayload(ring.closed());
    }

    /** Up to here the log is handed to the operating system. */
    public long writtenLsn() {
        return Lsn.fromPayload(words.written());
    }

    /** Up to here the log is on the disk. */
    public long durableLsn() {
        return Lsn.fromPayload(words.durable());
    }

    /** What a checkpoint record may give as its {@code durableThrough}. */
    public long proofLsn() {
        return leader.proofLsn();
    }

    public int epoch() {
        return start.epoch();
    }

    public LogSpace space() {
        return space;
    }

    /** Shows the segment files with their numbers. */
    public void eachFile(ObjIntConsumer<StorageFile> consumer) {
        segments.eachFile(consumer);
    }

    /**
     * Reserves the place of a group; the no-throw section begins. Waits for nothing but the ring,
     * and leads a write itself if nobody does (P13).
     *
     * <p><b>Latches:</b> any below REDO_LEADER may be held.
     *
     * @return the position where the group starts
     * @throws EngineFailedException if the engine failed while the ring was full
     */
    public long reserve(int groupBytes) {
        int count = Lsn.aligned(groupBytes);
        long position = words.addToAppend(count);
        long needed = ring.writtenNeeded(position + count);
        if (words.written() < needed) {
            awaitRing(needed);
        }
        TestHooks.reached(RESERVED);
        return position;
    }

    /** Copies the group to where it was reserved. */
    public void copy(long position, RedoWriter group) {
        byte[] bytes = group.finished(Lsn.fromPayload(position));
        if (TestHooks.fault(PlantedFault.PUBLISH_BEFORE_COPY)) {
            ring.publish(position, position + Lsn.aligned(group.length()));
            TestHooks.reached(COPIED);
        }
        ring.copy(position, bytes, Lsn.aligned(group.length()));
        TestHooks.reached(COPIED);
    }

    /** Lets the leader write the group, and the closed LSN pass it. */
    public void publish(long position, RedoWriter group) {
        ring.publish(position, position + Lsn.aligned(group.length()));
    }

    /**
     * {@link #copy} and {@link #publish} in one, for a group that no frame has to be marked for.
     */
    public void copyAndPublish(long position, RedoWriter group) {
        copy(position, group);
        publish(position, group);
    }

    /** The LSN at which a group starts that was reserved at a position. */
    public static long startLsn(long position) {
        return Lsn.fromPayload(position);
    }

    /** The LSN at which that group ends. */
    public static long endLsn(long position, int groupBytes) {
        return Lsn.endOfGroup(position, groupBytes);
    }

    /**
     * Returns when the log is on the disk up to an LSN; one volatile read if it is already.
     *
     * <p><b>Latches:</b> none of a page may be held.
     *
     * @throws EngineFailedException if the engine failed before: the outcome is unknown
     */
    public void makeDurable(long lsn) {
        assert HeldLatches.mayWaitFor(CoreSites.LOG_DURABILITY);

        if (durableLsn() < lsn) {
            assert lsn <= appendLsn() : "lsn=" + lsn + ", appendLsn=" + appendLsn();

            awaitDurable(Lsn.toPayload(lsn));
        }
    }

    /** Returns when the log is handed to the operating system up to an LSN. */
    public void makeWritten(long lsn) {
        if (writtenLsn() < lsn) {
            assert lsn <= appendLsn() : "lsn=" + lsn + ", appendLsn=" + appendLsn();

            awaitWritten(Lsn.toPayload(lsn));
        }
    }

    private void awaitDurable(long target) {
        counters.increment(Counter.LOG_DURABILITY_WAITS);
        while (words.durable() < target) {
            throwIfFailed(target);
            if (words.tryTakeLead()) {
                lead(Work.SYNC, target);
            } else {
                durableBarrier.await(target, durable, leadFreeOrFailed);
            }
        }
    }

    private void awaitWritten(long target) {
        while (words.written() < target) {
            throwIfFailed(target);
            if (words.tryTakeLead()) {
                lead(Work.WRITE, target);
            } else {
                writtenBarrier.await(target, written, leadFreeOrFailed);
            }
        }
    }

    private void awaitRing(long needed) {
        counters.increment(Counter.LOG_RING_WAITS);
        while (words.written() < needed) {
            health.check();
            if (words.tryTakeLead()) {
                lead(Work.MAKE_ROOM, needed);
            } else {
                writtenBarrier.await(needed, written, leadFreeOrFailed);
            }
        }
    }

    private enum Work {
        SYNC,
        WRITE,
        MAKE_ROOM
    }

    private void lead(Work work, long target) {
        assert HeldLatches.acquired(CoreSites.REDO_LEADER, System.identityHashCode(this));
        try {
            TestHooks.reached(LED);
            if (!health.failed()) {
                perform(work, target);
            }
        } catch (Throwable e) {
            health.fail(e);
        }
        assert HeldLatches.released(CoreSites.REDO_LEADER, System.identityHashCode(this));
        words.releaseLead();
        durableBarrier.wakeFirst();
        writtenBarrier.wakeFirst();
    }

    private void perform(Work work, long target) throws IOException {
        switch (work) {
            case SYNC -> {
                if (words.durable() < target) {
                    leader.sync();
                }
            }
            case WRITE -> leader.writeAtLeast(target);
            case MAKE_ROOM -> leader.makeRoom(target);
        }
    }

    private void throwIfFailed(long target) {
        Throwable cause = health.cause();
        if (cause != null) {
            throw EngineFailedException.outcomeUnknown(
                    "log not durable: wantedLsn="
                            + Lsn.fromPayload(target)
                            + ", durableLsn="
                            + durableLsn()
                            + " (a device may report late: what was acknowledged just before may"
                            + " be lost too)",
                    cause);
        }
    }

    private void wakeAll() {
        durableBarrier.wakeAll();
        writtenBarrier.wakeAll();
    }

    /**
     * Closes the files, without a flush; nobody may use the log any more. A second call does
     * nothing.
     */
    @Override
    public void close() throws IOException {
        if (isClosed) {
            return;
        }
        isClosed = true;
        try {
            segments.close();
        } finally {
            ring.close();
        }
    }
}
