// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/** The lock on a real directory: an entry in the JVM's registry, then the system's lock. */
final class FileDirectoryLock implements DirectoryLock {
    /*
     * The lock is the operating system's, on the whole of the file `lock`; what the file says is
     * information for others. So a file left by a killed process is no obstacle.
     *
     * Order: registry, open, lock, write. A holder in this JVM is found before the file is opened,
     * since to close a second descriptor would drop the holder's lock. Should the registry not
     * know of a holder in this JVM (the host replaced the system properties, and the holder is of
     * another class loader), the JDK's own table does, and then the descriptor that was opened in
     * vain must not be closed either: it is kept for good in ABANDONED.
     */

    private static final int HOLDER_BYTES_MAX = 512;
    private static final ConcurrentLinkedQueue<ChannelFile> ABANDONED =
            new ConcurrentLinkedQueue<>();

    private final ChannelFile file;
    private final List<String> keys;
    private final String holder;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private FileDirectoryLock(ChannelFile file, List<String> keys, String holder) {
        this.file = file;
        this.keys = keys;
        this.holder = holder;
    }

    /**
     * Takes the lock.
     *
     * @param root the directory's real path
     * @param description the directory for messages
     * @throws DirectoryLockedException if somebody has it
     */
    static FileDirectoryLock take(Path root, String description, FileAttribute<?>... onCreate)
            throws IOException {
        List<String> keys = keysOf(root);
        LockRegistry.Entry entry = LockRegistry.tryEnter(keys, ProcessIdentity.describe());
        if (!entry.isEntered()) {
            throw new DirectoryLockedException(description, entry.holder() + ", sameJvm=true");
        }
        boolean taken = false;
        try {
            ChannelFile file = lockFile(root, description, onCreate);
            taken = true;
            return new FileDirectoryLock(file, keys, entry.holder());
        } finally {
            if (!taken) {
                LockRegistry.leave(keys);
            }
        }
    }

    private static ChannelFile lockFile(Path root, String description, FileAttribute<?>... onCreate)
            throws IOException {
        ChannelFile file =
                ChannelFile.open(
                        root.resolve(StorageDirectory.LOCK_NAME),
                        Set.of(
                                StandardOpenOption.CREATE,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE,
                                LinkOption.NOFOLLOW_LINKS),
                        onCreate);
        boolean locked = false;
        try {
            locked = file.tryLock() != null;
            if (!locked) {
                throw new DirectoryLockedException(description, readHolder(file));
            }
        } catch (OverlappingFileLockException e) {
            ABANDONED.add(file);
            locked = true; // by somebody else in this JVM: the file must stay open
            DirectoryLockedException inUse =
                    new DirectoryLockedException(description, readHolder(file) + ", sameJvm=true");
            inUse.initCause(e);
            throw inUse;
        } finally {
            if (!locked) {
                file.close();
            }
        }
        writeHolder(file);
        return file;
    }

    private static List<String> keysOf(Path root) throws IOException {
        List<String> keys = new ArrayList<>();
        keys.add("path:" + root);
        Object fileKey = Files.readAttributes(root, BasicFileAttributes.class).fileKey();
        if (fileKey != null) {
            keys.add("key:" + fileKey);
        }
        return List.copyOf(keys);
    }

    private static void writeHolder(ChannelFile file) {
        byte[] text = (ProcessIdentity.describe() + "\n").getBytes(UTF_8);
        ByteBuffer source = ByteBuffer.allocateDirect(text.length).put(text).flip();
        try {
            while (source.hasRemaining()) {
                file.write(source.position(), source);
            }
            // Cut afterwards: a file that is emptied first is flushed at close by some systems.
            file.truncate(text.length);
        } catch (IOException theLockIsHeldAllTheSame) {
            // On a full disk, say. The text only helps others to name the holder.
        }
    }

    /** What the file says of its holder, made fit for a message: anybody may have written it. */
    private static String readHolder(ChannelFile file) {
        ByteBuffer target = ByteBuffer.allocateDirect(HOLDER_BYTES_MAX);
        try {
            if (file.read(0, target) <= 0) {
                return "unknown";
            }
        } catch (IOException e) {
            return "unknown, reason=" + e.getMessage();
        }
        byte[] text = new byte[target.flip().remaining()];
        target.get(text);
        return new String(text, UTF_8).strip().replaceAll("[^\\x20-\\x7E]", "?");
    }

    @Override
    public String holder() {
        return holder;
    }

    @Override
    public void close() throws IOException {
        if (isClosed.compareAndSet(false, true)) {
            try {
                file.close();
            } finally {
                LockRegistry.leave(keys);
            }
        }
    }
}
