// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import dev.holdfast.CorruptionException;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageErrors;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.UUID;
import java.util.function.ObjIntConsumer;

/**
 * The segment files of a log, opened. Blocks are addressed by their number in the stream.
 *
 * <p>Written by one thread at a time, the leader, who passes that role on by a volatile word.
 */
final class RedoSegments implements AutoCloseable {
    private final RedoLayout layout;
    private final StorageFile[] files;

    /** Written to since their last sync; the leader's. */
    private final BitSet touched;

    private RedoSegments(RedoLayout layout, StorageFile[] files) {
        this.layout = layout;
        this.files = files;
        touched = new BitSet(files.length);
    }

    /**
     * Makes the segments of a new log: full length, zeros, headers, synced. A log whose creation
     * was cut short is removed by whoever finds that the store was never born.
     */
    static void create(StorageDirectory directory, UUID store, RedoLayout layout)
            throws IOException {
        directory.createDirectory(RedoLayout.DIRECTORY);
        ByteBuffer header = AlignedBuffers.allocate(Lsn.BLOCK_BYTES);
        for (int i = 0; i < layout.segmentCount(); i++) {
            try (StorageFile file = directory.create(RedoLayout.fileName(i))) {
                file.zeroFill(0, layout.segmentBytes());
                SegmentHeader.write(header, store, layout, i);
                file.write(0, header.clear());
                file.sync(false);
            }
        }
        directory.syncDirectory(RedoLayout.DIRECTORY);
    }

    /** Opens all segments and checks their headers and lengths. */
    static RedoSegments open(StorageDirectory directory, UUID store, RedoLayout layout)
            throws IOException {
        StorageFile[] files = new StorageFile[layout.segmentCount()];
        ByteBuffer header = AlignedBuffers.allocate(Lsn.BLOCK_BYTES);
        boolean opened = false;
        try {
            for (int i = 0; i < files.length; i++) {
                String name = RedoLayout.fileName(i);
                files[i] = openOne(directory, name, layout.segmentBytes());
                files[i].read(0, header.clear());
                SegmentHeader.check(header, name, store, layout, i);
            }
            opened = true;
            return new RedoSegments(layout, files);
        } finally {
            if (!opened) {
                closeAll(files);
            }
        }
    }

    private static StorageFile openOne(StorageDirectory directory, String name, long length)
            throws IOException {
        if (!directory.exists(name)) {
            throw new CorruptionException(
                    "redo segment is missing",
                    name,
                    "length=" + length,
                    StorageErrors.whatStandsAt(directory, name));
        }
        StorageFile file = directory.open(name);
        if (file.length() < length) {
            long found = file.length();
            file.close();
            throw new CorruptionException(
                    "redo segment is too short", name, "length=" + length, "length=" + found);
        }
        return file;
    }

    RedoLayout layout() {
        return layout;
    }

    /** Writes blocks that follow each other in one segment. */
    void write(long firstBlock, ByteBuffer blocks) throws IOException {
        int segment = layout.segmentOf(firstBlock);
        assert blocks.remaining() <= layout.blocksToSegmentEnd(firstBlock) * Lsn.BLOCK_BYTES
                : "write beyond a segment: block=" + firstBlock + ", bytes=" + blocks.remaining();

        touched.set(segment);
        files[segment].write(layout.positionOf(firstBlock), blocks);
    }

    /** Reads blocks that follow each other in one segment. */
    void read(long firstBlock, ByteBuffer blocks) throws IOException {
        files[layout.segmentOf(firstBlock)].read(layout.positionOf(firstBlock), blocks);
    }

    boolean isTouched() {
        return !touched.isEmpty();
    }

    /** Makes durable what was written. */
    void syncTouched() throws IOException {
        int segment = touched.nextSetBit(0);
        while (segment >= 0) {
            files[segment].sync(true);
            touched.clear(segment);
            segment = touched.nextSetBit(segment + 1);
        }
    }

    /** Makes durable whatever the segments hold, whoever wrote it. */
    void syncAll() throws IOException {
        for (StorageFile file : files) {
            file.sync(true);
        }
    }

    void eachFile(ObjIntConsumer<StorageFile> consumer) {
        for (int i = 0; i < files.length; i++) {
            consumer.accept(files[i], i);
        }
    }

    /** Where a block is, for messages. */
    String describe(long block) {
        return RedoLayout.fileName(layout.segmentOf(block));
    }

    @Override
    public void close() throws IOException {
        closeAll(files);
    }

    private static void closeAll(StorageFile[] files) throws IOException {
        IOException failure = null;
        for (int i = files.length - 1; i >= 0; i--) {
            try {
                if (files[i] != null) {
                    files[i].close();
                }
            } catch (IOException e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }
}
