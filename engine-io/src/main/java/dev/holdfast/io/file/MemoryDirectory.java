// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * A directory in memory: the twin of {@link FileSystemDirectory} for engines without a disk and for
 * tests that open thousands of them.
 *
 * <p>What is written lives as long as a directory on it is reachable; {@link #reopen} gives another
 * one, as opening the same path again does on a disk. There is nothing to be lost by a crash and so
 * nothing that a sync does, but to be counted.
 */
public final class MemoryDirectory implements StorageDirectory {

    private final Names names;
    private volatile boolean isClosed;

    private MemoryDirectory(Names names) {
        this.names = names;
    }

    /** A new, empty directory. */
    public static MemoryDirectory create() {
        return new MemoryDirectory(new Names());
    }

    /** A directory with the same files; this one need not be open. */
    public MemoryDirectory reopen() {
        return new MemoryDirectory(names);
    }

    @Override
    public StorageFile create(String name) throws IOException {
        checkOpen();
        return new MemoryFile(name, names.create(StorageName.checkFile(name)));
    }

    @Override
    public StorageFile open(String name) throws IOException {
        checkOpen();
        return new MemoryFile(name, names.find(StorageName.checkFile(name)));
    }

    @Override
    public boolean exists(String name) throws IOException {
        checkOpen();
        return names.exists(StorageName.checkFile(name));
    }

    @Override
    public List<String> list(String subdirectory) throws IOException {
        checkOpen();
        return names.list(StorageName.checkDirectory(subdirectory));
    }

    @Override
    public void createDirectory(String name) throws IOException {
        checkOpen();
        names.createDirectory(StorageName.checkSubdirectory(name));
    }

    @Override
    public void delete(String name) throws IOException {
        checkOpen();
        names.delete(StorageName.checkFile(name));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        checkOpen();
        names.rename(StorageName.checkFile(from), StorageName.checkFile(to));
    }

    @Override
    public void syncDirectory(String subdirectory) throws IOException {
        checkOpen();
        names.checkDirectoryExists(StorageName.checkDirectory(subdirectory));
    }

    @Override
    public DirectoryLock lock() throws IOException {
        checkOpen();
        return names.lock(describe());
    }

    @Override
    public String describe() {
        return "memory@" + Integer.toHexString(System.identityHashCode(names));
    }

    @Override
    public void close() {
        isClosed = true;
    }

    private void checkOpen() throws IOException {
        if (isClosed) {
            throw new IOException("directory is closed: " + describe());
        }
    }

    /** What directories of the same memory share. All state is guarded by the monitor. */
    private static final class Names {
        private final TreeMap<String, MemoryContent> files = new TreeMap<>();
        private final Set<String> directories = new HashSet<>(Set.of(""));
        private boolean isLocked;

        synchronized MemoryContent create(String name) throws IOException {
            checkDirectoryExists(StorageName.directoryOf(name));
            if (files.containsKey(name) || directories.contains(name)) {
                throw new FileAlreadyExistsException(name);
            }
            MemoryContent content = new MemoryContent();
            files.put(name, content);
            return content;
        }

        synchronized MemoryContent find(String name) throws IOException {
            MemoryContent content = files.get(name);
            if (content == null) {
                throw new NoSuchFileException(name);
            }
            return content;
        }

        synchronized boolean exists(String name) {
            return files.containsKey(name);
        }

        synchronized List<String> list(String directory) throws IOException {
            checkDirectoryExists(directory);
            List<String> found = new ArrayList<>();
            for (String name : files.keySet()) {
                if (StorageName.directoryOf(name).equals(directory)) {
                    found.add(name);
                }
            }
            return found;
        }

        synchronized void createDirectory(String name) throws IOException {
            if (files.containsKey(name)) {
                throw new FileAlreadyExistsException(name);
            }
            directories.add(name);
        }

        synchronized void delete(String name) throws IOException {
            find(name);
            files.remove(name);
        }

        synchronized void rename(String from, String to) throws IOException {
            MemoryContent content = find(from);
            checkDirectoryExists(StorageName.directoryOf(to));
            if (directories.contains(to)) {
                throw new FileAlreadyExistsException(to);
            }
            files.remove(from);
            files.put(to, content);
        }

        synchronized void checkDirectoryExists(String directory) throws IOException {
            if (!directories.contains(directory)) {
                throw new NoSuchFileException(directory);
            }
        }

        synchronized DirectoryLock lock(String description) throws IOException {
            String holder = ProcessIdentity.describe();
            if (isLocked) {
                throw new DirectoryLockedException(description, holder + ", sameJvm=true");
            }
            isLocked = true;
            return new MemoryLock(this, holder);
        }

        synchronized void unlock() {
            isLocked = false;
        }
    }

    /** The lock of this memory. */
    private static final class MemoryLock implements DirectoryLock {
        private final Names names;
        private final String holder;
        private boolean isReleased; // guarded by names

        MemoryLock(Names names, String holder) {
            this.names = names;
            this.holder = holder;
        }

        @Override
        public String holder() {
            return holder;
        }

        @Override
        public void close() {
            synchronized (names) {
                if (!isReleased) {
                    isReleased = true;
                    names.unlock();
                }
            }
        }
    }
}
