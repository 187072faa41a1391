// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

/** When names become durable, and in what order they survive. */
public enum NameRules {
    /** What is promised: by the sync of their directory alone, each directory by itself. */
    POSIX,

    /** What one file system does: all names in one order, and any file's sync saves them. */
    EXT4
}
