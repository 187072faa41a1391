// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.io.IOException;
import java.util.List;

/**
 * A store's directory: the files in it and in its direct subdirectories.
 *
 * <p>A name is {@code file} or {@code subdirectory/file}, each part of letters, digits, dots,
 * dashes and underscores, not beginning with a dot; {@link StorageName} holds the rule. The name
 * {@code lock} belongs to {@link #lock} and is refused everywhere else. A bad name is an {@code
 * IllegalArgumentException}.
 *
 * <p>Safe for use by many threads. Interrupts do no harm, as {@link StorageFile} says. Changes of
 * names are durable only after {@link #syncDirectory} of the directory they happened in.
 */
public interface StorageDirectory extends AutoCloseable {

    /** The name of the lock file, opened by nothing but {@link #lock}. */
    String LOCK_NAME = "lock";

    /**
     * Creates an empty file, readable and writable by its owner only, and opens it.
     *
     * @throws java.nio.file.FileAlreadyExistsException if the name is taken
     * @throws java.nio.file.NoSuchFileException if the subdirectory does not exist
     */
    StorageFile create(String name) throws IOException;

    /**
     * Opens an existing file. Each call gives a handle of its own.
     *
     * @throws java.nio.file.NoSuchFileException if there is none
     */
    StorageFile open(String name) throws IOException;

    /** Whether there is a file of that name. */
    boolean exists(String name) throws IOException;

    /**
     * The files of one directory, sorted by name; neither directories nor the lock file are among
     * them.
     *
     * @param subdirectory the directory's name, or empty for the root
     * @return names as {@link #open} takes them
     * @throws java.nio.file.NoSuchFileException if there is no such directory
     */
    List<String> list(String subdirectory) throws IOException;

    /** Creates a subdirectory of the root, accessible to its owner only, if it is absent. */
    void createDirectory(String name) throws IOException;

    /**
     * Removes a file's name. Handles should be closed before: what open ones still do depends on
     * the system.
     *
     * @throws java.nio.file.NoSuchFileException if there is none
     */
    void delete(String name) throws IOException;

    /**
     * Gives a file another name in one step, replacing a file that has it.
     *
     * @throws java.nio.file.NoSuchFileException if there is no file {@code from}
     */
    void rename(String from, String to) throws IOException;

    /**
     * Makes the names in one directory durable: creations, deletions, renames.
     *
     * @param subdirectory the directory's name, or empty for the root
     */
    void syncDirectory(String subdirectory) throws IOException;

    /**
     * Takes the store for this owner alone, among all processes and within this one.
     *
     * @throws DirectoryLockedException if somebody has it; nothing was written then
     */
    DirectoryLock lock() throws IOException;

    /** What and where this is, for messages. */
    String describe();

    /**
     * Releases what the directory itself owns; open files and the lock are their holders' to close.
     * A second call does nothing; every other call then fails with an {@code IOException}.
     */
    @Override
    void close() throws IOException;
}
