// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Layout of the header in front of the records of a group, in an array of bytes. The byte table is
 * {@code docs/format/redo-group.md}.
 */
final class GroupHeader {
    /*
     * Groups start at multiples of 16, so the header lies in one block. Its own start LSN makes a
     * reader notice that it has lost step, and the leader that a group was published where it was
     * not copied.
     */

    static final int GROUP_BYTES_OFFSET = 0;
    static final int FLAGS_OFFSET = GROUP_BYTES_OFFSET + Integer.BYTES;
    static final int RESERVED_OFFSET = FLAGS_OFFSET + Short.BYTES;
    static final int START_LSN_OFFSET = RESERVED_OFFSET + Short.BYTES;
    static final int BYTES = START_LSN_OFFSET + Long.BYTES;

    /** The length that stands where no group follows in the block. */
    static final int PADDING = 0;

    /** No group is longer; the engine's own limit is lower. */
    static final int GROUP_BYTES_MAX = 2 << 20;

    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private GroupHeader() {}

    static void write(byte[] group, int groupBytes, long startLsn) {
        INT.set(group, GROUP_BYTES_OFFSET, groupBytes);
        INT.set(group, FLAGS_OFFSET, 0);
        LONG.set(group, START_LSN_OFFSET, startLsn);
    }

    static int groupBytes(byte[] group) {
        return (int) INT.get(group, GROUP_BYTES_OFFSET);
    }

    /** Flags and reserved bytes together: zero. */
    static int reserved(byte[] group) {
        return (int) INT.get(group, FLAGS_OFFSET);
    }

    static long startLsn(byte[] group) {
        return (long) LONG.get(group, START_LSN_OFFSET);
    }
}
