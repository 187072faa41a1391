// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

/** The names of a store's files, and which space a name stands for. */
public final class StoreFiles {
    public static final String IDENTITY = "holdfast.id";

    /** What the identity is called until the store is whole; also marks an unborn store. */
    public static final String IDENTITY_NEW = "holdfast.id.new";

    public static final String CHECKPOINT = "checkpoint";

    /** By which the device is measured while the store is not born. */
    public static final String PROBE = "holdfast.probe";

    public static final String REDO_DIRECTORY = "redo";
    public static final String DOUBLEWRITE_DIRECTORY = "doublewrite";

    /** The space of the catalog and of all tables without a space of their own. */
    public static final int MAIN_SPACE = 1;

    /** Undo spaces have the ids from here to below {@link #OWN_SPACE_MIN}. */
    public static final int UNDO_SPACE_MIN = 2;

    public static final int UNDO_SPACE_MAX = 9;

    /** Spaces of single tables have the ids from here on. */
    public static final int OWN_SPACE_MIN = 16;

    /** No space has this id. */
    public static final int NO_SPACE = 0;

    private static final String MAIN = "main.hfs";
    private static final String UNDO_PREFIX = "undo-";
    private static final String OWN_PREFIX = "space-";
    private static final String SPACE_SUFFIX = ".hfs";
    private static final String REDO_SUFFIX = ".hfl";
    private static final String DOUBLEWRITE_SUFFIX = ".hfd";

    private StoreFiles() {}

    public static boolean isUndoSpace(int spaceId) {
        return spaceId >= UNDO_SPACE_MIN && spaceId <= UNDO_SPACE_MAX;
    }

    /** The name of a space's file. */
    public static String spaceFile(int spaceId) {
        if (spaceId == MAIN_SPACE) {
            return MAIN;
        }
        String prefix = isUndoSpace(spaceId) ? UNDO_PREFIX : OWN_PREFIX;
        return prefix + Integer.toUnsignedString(spaceId) + SPACE_SUFFIX;
    }

    /** The space that a file in the root belongs to, or {@link #NO_SPACE}. */
    public static int spaceOf(String name) {
        if (name.equals(MAIN)) {
            return MAIN_SPACE;
        }
        String prefix = name.startsWith(UNDO_PREFIX) ? UNDO_PREFIX : OWN_PREFIX;
        if (!name.startsWith(prefix) || !name.endsWith(SPACE_SUFFIX)) {
            return NO_SPACE;
        }
        int end = name.length() - SPACE_SUFFIX.length();
        try {
            int spaceId = Integer.parseUnsignedInt(name, prefix.length(), end, 10);
            // Only the one spelling that spaceFile() gives: not "space-016.hfs", not "space-1.hfs".
            return spaceId != NO_SPACE && spaceFile(spaceId).equals(name) ? spaceId : NO_SPACE;
        } catch (NumberFormatException notANumber) {
            return NO_SPACE;
        }
    }

    /** Whether a name in the root is one that a store may have; the lock is never listed. */
    static boolean isOurs(String name) {
        return name.equals(IDENTITY)
                || name.equals(IDENTITY_NEW)
                || name.equals(CHECKPOINT)
                || name.equals(PROBE)
                || spaceOf(name) != NO_SPACE;
    }

    static boolean isRedoFile(String name) {
        return name.startsWith(REDO_DIRECTORY + "/") && name.endsWith(REDO_SUFFIX);
    }

    static boolean isDoublewriteFile(String name) {
        return name.startsWith(DOUBLEWRITE_DIRECTORY + "/") && name.endsWith(DOUBLEWRITE_SUFFIX);
    }
}
