// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract on real files in DIRECT mode. */
final class DirectStorageTest extends StorageContract {
    @TempDir private Path path;

    @Override
    protected StorageDirectory openStorage() throws IOException {
        return FileSystemDirectory.open(path, FileMode.DIRECT);
    }
}
