// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Locale;

/** Tells kinds of IO errors apart that call for different reactions. */
public final class StorageErrors {
    /*
     * The JDK gives the system's own words and no error number. These are parts of the words for
     * ENOSPC, EDQUOT and EFBIG on Unix systems and for ERROR_DISK_FULL on Windows, in English and
     * the C locale, which is what a JVM has that does not call setlocale. Where a system speaks
     * another language the error is not recognised and counts as any other IO error, which stops
     * more than it must but loses nothing.
     */

    private static final List<String> NO_SPACE =
            List.of(
                    "no space left",
                    "quota exceeded",
                    "file too large",
                    "not enough space",
                    "disk full");

    private static final int CAUSES_MAX = 16;

    private StorageErrors() {}

    /**
     * What has the name of a file that a directory does not list or that does not exist there, in
     * words: "none", unless something that is no file has it.
     */
    public static String whatStandsAt(StorageDirectory directory, String name) throws IOException {
        try {
            directory.open(name).close();
            return "a file, that came later";
        } catch (NoSuchFileException none) {
            return "none";
        } catch (NotRegularFileException other) {
            return other.kind();
        }
    }

    /** Whether the error says that there is no room: full disk, quota, or file size limit. */
    public static boolean isSpaceExhausted(IOException error) {
        Throwable cause = error;
        for (int depth = 0; cause != null && depth < CAUSES_MAX; depth++) {
            String message = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
            if (NO_SPACE.stream().anyMatch(message::contains)) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }
}
