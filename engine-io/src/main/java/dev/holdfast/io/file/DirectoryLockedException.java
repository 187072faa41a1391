// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.io.IOException;

/** The store's directory is in use by somebody else, in this process or in another. */
public final class DirectoryLockedException extends IOException {

    private static final long serialVersionUID = 1L;

    private final String holder;

    /**
     * Names the directory and its holder.
     *
     * @param directory the directory as {@link StorageDirectory#describe} tells it
     * @param holder what is known of the holder
     */
    public DirectoryLockedException(String directory, String holder) {
        super("directory is locked: directory=" + directory + ", holder=" + holder);
        this.holder = holder;
    }

    /** What is known of the holder: process id, host and start time. */
    public String holder() {
        return holder;
    }
}
