// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.sync.CurrentWait;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.SequenceBarrier;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * What the thread that has the lead does for all: wait for the published prefix, write it, sync it.
 *
 * <p>Every method is called with the lead taken, and what it throws makes the engine fail.
 */
final class LogLeader {
    /*
     * Sync. The append position is moved to the next block border by CAS, and the leader owns what
     * lies between: it zeros and publishes it as padding. What was reserved below is awaited,
     * written and synced; so the sync ends at a block border, the next one begins there, and no
     * byte that was promised is ever written again (P3).
     *
     * Waiting for what was reserved below must not depend on who waits for the ring: an appender
     * that has reserved and finds the ring full sleeps until blocks were written, and only a leader
     * writes. So while the leader waits it writes what is closed as soon as the reservations reach
     * beyond the ring. The lowest reservation that is not published then always has its room: all
     * below it is closed, and a group is at most a quarter of the ring.
     *
     * An appender does not wake the leader: that would cost each append a fence. Between reserve
     * and publish there is a copy and nothing else, so the leader yields, then parks for moments.
     */
    static final String PADDED = "redo.padded";
    static final String WRITTEN = "redo.written";
    static final String SYNCED = "redo.synced";

    private static final int SPINS = 20;
    private static final int YIELDS = 200;
    private static final long PAUSE_NANOS = 50_000;

    private final LogWords words;
    private final LogRing ring;
    private final BlockWriter writer;
    private final LogSpace space;
    private final EngineHealth health;
    private final SequenceBarrier durableBarrier;
    private final SequenceBarrier writtenBarrier;
    private final long startPosition;
    private final long recoveredEndLsn;

    LogLeader(
            LogWords words,
            LogRing ring,
            BlockWriter writer,
            LogSpace space,
            EngineHealth health,
            SequenceBarrier durableBarrier,
            SequenceBarrier writtenBarrier,
            LogPosition start) {
        this.words = words;
        this.ring = ring;
        this.writer = writer;
        this.space = space;
        this.health = health;
        this.durableBarrier = durableBarrier;
        this.writtenBarrier = writtenBarrier;
        startPosition = start.startPosition();
        recoveredEndLsn = start.recoveredEndLsn();
    }

    /** Writes and syncs everything that was reserved before the call. */
    void sync() throws IOException {
        long target = padToBorder();
        TestHooks.reached(PADDED);
        awaitClosed(target);
        writeThrough(target);
        TestHooks.reached(WRITTEN);
        if (writer.needsSync() && !TestHooks.fault(PlantedFault.ACK_BEFORE_SYNC)) {
            writer.sync();
        }
        TestHooks.reached(SYNCED);
        words.publishDurable(target);
        durableBarrier.advanced(target);
    }

    /** Writes, without a sync, what is closed, and at least up to a position. */
    void writeAtLeast(long position) throws IOException {
        awaitClosed(position);
        writeThrough(ring.closed());
    }

    /** Writes until the written position allows what somebody is waiting to copy. */
    void makeRoom(long writtenNeeded) throws IOException {
        while (words.written() < writtenNeeded) {
            long closed = ring.closed();
            if (closed == words.written()) {
                closed = awaitClosedBeyond(closed);
            }
            writeThrough(closed);
        }
    }

    private long awaitClosedBeyond(long position) {
        CurrentWait wait = CurrentWait.begin(CoreSites.LOG_PUBLISH, position);
        try {
            int round = 0;
            while (ring.closed() == position) {
                pause(round);
                round++;
            }
            return ring.closed();
        } finally {
            wait.end();
        }
    }

    /**
     * The LSN that a header or a checkpoint record may vouch for. Before the first sync of an epoch
     * that is the end of the log that was read: the gap up to the epoch's first block holds
     * nothing, and the next open, if nothing was written, finds that end again.
     */
    long proofLsn() {
        long durable = words.durable();
        return durable == startPosition ? recoveredEndLsn : Lsn.fromPayload(durable);
    }

    private long padToBorder() throws IOException {
        while (true) {
            long append = words.append();
            long border = Lsn.borderAtOrAfter(append);
            if (border == append) {
                return border;
            }
            if (words.moveAppend(append, border)) {
                makeRoom(ring.writtenNeeded(border));
                ring.pad(append);
                ring.publish(append, border);
                return border;
            }
        }
    }

    private void awaitClosed(long target) throws IOException {
        for (int round = 0; round < SPINS; round++) {
            if (ring.closed() >= target) {
                return;
            }
            pause(round);
        }
        CurrentWait wait = CurrentWait.begin(CoreSites.LOG_PUBLISH, target);
        try {
            int round = SPINS;
            long closed = ring.closed();
            while (closed < target) {
                boolean ringIsFull = words.written() < ring.writtenNeeded(words.append());
                if (ringIsFull && closed > words.written()) {
                    writeThrough(closed);
                } else {
                    pause(round);
                    round++;
                }
                closed = ring.closed();
            }
        } finally {
            wait.end();
        }
    }

    private void writeThrough(long position) throws IOException {
        long from = words.written();
        if (position > from) {
            writer.write(from, position, proofLsn(), space.checkpointLsn());
            words.publishWritten(position);
            writtenBarrier.advanced(position);
        }
    }

    /** Whoever failed between reserve and publish has made the engine fail: do not wait for it. */
    @SuppressWarnings("ThreadPriorityCheck") // a missed hint costs a park, nothing else
    private void pause(int round) {
        health.check();
        if (round < SPINS) {
            Thread.onSpinWait();
        } else if (round < YIELDS) {
            Thread.yield();
        } else {
            LockSupport.parkNanos(this, PAUSE_NANOS);
        }
    }
}
