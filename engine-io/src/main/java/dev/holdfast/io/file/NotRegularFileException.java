// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.nio.file.FileSystemException;
import java.nio.file.attribute.BasicFileAttributes;

/** Something that is no file has the name of one. */
public final class NotRegularFileException extends FileSystemException {
    private static final long serialVersionUID = 1L;

    private final String kind;

    NotRegularFileException(String path, BasicFileAttributes attributes) {
        this(path, kindOf(attributes));
    }

    private NotRegularFileException(String path, String kind) {
        super(path, null, "not a regular file but " + kind);
        this.kind = kind;
    }

    private static String kindOf(BasicFileAttributes attributes) {
        if (attributes.isSymbolicLink()) {
            return "a symbolic link";
        }
        return attributes.isDirectory() ? "a directory" : "a device, a pipe or a socket";
    }

    /** What it is, in words. */
    public String kind() {
        return kind;
    }
}
