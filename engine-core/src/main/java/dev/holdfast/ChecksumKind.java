// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/** The checksum that each page bears. It is verified on every read. */
public enum ChecksumKind {
    /** No checksum; torn pages are told from the page's trailer alone. */
    NONE,
    /** A fold over bytes, as old as the lineage and slow. */
    LEGACY,
    /** The same fold over little-endian 32-bit words. */
    WORD,
    /** CRC-32C, which processors compute in hardware. */
    CRC32C
}
