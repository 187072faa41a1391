// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.io.IOException;
import java.util.List;

/** Tells kinds of IO errors apart that call for different reactions. */
public final class StorageErrors {
    /*
     * The JDK gives the system's own words and no error number. These are the words of ENOSPC,
     * EDQUOT and EFBIG on Unix systems and of ERROR_DISK_FULL on Windows. Where a system speaks
     * another language the error is not recognised and counts as any other IO error, which stops
     * more than it must but loses nothing.
     */

    private static final List<String> NO_SPACE =
            List.of(
                    "No space left on device",
                    "Disk quota exceeded",
                    "Quota exceeded",
                    "File too large",
                    "There is not enough space on the disk");

    private static final int CAUSES_MAX = 16;

    private StorageErrors() {}

    /** Whether the error says that there is no room: full disk, quota, or file size limit. */
    public static boolean isSpaceExhausted(IOException error) {
        Throwable cause = error;
        for (int depth = 0; cause != null && depth < CAUSES_MAX; depth++) {
            String message = cause.getMessage();
            if (message != null && NO_SPACE.stream().anyMatch(message::contains)) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }
}
