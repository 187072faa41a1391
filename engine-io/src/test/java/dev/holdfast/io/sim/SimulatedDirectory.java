// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import dev.holdfast.io.file.DirectoryLock;
import dev.holdfast.io.file.DirectoryLockedException;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.file.StorageName;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;

/** The directory of a {@link SimulatedDisk} as one program has it open. */
final class SimulatedDirectory implements StorageDirectory {
    private static final String LOCK_HOLDER =
            "pid=" + ProcessHandle.current().pid() + ", disk=simulated";

    private final SimulatedDisk disk;
    private volatile boolean isClosed;

    SimulatedDirectory(SimulatedDisk disk) {
        this.disk = disk;
    }

    @Override
    public StorageFile create(String name) throws IOException {
        StorageName.checkFile(name);
        requireOpen();
        Fault fault = begin(Operation.CREATE, name);
        SimulatedFile file;
        synchronized (disk.monitor()) {
            requireDirectory(name, StorageName.directoryOf(name));
            if (disk.state().names().find(name) != null) {
                throw new FileAlreadyExistsException(name);
            }
            int inode = disk.state().nextInode();
            disk.append(new Event.Named(NameChange.Kind.CREATE, null, name, inode));
            file = newHandle(inode, name);
        }
        if (fault != null) {
            file.close();
            throw disk.failed(fault, Operation.CREATE, name, 0, 0);
        }
        return file;
    }

    @Override
    public StorageFile open(String name) throws IOException {
        StorageName.checkFile(name);
        requireOpen();
        begin(Operation.OPEN, name);
        synchronized (disk.monitor()) {
            return newHandle(disk.inodeOf(name), name);
        }
    }

    @Override
    public boolean exists(String name) throws IOException {
        StorageName.checkFile(name);
        requireOpen();
        disk.requirePlugged(Operation.OPEN, name, 0, 0);
        synchronized (disk.monitor()) {
            Integer inode = disk.state().names().find(name);
            return inode != null && inode != NameTable.DIRECTORY;
        }
    }

    @Override
    public List<String> list(String subdirectory) throws IOException {
        StorageName.checkDirectory(subdirectory);
        requireOpen();
        disk.requirePlugged(Operation.OPEN, subdirectory, 0, 0);
        synchronized (disk.monitor()) {
            requireDirectory(subdirectory, subdirectory);
            List<String> names = new ArrayList<>();
            disk.state()
                    .names()
                    .visible()
                    .forEach(
                            (name, inode) -> {
                                if (inode != NameTable.DIRECTORY
                                        && StorageName.directoryOf(name).equals(subdirectory)) {
                                    names.add(name);
                                }
                            });
            return names;
        }
    }

    @Override
    public void createDirectory(String name) throws IOException {
        StorageName.checkSubdirectory(name);
        requireOpen();
        Fault fault = begin(Operation.MAKE_DIRECTORY, name);
        synchronized (disk.monitor()) {
            Integer inode = disk.state().names().find(name);
            if (inode == null) {
                disk.append(
                        new Event.Named(
                                NameChange.Kind.MAKE_DIRECTORY, null, name, NameTable.DIRECTORY));
            } else if (inode != NameTable.DIRECTORY) {
                throw new FileAlreadyExistsException(name);
            }
        }
        failAfter(fault, Operation.MAKE_DIRECTORY, name);
    }

    @Override
    public void delete(String name) throws IOException {
        StorageName.checkFile(name);
        requireOpen();
        Fault fault = begin(Operation.DELETE, name);
        synchronized (disk.monitor()) {
            int inode = disk.inodeOf(name);
            requireShared(inode, name);
            disk.append(new Event.Named(NameChange.Kind.DELETE, name, null, inode));
            disk.forgetDeleted();
        }
        failAfter(fault, Operation.DELETE, name);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        StorageName.checkFile(from);
        StorageName.checkFile(to);
        requireOpen();
        Fault fault = begin(Operation.RENAME, from);
        synchronized (disk.monitor()) {
            int inode = disk.inodeOf(from);
            requireDirectory(to, StorageName.directoryOf(to));
            Integer replaced = disk.state().names().find(to);
            if (replaced != null) {
                if (replaced == NameTable.DIRECTORY) {
                    throw new FileSystemException(from, to, "Is a directory");
                }
                requireShared(replaced, to);
            }
            disk.append(new Event.Named(NameChange.Kind.RENAME, from, to, inode));
        }
        failAfter(fault, Operation.RENAME, from);
    }

