// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.io.file.StorageFile;

/** One open data file. */
final class SpaceFile {
    final int spaceId;
    final StorageFile file;

    /**
     * Bits of the checksum kinds that its pages may bear; all until the header was read. Volatile
     * since it is set while others read; a reader that sees the old value accepts one kind more.
     */
    volatile int checksumKinds = SpaceHeader.ALL_CHECKSUM_KINDS;

    SpaceFile(int spaceId, StorageFile file) {
        this.spaceId = spaceId;
        this.file = file;
    }
}
