// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/** How data and log files are read and written. */
public enum FileMode {
    /** Through the operating system's page cache. */
    BUFFERED,
    /** Past it, for those who give the memory to the pool; not every file system can. */
    DIRECT
}
