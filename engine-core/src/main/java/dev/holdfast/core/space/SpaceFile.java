// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.io.checksum.PageChecksum;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;

/** One open data file. */
final class SpaceFile {
    /*
     * Syncs of a file are made one at a time, and none after one that failed. The system tells of a
     * lost write once, to one of those who sync: another, at the same time or later, would hear that
     * all is well, call its pages clean and let the checkpoint pass them.
     */
    final int spaceId;
    final StorageFile file;

    /**
     * Bits of the checksum kinds that its pages may bear; all until the header was read. Volatile
     * since it is set while others read: a conversion adds a kind before any page bears it, and
     * takes one away when no page does.
     */
    volatile int checksumKinds;

    /** What its pages get when they are written. Volatile for the same reason. */
    volatile PageChecksum seal;

    private final ReentrantLock syncing = new ReentrantLock();

    /** Guarded by the lock. */
    private IOException syncFailure;

    SpaceFile(int spaceId, StorageFile file, int checksumKinds, PageChecksum seal) {
        this.spaceId = spaceId;
        this.file = file;
        this.checksumKinds = checksumKinds;
        this.seal = seal;
    }

    /** Makes durable what was written before the call. */
    void sync() throws IOException {
        syncing.lock();
        try {
            if (syncFailure != null) {
                throw new IOException("an earlier sync failed: file=" + file.name(), syncFailure);
            }
            file.sync(true);
        } catch (IOException failure) {
            if (syncFailure == null) {
                syncFailure = failure;
            }
            throw failure;
        } finally {
            syncing.unlock();
        }
    }
}
