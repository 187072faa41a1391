// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import dev.holdfast.CorruptionException;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.util.UUID;

/**
 * Finds the log again at an open: delivers its complete groups from the checkpoint on, and tells a
 * torn tail from damage. For one thread.
 *
 * <p>What it has read counts as durable only after {@link #syncScanned} (P11a).
 */
public final class RedoScanner implements AutoCloseable {
    /*
     * The log is the longest run of blocks from the checkpoint on in which each block is sound and
     * follows its predecessor: the same epoch, and the predecessor full; or a higher epoch that
     * says of itself that it starts in this very block, whereupon an unfinished group of the old
     * one is dropped. Everything else ends the log: a bad block, a lower epoch (a block behind an
     * old hole), a higher one that starts elsewhere, a block behind an open tail. The log's end is
     * then the end of the last complete group before, or of the padding behind it.
     *
     * The checkpoint record tells which epoch the first block may be of: a checkpoint at a block
     * border says nothing about the block behind it, which may be a stale one.
     *
     * An epoch in which nothing was written leaves no trace but its record. The gap between the end
     * that its open had found and its first block holds nothing; no block and no record vouches
     * for it (RedoLog.proofLsn), so that an end below it is not taken for damage.
     *
     * A hole is an ordinary crash state, so what follows the end does not matter, with one
     * exception: a later sound block, or the record, may vouch that the log was durable beyond the
     * end. Then the end was not left by a crash but by damage. Such blocks may be anywhere in the
     * segments, hence all are read once; blocks of older laps and of old epochs behind a hole vouch
     * for less than the end, since what they vouched for was recovered before the end could be
     * where it is.
     */
    private final RedoSegments segments;
    private final CheckpointRecord checkpoint;
    private final BlockReader reader;
    private final long startBlock;
    private final long limitBlock;

    private long block;
    private int epoch;
    private long epochStartLsn;
    private boolean previousIsFull;
    private long end;
    private long blockCount;
    private long maxDurableThrough;

    /** Opens the segments for a scan from that checkpoint on. */
    public RedoScanner(StorageDirectory directory, UUID store, CheckpointRecord checkpoint)
            throws IOException {
        this.checkpoint = checkpoint;
        segments = RedoSegments.open(directory, store, checkpoint.layout());
        reader = new BlockReader(segments, store);
        startBlock = checkpoint.checkpointLsn() / Lsn.BLOCK_BYTES;
        limitBlock = startBlock + checkpoint.layout().totalBlocks();
    }

    /** Takes the complete groups of a log in their order. */
    @FunctionalInterface
    public interface GroupVisitor {
        /**
         * One group.
         *
         * @param bytes reused after the call
         * @param offset where the records begin
         * @param length of all records together
         */
        void group(long startLsn, long endLsn, byte[] bytes, int offset, int length);
    }

    /**
     * What a scan has found.
     *
     * @param recoveredEndLsn where the log ends
     * @param epoch the newest that was met, in blocks or in the checkpoint record
     * @param maxDurableThrough the strongest proof that was met; not above the end
     * @param blocks how many blocks the log has from the checkpoint on
     * @param groups how many complete groups it has
     */
    public record Result(
            long recoveredEndLsn, int epoch, long maxDurableThrough, long blocks, long groups) {

        /**
         * Checks a proof from outside the log, such as a page's LSN, against the end.
         *
         * @param where the file that bears the proof
         * @throws CorruptionException if the log should have been longer
         */
        public void requireThrough(long lsn, String where) {
            if (lsn > recoveredEndLsn) {
                throw new CorruptionException(
                        "the log ends before what was durable",
                        where,
                        "lsn<=" + recoveredEndLsn,
                        "lsn=" + lsn);
            }
        }
    }

    /**
     * Reads the log once; may be called again and then finds the same.
     *
     * @throws CorruptionException if a block below a proof of durability is bad
     */
    public Result scan(GroupVisitor visitor) throws IOException {
        GroupAssembler groups = new GroupAssembler(visitor);
        end = Lsn.toPayload(checkpoint.checkpointLsn());
        epoch = 0;
        blockCount = 0;
        maxDurableThrough = checkpoint.durableThrough();
        block = startBlock;
        while (block < limitBlock && step(groups)) {
            block++;
        }
        requireProven(Lsn.fromPayload(end));
        return new Result(
                Lsn.fromPayload(end),
                Math.max(epoch, checkpoint.epoch()),
                maxDurableThrough,
                blockCount,
                groups.count());
    }

