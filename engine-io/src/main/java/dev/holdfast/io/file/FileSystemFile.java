// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import dev.holdfast.io.stats.FileStatistics;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/** A file of the operating system: whole transfers, statistics, hand-over from virtual threads. */
final class FileSystemFile implements StorageFile {
    /*
     * A short transfer is resumed where it stopped. In DIRECT the rest must be aligned again, so a
     * transfer that stopped within a block is resumed at the block's start; the bytes before are
     * transferred a second time, to and from the same place.
     *
     * Errors get the file's name and place here, once for all callers; the reason the system gave
     * stays in the message, so that a full disk can be told from a broken one
     * (StorageErrors.isSpaceExhausted).
     */

    /** How long a run of zeros is written by one call. */
    private static final int ZERO_TRANSFER_BYTES = 1 << 20;

    private final String name;
    private final RawFile raw;
    private final FileMode mode;
    private final BlockingExecutor executor;
    private final FileStatistics statistics = new FileStatistics();

    FileSystemFile(String name, RawFile raw, FileMode mode, BlockingExecutor executor) {
        this.name = name;
        this.raw = raw;
        this.mode = mode;
        this.executor = executor;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void read(long position, ByteBuffer target) throws IOException {
        TransferCheck.check(name, mode, position, target);
        if (VirtualThreads.isCurrentVirtual()) {
            executor.call(() -> readHere(position, target));
        } else {
            readHere(position, target);
        }
    }

    private void readHere(long position, ByteBuffer target) throws IOException {
        long start = FileStatistics.start();
        int bytes = target.remaining();
        try {
            readFully(position, target);
        } catch (EOFException | ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            throw failed("read", position, bytes, e);
        }
        statistics.readDone(start, bytes);
    }

    private void readFully(long position, ByteBuffer target) throws IOException {
        int begin = target.position();
        int bytes = target.remaining();
        while (target.hasRemaining()) {
            int before = target.position();
            int count = raw.read(position + (before - begin), target);
            if (count > 0) {
                count = resumable(before - begin + count, bytes) - (before - begin);
                target.position(before + count);
            }
            if (count <= 0) {
                throw TransferCheck.endOfFile(name, position, bytes, raw.length());
            }
        }
    }

    @Override
    public void write(long position, ByteBuffer source) throws IOException {
        TransferCheck.check(name, mode, position, source);
        if (VirtualThreads.isCurrentVirtual()) {
            executor.call(() -> writeHere(position, source));
        } else {
            writeHere(position, source);
        }
    }

    private void writeHere(long position, ByteBuffer source) throws IOException {
        long start = FileStatistics.start();
        int bytes = source.remaining();
        try {
            writeFully(position, source);
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            throw failed("write", position, bytes, e);
        }
        statistics.writeDone(start, bytes);
    }

    private void writeFully(long position, ByteBuffer source) throws IOException {
        int begin = source.position();
        int bytes = source.remaining();
        while (source.hasRemaining()) {
            int before = source.position();
            int count = raw.write(position + (before - begin), source);
            count = resumable(before - begin + count, bytes) - (before - begin);
            source.position(before + count);
            if (count <= 0) {
                throw new IOException("the system wrote nothing");
            }
        }
    }

    /** Where a transfer goes on that has done so many of its bytes. */
    private int resumable(int done, int bytes) {
        return mode == FileMode.DIRECT && done < bytes ? done & -FileMode.DIRECT_ALIGNMENT : done;
    }

    @Override
    public void sync(boolean dataOnly) throws IOException {
        if (VirtualThreads.isCurrentVirtual()) {
            executor.call(() -> syncHere(dataOnly));
        } else {
            syncHere(dataOnly);
        }
    }

    private void syncHere(boolean dataOnly) throws IOException {
        long start = FileStatistics.start();
        try {
            raw.force(!dataOnly);
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException("sync failed: file=" + name + ", reason=" + e.getMessage(), e);
        }
        statistics.syncDone(start);
    }

    @Override
    public long length() throws IOException {
        return raw.length();
    }

    @Override
    public void truncate(long length) throws IOException {
        TransferCheck.checkRange(name, mode, 0, length);
        if (VirtualThreads.isCurrentVirtual()) {
            executor.call(() -> truncateHere(length));
        } else {
            truncateHere(length);
        }
    }

    private void truncateHere(long length) throws IOException {
        try {
            raw.truncate(length);
        } catch (ClosedChannelException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException(
                    "truncate failed: file="
                            + name
                            + ", length="
                            + length
                            + ", reason="
                            + e.getMessage(),
                    e);
        }
    }

    @Override
    public void zeroFill(long from, long to) throws IOException {
        TransferCheck.checkRange(name, mode, from, to);
        long position = from;
        while (position < to) {
            int bytes = (int) Math.min(to - position, ZERO_TRANSFER_BYTES);
            write(position, Zeros.BLOCK.duplicate().limit(bytes));
            position += bytes;
        }
    }

    @Override
    public FileStatistics statistics() {
        return statistics;
    }

    @Override
    public void close() throws IOException {
        raw.close();
    }

    private IOException failed(String what, long position, int bytes, IOException cause) {
        return new IOException(
                what
                        + " failed: file="
                        + name
                        + ", position="
                        + position
                        + ", bytes="
                        + bytes
                        + ", reason="
                        + cause.getMessage(),
                cause);
    }

    /** Made when the first run of zeros is written. */
    private static final class Zeros {
        /** Read-only; used through duplicates. */
        static final ByteBuffer BLOCK =
                ByteBuffer.allocateDirect(ZERO_TRANSFER_BYTES + FileMode.DIRECT_ALIGNMENT)
                        .alignedSlice(FileMode.DIRECT_ALIGNMENT)
                        .asReadOnlyBuffer();

        private Zeros() {}
    }
}
