// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.io.file.FileMode;
import java.nio.ByteBuffer;

/** Buffers that files of both modes accept; for rare use, a buffer a call. */
final class DiskBuffers {
    static final int SMALLEST_PAGE = 4096;

    private DiskBuffers() {}

    /** A zeroed direct buffer whose address is aligned for direct IO. */
    static ByteBuffer allocate(int bytes) {
        int alignment = FileMode.DIRECT_ALIGNMENT;
        ByteBuffer aligned = ByteBuffer.allocateDirect(bytes + alignment).alignedSlice(alignment);
        return aligned.limit(bytes).slice();
    }
}
