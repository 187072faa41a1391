// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.io.file.FileMode;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A log in a file of fixed length that is written around and around, one append at a time. Safe for
 * all threads; who comes while another appends waits.
 */
final class SyncedLog {
    /*
     * A DIRECT file takes whole blocks, so an append writes the blocks that it touches, the last
     * one of the append before it once more: what a redo log does too.
     *
     * In a group the leader writes and syncs what all have claimed, outside of the lock, while
     * others claim and wait: one write and one sync for all, which is the least that a device can be
     * asked for.
     */
    static final int APPEND_BYTES_MAX = 1 << 20;

    private static final long FILE_BYTES = 32L << 20;

    private final StorageFile file;
    private final int appendBytes;
    private final boolean isSynced;
    private final int unitBytes;
    private final ByteBuffer content;
    private final ReentrantLock turn = new ReentrantLock();
    private final Condition ended = turn.newCondition();

    /** Where the next append goes; of the turn, or in a group of its leader. */
    private long position;

    /** Bytes that were to be appended in groups. Guarded by the turn, as all below. */
    private long claimed;

    /** Of these, what is synced; its leader alone changes it. */
    private long durable;

    private boolean hasLeader;

    private SyncedLog(
            StorageFile file, int appendBytes, boolean isSynced, FileMode mode, long seed) {
        this.file = file;
        this.appendBytes = appendBytes;
        this.isSynced = isSynced;
        this.unitBytes = mode == FileMode.DIRECT ? FileMode.DIRECT_ALIGNMENT : 1;
        this.content = Buffers.random(APPEND_BYTES_MAX + 2 * FileMode.DIRECT_ALIGNMENT, seed);
    }

    /** Makes the log in an empty file, which gets its whole length now. */
    static SyncedLog over(
            StorageFile file, int appendBytes, boolean isSynced, FileMode mode, long seed)
            throws IOException {
        Buffers.fill(file, FILE_BYTES, seed);
        return new SyncedLog(file, appendBytes, isSynced, mode, seed);
    }

    int appendBytes() {
        return appendBytes;
    }

    /** Appends, and syncs if the log is a synced one. */
    void append() throws IOException {
        turn.lock();
        try {
            write(appendBytes);
            if (isSynced) {
                file.sync(true);
            }
        } finally {
            turn.unlock();
        }
    }

    /**
     * Appends so many bytes and returns when they are synced: by this thread for all that wait, or
     * by another.
     *
     * @return whether it was this thread that synced
     */
    boolean appendInGroup(int bytes) throws IOException {
        long all;
        turn.lock();
        try {
            claimed += bytes;
            long mine = claimed;
            while (durable < mine && hasLeader) {
                ended.awaitUninterruptibly();
            }
            if (durable >= mine) {
                return false;
            }
            hasLeader = true;
            all = claimed;
        } finally {
            turn.unlock();
        }
        boolean isDurable = false;
        try {
            write((int) Math.min(APPEND_BYTES_MAX, all - durable));
            file.sync(true);
            isDurable = true;
        } finally {
            endGroup(isDurable ? all : durable);
        }
        return true;
    }

    private void endGroup(long durableThen) {
        turn.lock();
        try {
            durable = durableThen;
            hasLeader = false;
            ended.signalAll();
        } finally {
            turn.unlock();
        }
    }

    private void write(int bytes) throws IOException {
        if (position + bytes > FILE_BYTES) {
            position = 0;
        }
        long from = position / unitBytes * unitBytes;
        long to = (position + bytes + unitBytes - 1) / unitBytes * unitBytes;
        file.write(from, content.clear().limit((int) (to - from)));
        position += bytes;
    }
}