    /** Takes one block in; false if the log has ended before it. */
    private boolean step(GroupAssembler groups) throws IOException {
        reader.moveTo(block, limitBlock);
        boolean continues =
                reader.isBlock(block) && (block == startBlock ? isFirst() : isNext(groups));
        if (!continues && !isHoleSkipped(groups)) {
            return false;
        }
        boolean isFirstBlock = block == startBlock;
        long position = isFirstBlock ? end : block * Lsn.PAYLOAD;
        epoch = reader.epoch();
        epochStartLsn = reader.epochStartLsn();
        maxDurableThrough = Math.max(maxDurableThrough, reader.durableThrough());
        previousIsFull = reader.dataLength() == Lsn.PAYLOAD;
        blockCount++;
        end = Math.max(end, groups.take(reader, segments.describe(block), position));
        return true;
    }

    /** Whether the block that holds the checkpoint's position reaches to it, in its epoch. */
    private boolean isFirst() {
        if (reader.dataLength() < end % Lsn.PAYLOAD) {
            return false;
        }
        boolean checkpointIsInItsEpoch = checkpoint.checkpointLsn() > checkpoint.epochStartLsn();
        int found = reader.epoch();
        if (!checkpointIsInItsEpoch) {
            return found < checkpoint.epoch();
        }
        return found == checkpoint.epoch()
                ? reader.epochStartLsn() == checkpoint.epochStartLsn()
                : found > checkpoint.epoch() && startsItsEpoch();
    }

    private boolean isNext(GroupAssembler groups) {
        int found = reader.epoch();
        if (found == epoch) {
            return previousIsFull && reader.epochStartLsn() == epochStartLsn;
        }
        if (found > epoch && startsItsEpoch()) {
            groups.dropUnfinished();
            return true;
        }
        return false;
    }

    private boolean startsItsEpoch() {
        return reader.epochStartLsn() == block * Lsn.BLOCK_BYTES;
    }

    private void requireProven(long endLsn) throws IOException {
        boolean firstIsBad = blockCount == 0 && end % Lsn.PAYLOAD != 0;
        if (firstIsBad) {
            throw damaged(endLsn, checkpoint.checkpointLsn(), CheckpointFile.NAME);
        }
        if (maxDurableThrough > endLsn) {
            throw damaged(endLsn, maxDurableThrough, "checkpoint record or an earlier block");
        }
        for (long later = block; later < limitBlock; later++) {
            reader.moveTo(later, limitBlock);
            boolean isLater =
                    reader.blockLsn() >= later * Lsn.BLOCK_BYTES
                            && reader.durableThrough() > endLsn;
            if (isLater && reader.isSound()) {
                throw damaged(endLsn, reader.durableThrough(), segments.describe(later));
            }
        }
    }

    private CorruptionException damaged(long endLsn, long proof, String prover) {
        RedoLayout layout = segments.layout();
        return new CorruptionException(
                "redo block is damaged below a proof of durability: blockLsn="
                        + block * Lsn.BLOCK_BYTES
                        + ", offset="
                        + layout.positionOf(block)
                        + ", logEndLsn="
                        + endLsn,
                segments.describe(block),
                "a sound block, as durableThrough=" + proof + " of " + prover + " says",
                "a block that does not continue the log");
    }

    /** A planted fault: the scan goes on behind a bad block, at the next one that is sound. */
    private boolean isHoleSkipped(GroupAssembler groups) throws IOException {
        if (!TestHooks.fault(PlantedFault.LOG_HOLE_SKIPPED)) {
            return false;
        }
        while (block + 1 < limitBlock) {
            block++;
            reader.moveTo(block, limitBlock);
            if (reader.isBlock(block) && reader.firstGroup() != BlockHeader.NO_GROUP) {
                groups.dropUnfinished();
                groups.skipTo(reader.firstGroup());
                return true;
            }
        }
        return false;
    }

    /** Makes durable what was read: it may have been in the page cache only. */
    public void syncScanned() throws IOException {
        segments.syncAll();
    }

    @Override
    public void close() throws IOException {
        segments.close();
    }
}
