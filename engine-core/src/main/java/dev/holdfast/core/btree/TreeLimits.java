// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

/**
 * How long keys and records may be, so that a page can always be split and the new record fits.
 *
 * <p>A page that cannot take a record has at least two (leaf) or four (inner), and each half of a
 * split has room for its records beside two fences of full length; the static block proves it.
 */
public final class TreeLimits {
    /** Smallest and largest page; offsets inside a page are 16 bits wide. */
    private static final int PAGE_BYTES_MIN = 4 << 10;

    private static final int PAGE_BYTES_MAX = 64 << 10;

    /** Flags, two bytes of key length, transaction id and roll pointer. */
    private static final int RECORD_HEADER_BYTES_MAX = 1 + 2 + LeafRecord.VERSION_BYTES;

    static {
        for (int p = PAGE_BYTES_MIN; p <= PAGE_BYTES_MAX; p *= 2) {
            int k = keyBytesMax(p);
            int leaf = recordBytesMax(p) + NodeLayout.SLOT_BYTES;
            int inner = k + Integer.BYTES + NodeLayout.SLOT_BYTES;
            int capacity = NodeLayout.capacity(p);
            assert 2 * leaf + 2 * k <= capacity : "a leaf of one record takes a second, P=" + p;
            assert 4 * inner + 2 * k <= capacity : "an inner page of three takes a fourth, P=" + p;
            assert leaf + 3 * k <= capacity : "a half of a split fits beside its fences, P=" + p;
            assert recordBytesMax(p) <= p / 2 - k : "r <= P/2 - k, P=" + p;
            assert k + RECORD_HEADER_BYTES_MAX + OverflowPointer.BYTES <= recordBytesMax(p)
                    : "any key fits with an overflow pointer, P=" + p;
            assert k < 1 << 14 : "two bytes hold a key's length";
        }
    }

    private TreeLimits() {}

    /** The longest key. */
    public static int keyBytesMax(int pageBytes) {
        return pageBytes / 8;
    }

    /** The longest record of a leaf, its header included. */
    public static int recordBytesMax(int pageBytes) {
        return pageBytes / 4;
    }

    /** Whether a value is kept in the leaf; if not it goes to an overflow chain. */
    public static boolean isInline(int pageBytes, int keyLength, int valueLength) {
        return RECORD_HEADER_BYTES_MAX + keyLength + valueLength <= recordBytesMax(pageBytes);
    }
}
