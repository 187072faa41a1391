// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.AlreadyOpenException;
import dev.holdfast.EngineException;
import dev.holdfast.FormatException;
import dev.holdfast.StorageException;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.file.DirectoryLockedException;
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
        return new StorageException(
                "opening failed: directory=" + directory + ", reason=" + failure.getMessage(),
                failure);
    }
}
