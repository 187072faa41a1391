// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/** An inner page's record: child page number u32, then the separator behind the page's prefix. */
final class InnerRecord {
    static final int KEY_AT = Integer.BYTES;

    private InnerRecord() {}

    /** The child for keys from this separator on. */
    static int child(ByteBuffer chunk, int record) {
        return PageMemory.getInt(chunk, record);
    }

    static void child(ByteBuffer chunk, int record, int pageNumber) {
        PageMemory.putInt(chunk, record, pageNumber);
    }

    /** The child at a position: 0 is the first child, p the child of slot p - 1. */
    static int childAt(ByteBuffer chunk, int page, int position) {
        return position == 0
                ? NodeLayout.firstChild(chunk, page)
                : child(chunk, NodeLayout.recordAt(chunk, page, position - 1));
    }

    static int bytes(int suffixLength) {
        return KEY_AT + suffixLength;
    }
}
