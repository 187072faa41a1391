// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.io.file.FileMode;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** Memory and files as measurements want them. */
final class Buffers {
    private static final int FILL_BYTES = 1 << 20;

    private Buffers() {}

    /** A buffer that DIRECT files take, with bytes that no device can leave out. */
    static ByteBuffer random(int bytes, long seed) {
        ByteBuffer buffer =
                ByteBuffer.allocateDirect(bytes + FileMode.DIRECT_ALIGNMENT)
                        .alignedSlice(FileMode.DIRECT_ALIGNMENT)
                        .limit(bytes)
                        .slice();
        SplittableRandom random = new SplittableRandom(seed);
        byte[] content = new byte[bytes];
        random.nextBytes(content);
        return buffer.put(content).clear();
    }

    /** Fills a file up to a length with such bytes and syncs it. */
    static void fill(StorageFile file, long bytes, long seed) throws IOException {
        ByteBuffer content = random(FILL_BYTES, seed);
        for (long at = 0; at < bytes; at += FILL_BYTES) {
            file.write(at, content.clear().limit((int) Math.min(FILL_BYTES, bytes - at)));
        }
        file.sync(false);
    }
}
