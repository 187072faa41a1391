// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import java.nio.ByteBuffer;

/**
 * The room that a record of a leaf needs: its flags and the length of its value as stored.
 *
 * @param flags of {@link LeafRecord}
 * @param valueLength of the value, or of the pointer if it overflows
 */
public record RecordRoom(int flags, int valueLength) {
    int bytes(int suffixLength) {
        return LeafRecord.bytes(flags, suffixLength, valueLength);
    }

    /**
     * How many bytes a leaf lacks to take the record, or to change the one of the key into it; not
     * above 0 if it has room. <b>Latches:</b> the leaf is held.
     */
    int missing(ByteBuffer chunk, int page, byte[] key, int keyLength) {
        return missing(chunk, page, NodeSearch.leaf(chunk, page, key, keyLength), keyLength);
    }

    /** The same for a key that was searched already: its slot, or a negative number. */
    int missing(ByteBuffer chunk, int page, int searched, int keyLength) {
        int bytes = bytes(keyLength - NodeLayout.prefixLength(chunk, page));
        int present =
                searched >= 0
                        ? NodeLayout.recordLength(chunk, page, searched)
                        : -NodeLayout.SLOT_BYTES;
        return bytes - present - NodeLayout.totalFree(chunk, page);
    }
}
