// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.channels.FileLock;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** A file of the operating system, also a directory to be synced, or the lock file. */
final class ChannelFile implements RawFile {
    /*
     * An AsynchronousFileChannel whose executor runs inline does its system call in the calling
     * thread and is done when it returns. Unlike a FileChannel it is not interruptible: an
     * interrupt neither ends the call nor closes the channel for everybody else. Where the JDK
     * completes on threads of its own (Windows), await() waits and keeps the flag.
     */

    private final AsynchronousFileChannel channel;

    private ChannelFile(AsynchronousFileChannel channel) {
        this.channel = channel;
    }

    static ChannelFile open(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... onCreate)
            throws IOException {
        return new ChannelFile(
                AsynchronousFileChannel.open(path, options, InlineExecutor.INSTANCE, onCreate));
    }

    @Override
    public int read(long position, ByteBuffer target) throws IOException {
        return await(channel.read(target, position));
    }

    @Override
    public int write(long position, ByteBuffer source) throws IOException {
        return await(channel.write(source, position));
    }

    @Override
    public void force(boolean metadata) throws IOException {
        channel.force(metadata);
    }

    @Override
    public long length() throws IOException {
        return channel.size();
    }

    @Override
    public void truncate(long length) throws IOException {
        channel.truncate(length);
    }

    /** The lock on the whole file; null if another process has it. */
    FileLock tryLock() throws IOException {
        return channel.tryLock();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }

    /** Waits for a transfer whatever happens; an interrupt is kept for the caller. */
    static int await(Future<Integer> transfer) throws IOException {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return transfer.get();
                } catch (InterruptedException theFlagIsPutBackBelow) {
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException
                    ? (IOException) e.getCause()
                    : new IOException("transfer failed", e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
