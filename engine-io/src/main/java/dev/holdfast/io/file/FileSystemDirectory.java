// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/** A directory of the operating system's file system. */
public final class FileSystemDirectory implements StorageDirectory {
    /*
     * Only regular files are opened, and a symbolic link in the place of one is refused: a store's
     * files are its own. Files and directories are made for their owner alone, by attributes of the
     * creating call, so there is no moment in which others can open them.
     *
     * Directories are synced through an AsynchronousFileChannel as well. A FileChannel used for
     * that alone would throw on a pending interrupt, and the sync would silently not have happened.
     * Windows cannot open a directory; its file system journals names by itself.
     *
     * Calls of virtual threads go to the executor, whose threads are shared by all files of the
     * directory and are started by the first such call.
     */

    private static final FileAttribute<?>[] NO_ATTRIBUTES = {};
    private static final boolean CAN_SYNC_DIRECTORIES =
            !System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows");

    private final Path root;
    private final FileMode mode;
    private final Set<OpenOption> openOptions;
    private final FileAttribute<?>[] fileAttributes;
    private final FileAttribute<?>[] directoryAttributes;
    private final BlockingExecutor executor;
    private volatile boolean isClosed;

    private FileSystemDirectory(Path root, FileMode mode) throws IOException {
        this.root = root;
        this.mode = mode;
        Set<OpenOption> options = new HashSet<>();
        options.add(StandardOpenOption.READ);
        options.add(StandardOpenOption.WRITE);
        options.add(LinkOption.NOFOLLOW_LINKS);
        if (mode == FileMode.DIRECT) {
            options.add(DirectOption.find());
        }
        openOptions = Set.copyOf(options);
        fileAttributes = ownerOnly(root, "rw-------");
        directoryAttributes = ownerOnly(root, "rwx------");
        executor = new BlockingExecutor(BlockingExecutor.THREADS_DEFAULT);
    }

    /**
     * Opens an existing directory.
     *
     * @throws NoSuchFileException if it does not exist
     * @throws NotDirectoryException if it is something else
     * @throws IOException also if this JDK lacks the wanted mode
     */
    public static FileSystemDirectory open(Path directory, FileMode mode) throws IOException {
        Path root = directory.toRealPath();
        if (!Files.isDirectory(root)) {
            throw new NotDirectoryException(root.toString());
        }
        return new FileSystemDirectory(root, mode);
    }

    /**
     * Opens a directory and first creates it, accessible to its owner only, and its parents if they
     * are absent. The new names are durable on return.
     */
    public static FileSystemDirectory create(Path directory, FileMode mode) throws IOException {
        Path absolute = directory.toAbsolutePath().normalize();
        List<Path> absent = new ArrayList<>();
        for (Path path = absolute; path != null && !Files.exists(path); path = path.getParent()) {
            absent.add(path);
        }
        Collections.reverse(absent);
        for (Path path : absent) {
            createIfAbsent(path, ownerOnly(path, "rwx------"));
            syncPath(path.getParent());
        }
        return open(absolute, mode);
    }

    @Override
    public StorageFile create(String name) throws IOException {
        Path path = resolveFile(name);
        Set<OpenOption> options = new HashSet<>(openOptions);
        options.add(StandardOpenOption.CREATE_NEW);
        return onThread(() -> openPath(name, path, options, fileAttributes));
    }

    @Override
    public StorageFile open(String name) throws IOException {
        Path path = resolveFile(name);
        return onThread(
                () -> {
                    checkRegular(path);
                    return openPath(name, path, openOptions, NO_ATTRIBUTES);
                });
    }

    private StorageFile openPath(
            String name, Path path, Set<OpenOption> options, FileAttribute<?>[] attributes)
            throws IOException {
        try {
            return new FileSystemFile(
                    name, ChannelFile.open(path, options, attributes), mode, executor);
        } catch (UnsupportedOperationException e) {
            throw directRefused(path, e);
        } catch (FileSystemException e) {
            if (mode == FileMode.DIRECT && "Invalid argument".equals(e.getReason())) {
                throw directRefused(path, e);
            }
            throw e;
        }
    }

