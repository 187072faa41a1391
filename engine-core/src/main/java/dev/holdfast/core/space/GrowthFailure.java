// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import java.io.IOException;
import java.util.Locale;

/** Tells a disk without room from a disk that is broken, by what the operating system said. */
final class GrowthFailure {
    /*
     * The JDK gives the system's text and no code. A quota and a limit on the file's length are a
     * lack of room, too. The texts are those of Linux, macOS and Windows in English and the C
     * locale, which is what strerror gives a JVM that does not call setlocale.
     */
    private static final String[] NO_ROOM = {
        "no space left", "quota exceeded", "file too large", "not enough space", "disk full"
    };

    private GrowthFailure() {}

    /** Whether the write failed for lack of room, so that it may succeed later. */
    static boolean isNoRoom(IOException failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            String text = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
            for (String sign : NO_ROOM) {
                if (text.contains(sign)) {
                    return true;
                }
            }
        }
        return false;
    }
}
