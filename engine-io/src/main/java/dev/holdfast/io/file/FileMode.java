// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

/** How files go to the disk. */
public enum FileMode {
    /** Through the operating system's cache. */
    BUFFERED,

    /** Past that cache: the pool is the only cache, and transfers are aligned. */
    DIRECT;

    /** What positions, lengths and buffer addresses are multiples of in {@link #DIRECT}. */
    public static final int DIRECT_ALIGNMENT = 4096;
}
