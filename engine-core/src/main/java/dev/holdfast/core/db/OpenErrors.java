// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.AlreadyOpenException;
import dev.holdfast.CorruptionException;
import dev.holdfast.DiskFullException;
import dev.holdfast.EngineException;
import dev.holdfast.FormatException;
import dev.holdfast.StorageException;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.file.DirectoryLockedException;
import dev.holdfast.io.file.NotRegularFileException;
import dev.holdfast.io.file.StorageErrors;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/** Makes the engine's error of whatever ended an open. */
final class OpenErrors {
    private OpenErrors() {}

    /** For a directory that could not even be opened. */
    static RuntimeException ofDirectory(String directory, Exception failure) {
        if (failure instanceof NoSuchFileException || failure instanceof NotDirectoryException) {
            return noStore(directory, "no directory");
        }
        return of(directory, failure);
    }

    static FormatException noStore(String directory, String found) {
        return new FormatException("there is no store", directory, "a store", found);
    }

    /** The first failure of an engine that failed while it was being opened. */
    static Throwable root(EngineHealth health, Throwable failure) {
        Throwable cause = health.cause();
        return cause == null || cause == failure ? failure : cause;
    }

    /** What to throw. Errors are thrown on as they are. */
    static RuntimeException of(String directory, Throwable failure) {
        if (failure instanceof DirectoryLockedException locked) {
            return new AlreadyOpenException(directory, locked.holder(), locked);
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof EngineException || failure instanceof IllegalArgumentException) {
            return (RuntimeException) failure;
        }
        if (failure instanceof NoSuchFileException missing) {
            // What an engine creates, it has; so this is a file of a store that was born.
            return new CorruptionException(
                    "file is missing", missing.getFile(), "a file", "none", missing);
        }
        if (failure instanceof NotRegularFileException other) {
            return new CorruptionException(
                    "file is missing", other.getFile(), "a file", other.kind(), other);
        }
        if (failure instanceof IOException refusal && StorageErrors.isSpaceExhausted(refusal)) {
            return new DiskFullException(directory, 0, refusal);
        }
        return new StorageException(
                "opening failed: directory=" + directory + ", reason=" + reason(failure), failure);
    }

    /** The kind of failure too where the message of the JDK is the path alone. */
    private static String reason(Throwable failure) {
        if (failure instanceof AccessDeniedException denied) {
            return "access denied, file=" + denied.getFile();
        }
        String message = failure.getMessage();
        boolean bare =
                message == null
                        || (failure instanceof FileSystemException of && of.getReason() == null);
        return bare ? failure.toString() : message;
    }
}
