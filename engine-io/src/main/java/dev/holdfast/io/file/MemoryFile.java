// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import dev.holdfast.io.stats.FileStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/** A handle on a file in memory. Nothing blocks, so virtual threads do their calls themselves. */
final class MemoryFile implements StorageFile {

    private final String name;
    private final MemoryContent content;
    private final FileStatistics statistics = new FileStatistics();
    private volatile boolean isClosed;

    MemoryFile(String name, MemoryContent content) {
        this.name = name;
        this.content = content;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void read(long position, ByteBuffer target) throws IOException {
        TransferCheck.check(name, FileMode.BUFFERED, position, target);
        checkOpen();
        long start = FileStatistics.start();
        int bytes = target.remaining();
        long length = content.length();
        if (bytes > 0 && position > length - bytes) {
            throw TransferCheck.endOfFile(name, position, bytes, length);
        }
        content.read(position, target);
        statistics.readDone(start, bytes);
    }

    @Override
    public void write(long position, ByteBuffer source) throws IOException {
        TransferCheck.check(name, FileMode.BUFFERED, position, source);
        checkOpen();
        long start = FileStatistics.start();
        int bytes = source.remaining();
        if (bytes > 0) {
            content.write(position, source);
        }
        statistics.writeDone(start, bytes);
    }

    @Override
    public void sync(boolean dataOnly) throws IOException {
        checkOpen();
        statistics.syncDone(FileStatistics.start());
    }

    @Override
    public long length() throws IOException {
        checkOpen();
        return content.length();
    }

    @Override
    public void truncate(long length) throws IOException {
        TransferCheck.checkRange(name, FileMode.BUFFERED, 0, length);
        checkOpen();
        content.truncate(length);
    }

    @Override
    public void zeroFill(long from, long to) throws IOException {
        TransferCheck.checkRange(name, FileMode.BUFFERED, from, to);
        checkOpen();
        long start = FileStatistics.start();
        if (from < to) {
            content.zero(from, to);
        }
        statistics.writeDone(start, to - from);
    }

    @Override
    public FileStatistics statistics() {
        return statistics;
    }

    @Override
    public void close() {
        isClosed = true;
    }

    private void checkOpen() throws IOException {
        if (isClosed) {
            throw new ClosedChannelException();
        }
    }
}