    @Override
    public void syncDirectory(String subdirectory) throws IOException {
        StorageName.checkDirectory(subdirectory);
        requireOpen();
        long beganAt;
        synchronized (disk.monitor()) {
            requireDirectory(subdirectory, subdirectory);
            beganAt = disk.state().sequence();
            disk.append(new Event.DirectorySyncBegun(subdirectory));
        }
        Fault fault = disk.begin(Operation.SYNC_DIRECTORY, subdirectory, 0, 0);
        boolean isError = fault != null && fault.is(Fault.Effect.ERROR);
        SyncOutcome outcome =
                fault == null ? SyncOutcome.DURABLE : isError ? SyncOutcome.LIED : fault.outcome();
        synchronized (disk.monitor()) {
            disk.append(new Event.DirectorySyncEnded(subdirectory, beganAt, outcome));
            disk.forgetDeleted();
        }
        if (isError || !outcome.reportsSuccess()) {
            disk.injected(Injection.SYNC_FAILED, fault);
            throw SimulatedDisk.failure(
                    Operation.SYNC_DIRECTORY, subdirectory, 0, 0, fault.message());
        }
        if (outcome == SyncOutcome.LIED) {
            disk.injected(Injection.SYNC_LIED, fault);
        } else if (fault != null) {
            fault.act();
        }
    }

    @Override
    public DirectoryLock lock() throws IOException {
        requireOpen();
        synchronized (disk.monitor()) {
            if (disk.holder() != null) {
                throw new DirectoryLockedException(describe(), disk.holder());
            }
            disk.holder(LOCK_HOLDER);
        }
        return new Lock(disk);
    }

    @Override
    public String describe() {
        return "simulated disk";
    }

    @Override
    public void close() {
        isClosed = true;
    }

    /** A fault that lets the request fail after it has happened; null if none does. */
    private Fault begin(Operation operation, String name) throws IOException {
        Fault fault = disk.begin(operation, name, 0, 0);
        if (fault != null && fault.arrival() == Fault.Arrival.NONE) {
            throw disk.failed(fault, operation, name, 0, 0);
        }
        return fault;
    }

    private void failAfter(Fault fault, Operation operation, String name) throws IOException {
        if (fault != null) {
            throw disk.failed(fault, operation, name, 0, 0);
        }
    }

    private void requireOpen() throws IOException {
        if (isClosed) {
            throw new IOException("directory is closed: directory=" + describe());
        }
    }

    private void requireDirectory(String name, String directory) throws NoSuchFileException {
        if (!directory.isEmpty()) {
            Integer inode = disk.state().names().find(directory);
            if (inode == null || inode != NameTable.DIRECTORY) {
                throw new NoSuchFileException(name);
            }
        }
    }

    private void requireShared(int inode, String name) throws FileSystemException {
        if (disk.isOpen(inode) && disk.faults().violatesSharing()) {
            disk.injected(Injection.SHARING_VIOLATED);
            throw new FileSystemException(name, null, "The file is being used by another process");
        }
    }

    private SimulatedFile newHandle(int inode, String name) {
        disk.opened(inode, name);
        return new SimulatedFile(disk, inode, name);
    }

    /** The lock, held until it is closed. */
    private static final class Lock implements DirectoryLock {
        private final SimulatedDisk disk;
        private boolean isReleased;

        Lock(SimulatedDisk disk) {
            this.disk = disk;
        }

        @Override
        public String holder() {
            return LOCK_HOLDER;
        }

        @Override
        public void close() {
            synchronized (disk.monitor()) {
                if (!isReleased) {
                    isReleased = true;
                    disk.holder(null);
                }
            }
        }
    }
}
