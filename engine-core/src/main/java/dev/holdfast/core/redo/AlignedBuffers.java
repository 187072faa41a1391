// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import java.nio.ByteBuffer;

/** Direct buffers that may be read and written around the page cache. */
final class AlignedBuffers {
    private AlignedBuffers() {}

    /** Zeros, aligned to a block, little-endian or not does not matter: see PageMemory. */
    static ByteBuffer allocate(int bytes) {
        return ByteBuffer.allocateDirect(bytes + Lsn.BLOCK_BYTES)
                .alignedSlice(Lsn.BLOCK_BYTES)
                .slice(0, bytes);
    }
}
