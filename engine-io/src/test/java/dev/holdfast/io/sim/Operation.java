// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

/** What is asked of a disk; faults and delays are planned by it. */
public enum Operation {
    READ,
    WRITE,
    SYNC,
    TRUNCATE,
    CREATE,
    OPEN,
    DELETE,
    RENAME,
    MAKE_DIRECTORY,
    SYNC_DIRECTORY
}
