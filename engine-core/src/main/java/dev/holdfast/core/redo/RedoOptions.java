// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

/**
 * What a log is opened with.
 *
 * @param layout how it is cut into files
 * @param ringBytes the size of the buffer: a power of two, at least four groups
 * @param groupBytesMax the longest group that will be appended
 */
public record RedoOptions(RedoLayout layout, int ringBytes, int groupBytesMax) {
    private static final int RING_GROUPS_MIN = 4;
    private static final int CAPACITY_GROUPS_MIN = 8;

    /** Checks the sizes against each other. */
    public RedoOptions {
        if (Integer.bitCount(ringBytes) != 1
                || ringBytes < (long) groupBytesMax * RING_GROUPS_MIN
                || ringBytes < RING_GROUPS_MIN * Lsn.BLOCK_BYTES
                || groupBytesMax > GroupHeader.GROUP_BYTES_MAX
                || layout.capacityBytes() < (long) groupBytesMax * CAPACITY_GROUPS_MIN) {
            throw new IllegalArgumentException(
                    "log sizes do not fit: ringBytes="
                            + ringBytes
                            + ", groupBytesMax="
                            + groupBytesMax
                            + ", capacityBytes="
                            + layout.capacityBytes());
        }
    }
}
