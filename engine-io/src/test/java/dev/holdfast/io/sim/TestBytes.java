// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Short words for writing and reading in the tests of this package. */
final class TestBytes {
    private TestBytes() {}

    /** Direct memory of that length, each byte as given. */
    static ByteBuffer filled(int length, int fill) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(length);
        while (buffer.hasRemaining()) {
            buffer.put((byte) fill);
        }
        return buffer.flip();
    }

    static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    static byte[] read(StorageFile file, long position, int length) throws IOException {
        ByteBuffer target = ByteBuffer.allocateDirect(length);
        file.read(position, target);
        byte[] bytes = new byte[length];
        target.flip().get(bytes);
        return bytes;
    }

    /** Creates a file of one fill, synced with its name. */
    static StorageFile createSynced(StorageDirectory directory, String name, int length, int fill)
            throws IOException {
        StorageFile file = directory.create(name);
        file.write(0, filled(length, fill));
        file.sync(true);
        directory.syncDirectory(NameChange.directoryOf(name));
        return file;
    }
}
