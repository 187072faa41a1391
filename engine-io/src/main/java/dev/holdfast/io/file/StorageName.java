// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.util.regex.Pattern;

/** The rules for names that every {@link StorageDirectory} applies. */
public final class StorageName {

    private static final Pattern PART = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}");

    private StorageName() {}

    /** Returns the name of a file, or refuses it. */
    public static String checkFile(String name) {
        int slash = name.indexOf('/');
        boolean isGood =
                slash < 0
                        ? isPart(name)
                        : isPart(name.substring(0, slash)) && isPart(name.substring(slash + 1));
        if (!isGood || name.equalsIgnoreCase(StorageDirectory.LOCK_NAME)) {
            throw new IllegalArgumentException("not the name of a file in a store: name=" + name);
        }
        return name;
    }

    /** Returns the name of a subdirectory, or refuses it. */
    public static String checkSubdirectory(String name) {
        if (!isPart(name) || name.equalsIgnoreCase(StorageDirectory.LOCK_NAME)) {
            throw new IllegalArgumentException(
                    "not the name of a subdirectory of a store: name=" + name);
        }
        return name;
    }

    /** Returns the name of a subdirectory, or empty for the root, or refuses it. */
    public static String checkDirectory(String name) {
        return name.isEmpty() ? name : checkSubdirectory(name);
    }

    /** The subdirectory that a file's name says, empty for the root. */
    public static String directoryOf(String name) {
        int slash = name.indexOf('/');
        return slash < 0 ? "" : name.substring(0, slash);
    }

    private static boolean isPart(String part) {
        return PART.matcher(part).matches();
    }
}
