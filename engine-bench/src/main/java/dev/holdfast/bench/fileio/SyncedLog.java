// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.io.file.FileMode;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A log in a file of fixed length that is written around and around, one append at a time. Safe for
 * all threads; who comes while another appends waits.
 */
final class SyncedLog {
    /*
     * A DIRECT file takes whole blocks, so an append writes the blocks that it touches, the last
     * one of the append before it once more: what a redo log does too.
     */
    static final int APPEND_BYTES_MAX = 1 << 20;

    private static final long FILE_BYTES = 32L << 20;

    private final StorageFile file;
    private final int appendBytes;
    private final boolean isSynced;
    private final int unitBytes;
    private final ByteBuffer content;
    private final ReentrantLock turn = new ReentrantLock();

    private final ReentrantLock lead = new ReentrantLock();

    /** Guarded by the turn. */
    private long position;

    /** Written under the turn, after the bytes; read by the leader without it. */
    private final AtomicLong appends = new AtomicLong();

    /** Guarded by the lead. */
    private long appendsSynced;

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
     * Appends so many bytes, at most {@link #APPEND_BYTES_MAX}, and returns when they are synced:
     * by this thread for all that wait, or by another.
     *
     * @return whether it was this thread that synced
     */
    boolean appendInGroup(int bytes) throws IOException {
        long mine;
        turn.lock();
        try {
            write(bytes);
            mine = appends.get();
        } finally {
            turn.unlock();
        }
        lead.lock();
        try {
            if (appendsSynced >= mine) {
                return false;
            }
            long all = appends.get();
            file.sync(true);
            appendsSynced = all;
            return true;
        } finally {
            lead.unlock();
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
        appends.incrementAndGet();
    }
}
