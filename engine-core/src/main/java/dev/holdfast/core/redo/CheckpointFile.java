// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import dev.holdfast.CorruptionException;
import dev.holdfast.DiskFullException;
import dev.holdfast.FormatException;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Invariants;
import dev.holdfast.core.watch.NamedLock;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageErrors;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.function.ObjIntConsumer;
import java.util.function.UnaryOperator;

/**
 * The checkpoint file: two blocks, written in turn, so that one of them is always whole.
 *
 * <p>Safe for all threads; updates follow each other. A failed update is the caller's reason to
 * make the engine fail: which record is on the disk is then unknown, and both are true.
 */
public final class CheckpointFile implements AutoCloseable {
    /*
     * The block that is written is the one that does not hold the newest sound record: a block that
     * was unreadable at open is thereby the first to be rewritten.
     *
     * There is no update after one that failed. Who waits for the lock meanwhile, the mark of an idle
     * log beside a checkpoint, would sync again, and be told by the system that all is well.
     */
    public static final String NAME = "checkpoint";

    private static final int BLOCKS = 2;

    private final StorageFile file;
    private final UUID store;
    private final boolean oneWasUnreadable;
    private final int epochMax;
    private final ByteBuffer buffer = AlignedBuffers.allocate(CheckpointBlock.BYTES);

    /** Serialises updates. */
    private final NamedLock lock = new NamedLock(CoreSites.CHECKPOINT_FILE, 0);

    /** Written under the lock. */
    private volatile CheckpointRecord newest;

    /** Guarded by the lock. */
    private int newestBlock;

    /** Of a write or sync; guarded by the lock. */
    private IOException failure;

    private CheckpointFile(StorageFile file, UUID store, CheckpointRecord[] records) {
        this.file = file;
        this.store = store;
        newestBlock = indexOfNewest(records);
        newest = records[newestBlock];
        CheckpointRecord other = records[1 - newestBlock];
        oneWasUnreadable = other == null;
        epochMax = other == null ? newest.epoch() : Math.max(newest.epoch(), other.epoch());
    }

    /** Makes the file of a new store with the same record in both blocks, synced. */
    public static CheckpointFile create(
            StorageDirectory directory, UUID store, CheckpointRecord first) throws IOException {
        StorageFile file = directory.create(NAME);
        CheckpointRecord[] records = {first.withSequence(1), first.withSequence(2)};
        CheckpointFile created = new CheckpointFile(file, store, records);
        for (int i = 0; i < BLOCKS; i++) {
            created.writeBlock(i, records[i]);
        }
        file.sync(false);
        return created;
    }

    /**
     * Opens the file, syncs it and reads both blocks.
     *
     * @throws CorruptionException if neither block is sound, or they are of another store
     * @throws FormatException if the newest is of a version that this code does not know
     */
    public static CheckpointFile open(StorageDirectory directory, UUID store) throws IOException {
        StorageFile file = directory.open(NAME);
        boolean opened = false;
        try {
            // What a killed process wrote may be in the page cache only (P11a): an update that
            // overwrote the older block could otherwise lose both to one power loss.
            file.sync(true);
            CheckpointRecord[] records = new CheckpointRecord[BLOCKS];
            ByteBuffer both = AlignedBuffers.allocate(BLOCKS * CheckpointBlock.BYTES);
            if (file.length() >= both.capacity()) {
                file.read(0, both);
                for (int i = 0; i < BLOCKS; i++) {
                    records[i] = readBlock(both, i * CheckpointBlock.BYTES, store);
                }
            }
            if (records[0] == null && records[1] == null) {
                throw new CorruptionException(
                        "no readable checkpoint record",
                        NAME,
                        "a sound block of two",
                        "length=" + file.length());
            }
            CheckpointFile result = new CheckpointFile(file, store, records);
            opened = true;
            return result;
        } finally {
            if (!opened) {
                file.close();
            }
        }
    }

    /** The record in a block, or null if there is none that is whole. */
    private static CheckpointRecord readBlock(ByteBuffer chunk, int offset, UUID store) {
        if (!CheckpointBlock.isWhole(chunk, offset)) {
            return null;
        }
        int version = CheckpointBlock.version(chunk, offset);
        int features = CheckpointBlock.incompatibleFeatures(chunk, offset);
        if (version != CheckpointBlock.VERSION || features != 0) {
            throw new FormatException(
                    "checkpoint file of another version",
                    NAME,
                    "version=" + CheckpointBlock.VERSION + ", incompatibleFeatures=0",
                    "version=" + version + ", incompatibleFeatures=" + features);
        }
        UUID found = CheckpointBlock.store(chunk, offset);
        if (!found.equals(store)) {
            throw new CorruptionException(
                    "checkpoint file of another store", NAME, "uuid=" + store, "uuid=" + found);
        }
        return CheckpointBlock.isLegal(chunk, offset) ? CheckpointBlock.read(chunk, offset) : null;
    }

    private static int indexOfNewest(CheckpointRecord[] records) {
        if (records[0] == null || records[1] == null) {
            return records[0] == null ? 1 : 0;
        }
        return records[0].sequence() > records[1].sequence() ? 0 : 1;
    }

    /** The newest record. */
    public CheckpointRecord newest() {
        return newest;
    }

    /** Whether one block was unreadable at open: torn by a crash, or damaged. */
    public boolean oneWasUnreadable() {
        return oneWasUnreadable;
    }

    /** The epoch that an open must use (P3), given the highest that its scan has met. */
    public int nextEpoch(int scannedEpoch) {
        return Math.max(epochMax, scannedEpoch) + (oneWasUnreadable ? 2 : 1);
    }

    /**
     * Writes a record made from the newest one, and returns when it is on the disk.
     *
     * @param change runs under the file's lock; must not wait
     * @throws DiskFullException if there is no room for the block, which a file system that does
     *     not write in place may say; the newest record is what it was, and this may be tried again
     * @throws IOException if the write, or the sync, failed for another reason: nobody knows what
     *     the disk has
     */
    public CheckpointRecord update(UnaryOperator<CheckpointRecord> change) throws IOException {
        lock.lock();
        try {
            if (failure != null) {
                throw new IOException("an earlier update failed: file=" + NAME, failure);
            }
            CheckpointRecord record = change.apply(newest).withSequence(newest.sequence() + 1);
            Invariants.check(
                    record.isPlausible(),
                    "a checkpoint is within what is durable",
                    record.checkpointLsn(),
                    record.durableThrough());
            Invariants.check(
                    record.checkpointLsn() >= newest.checkpointLsn(),
                    "a checkpoint does not go back",
                    record.checkpointLsn(),
                    newest.checkpointLsn());
            int block = 1 - newestBlock;
            writeBlock(block, record);
            file.sync(true);
            newestBlock = block;
            newest = record;
            return record;
        } catch (IOException fatal) {
            failure = failure == null ? fatal : failure;
            throw fatal;
        } finally {
            lock.unlock();
        }
    }

    private void writeBlock(int block, CheckpointRecord record) throws IOException {
        CheckpointBlock.write(buffer, 0, store, record);
        try {
            file.write((long) block * CheckpointBlock.BYTES, buffer.clear());
        } catch (IOException failure) {
            if (StorageErrors.isSpaceExhausted(failure)) {
                throw new DiskFullException(NAME, CheckpointBlock.BYTES, failure);
            }
            throw failure;
        }
    }

    /** Shows the file, as number 0. */
    public void eachFile(ObjIntConsumer<StorageFile> consumer) {
        consumer.accept(file, 0);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
