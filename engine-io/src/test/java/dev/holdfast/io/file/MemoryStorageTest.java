// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

/** The contract in memory. */
final class MemoryStorageTest extends StorageContract {
    private final MemoryDirectory memory = MemoryDirectory.create();

    @Override
    protected StorageDirectory openStorage() {
        return memory.reopen();
    }
}