    private static IOException directRefused(Path path, Exception cause) {
        return new IOException(
                "direct file mode is refused by the file system: path=" + path, cause);
    }

    @Override
    public boolean exists(String name) throws IOException {
        Path path = resolveFile(name);
        return onThread(() -> Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS));
    }

    @Override
    public List<String> list(String subdirectory) throws IOException {
        Path directory = resolveDirectory(subdirectory);
        String prefix = subdirectory.isEmpty() ? "" : subdirectory + "/";
        return onThread(
                () -> {
                    List<String> names = new ArrayList<>();
                    try (DirectoryStream<Path> paths = Files.newDirectoryStream(directory)) {
                        for (Path path : paths) {
                            String file = path.getFileName().toString();
                            if (!(prefix + file).equals(LOCK_NAME)
                                    && Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
                                names.add(prefix + file);
                            }
                        }
                    } catch (DirectoryIteratorException e) {
                        throw e.getCause();
                    }
                    Collections.sort(names);
                    return names;
                });
    }

    @Override
    public void createDirectory(String name) throws IOException {
        checkOpen();
        Path path = root.resolve(StorageName.checkSubdirectory(name));
        onThread(() -> createIfAbsent(path, directoryAttributes));
    }

    @Override
    public void delete(String name) throws IOException {
        Path path = resolveFile(name);
        onThread(
                () -> {
                    checkRegular(path);
                    Files.delete(path);
                    return path;
                });
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Path source = resolveFile(from);
        Path target = resolveFile(to);
        onThread(
                () -> {
                    checkRegular(source);
                    return Files.move(
                            source,
                            target,
                            StandardCopyOption.ATOMIC_MOVE,
                            StandardCopyOption.REPLACE_EXISTING);
                });
    }

    @Override
    public void syncDirectory(String subdirectory) throws IOException {
        Path directory = resolveDirectory(subdirectory);
        onThread(() -> syncPath(directory));
    }

    @Override
    public DirectoryLock lock() throws IOException {
        checkOpen();
        return onThread(() -> FileDirectoryLock.take(root, describe(), fileAttributes));
    }

    @Override
    public String describe() {
        return root.toString();
    }

    @Override
    public void close() throws IOException {
        isClosed = true;
        executor.close();
    }

    /** The executor that virtual threads use, for tests. */
    BlockingExecutor executor() {
        return executor;
    }

    private Path resolveFile(String name) throws IOException {
        checkOpen();
        return root.resolve(StorageName.checkFile(name));
    }

    private Path resolveDirectory(String name) throws IOException {
        checkOpen();
        return root.resolve(StorageName.checkDirectory(name));
    }

    private void checkOpen() throws IOException {
        if (isClosed) {
            throw new IOException("directory is closed: " + describe());
        }
    }

    private <T> T onThread(PathWork<T> work) throws IOException {
        if (!VirtualThreads.isCurrentVirtual()) {
            return work.run();
        }
        AtomicReference<T> result = new AtomicReference<>();
        executor.call(() -> result.set(work.run()));
        return result.get();
    }

    private static void checkRegular(Path path) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile()) {
            throw new NotRegularFileException(path.toString(), attributes);
        }
    }

    private static Path createIfAbsent(Path path, FileAttribute<?>[] attributes)
            throws IOException {
        try {
            return Files.createDirectory(path, attributes);
        } catch (FileAlreadyExistsException e) {
            if (Files.isDirectory(path)) {
                return path;
            }
            throw e;
        }
    }

    private static Path syncPath(Path directory) throws IOException {
        if (CAN_SYNC_DIRECTORIES) {
            ChannelFile file = ChannelFile.open(directory, Set.of(StandardOpenOption.READ));
            try {
                file.force(true);
            } finally {
                file.close();
            }
        }
        return directory;
    }

    private static FileAttribute<?>[] ownerOnly(Path path, String permissions) {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return NO_ATTRIBUTES;
        }
        return new FileAttribute<?>[] {
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        };
    }

    /** Work on paths. */
    private interface PathWork<T> {
        T run() throws IOException;
    }
}
