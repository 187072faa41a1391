// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.FormatException;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;

/**
 * The birth of a store: it exists from the moment its identity has its final name.
 *
 * <p>The caller holds the directory's lock throughout.
 */
public final class StoreCreation {
    /*
     * The order: the identity under its unborn name, durable; then all other files, each synced;
     * then their directories; then the rename, durable. So whatever a crash leaves of a store that
     * was never born bears the unborn name, and can be told from a born store that lost its
     * identity, whose files nobody may remove. Before the unborn name is durable there is nothing
     * else in the directory.
     */

    private StoreCreation() {}

    /** What a directory holds. */
    public enum State {
        /** Nothing, or only the lock file. */
        EMPTY,
        /** The remains of a creation that did not end; {@link #clean} removes them. */
        UNBORN,
        /** A store. */
        BORN
    }

    /**
     * Looks at the names in the directory; changes nothing.
     *
     * @throws FormatException if it holds something else than a store
     */
    public static State inspect(StorageDirectory directory) throws IOException {
        List<String> names = directory.list("");
        if (names.contains(StoreFiles.IDENTITY)) {
            return State.BORN;
        }
        for (String name : names) {
            if (!StoreFiles.isOurs(name)) {
                throw refused(directory, "directory holds no store and is not empty", name);
            }
        }
        for (String name : redoAndDoublewrite(directory)) {
            if (!StoreFiles.isRedoFile(name) && !StoreFiles.isDoublewriteFile(name)) {
                throw refused(directory, "directory holds no store and is not empty", name);
            }
            names = with(names, name);
        }
        if (names.contains(StoreFiles.IDENTITY_NEW)) {
            return State.UNBORN;
        }
        if (!names.isEmpty()) {
            throw refused(directory, "store has lost its identity", names.get(0));
        }
        return State.EMPTY;
    }

    /**
     * Removes what an unborn store left; the unborn name goes last, so that a crash in between
     * leaves an unborn store again.
     */
    public static void clean(StorageDirectory directory) throws IOException {
        for (String name : redoAndDoublewrite(directory)) {
            directory.delete(name);
        }
        for (String name : directory.list("")) {
            if (!name.equals(StoreFiles.IDENTITY_NEW)) {
                directory.delete(name);
            }
        }
        syncNames(directory);
        directory.delete(StoreFiles.IDENTITY_NEW);
        directory.syncDirectory("");
    }

    /** The first step in an empty directory: the unborn identity and the subdirectories. */
    public static void begin(StorageDirectory directory, StoreIdentity identity)
            throws IOException {
        identity.writeNew(directory);
        directory.createDirectory(StoreFiles.REDO_DIRECTORY);
        directory.createDirectory(StoreFiles.DOUBLEWRITE_DIRECTORY);
    }

    /** The last step, when all files are there and each of them is synced. */
    public static void finish(StorageDirectory directory) throws IOException {
        if (!TestHooks.fault(PlantedFault.NO_DIRECTORY_SYNC)) {
            directory.syncDirectory(StoreFiles.REDO_DIRECTORY);
            directory.syncDirectory(StoreFiles.DOUBLEWRITE_DIRECTORY);
            directory.syncDirectory("");
        }
        directory.rename(StoreFiles.IDENTITY_NEW, StoreFiles.IDENTITY);
        directory.syncDirectory("");
    }

    /**
     * Makes the names of a store durable, whoever gave them. A process that was killed between a
     * change of names and its sync leaves what looks done and is not; what is committed from now on
     * would rest on it (P11a).
     */
    public static void syncNames(StorageDirectory directory) throws IOException {
        for (String subdirectory : presentSubdirectories(directory)) {
            directory.syncDirectory(subdirectory);
        }
        directory.syncDirectory("");
    }

    private static List<String> redoAndDoublewrite(StorageDirectory directory) throws IOException {
        List<String> names = new ArrayList<>();
        for (String subdirectory : presentSubdirectories(directory)) {
            names.addAll(directory.list(subdirectory));
        }
        return names;
    }

    private static List<String> presentSubdirectories(StorageDirectory directory)
            throws IOException {
        List<String> present = new ArrayList<>();
        for (String subdirectory :
                List.of(StoreFiles.REDO_DIRECTORY, StoreFiles.DOUBLEWRITE_DIRECTORY)) {
            try {
                directory.list(subdirectory);
                present.add(subdirectory);
            } catch (NoSuchFileException notCreatedYet) {
                // A crash came before the subdirectory was made, so there is nothing in it.
            }
        }
        return present;
    }

    private static List<String> with(List<String> names, String name) {
        List<String> more = new ArrayList<>(names);
        more.add(name);
        return more;
    }

    private static FormatException refused(
            StorageDirectory directory, String what, String firstName) {
        return new FormatException(
                what, directory.describe(), "a store or an empty directory", "file=" + firstName);
    }
}
