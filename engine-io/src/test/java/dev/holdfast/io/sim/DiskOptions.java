// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import dev.holdfast.io.file.FileMode;

/**
 * What kind of disk is simulated; images of it are of the same kind.
 *
 * @param nameRules how names become durable
 * @param sectorBytes what arrives whole or not at all: 512 or 4096
 * @param mode whether unaligned transfers are refused; there is no cache to go past
 */
public record DiskOptions(NameRules nameRules, int sectorBytes, FileMode mode) {
    /** The weakest disk: names by POSIX, sectors of 512 bytes, transfers of any length. */
    public static final DiskOptions DEFAULT =
            new DiskOptions(NameRules.POSIX, 512, FileMode.BUFFERED);

    public DiskOptions {
        if (sectorBytes != 512 && sectorBytes != Block.BYTES) {
            throw new IllegalArgumentException("no such sector, sectorBytes=" + sectorBytes);
        }
    }

    public DiskOptions withNameRules(NameRules rules) {
        return new DiskOptions(rules, sectorBytes, mode);
    }

    public DiskOptions withSectorBytes(int bytes) {
        return new DiskOptions(nameRules, bytes, mode);
    }

    public DiskOptions withMode(FileMode fileMode) {
        return new DiskOptions(nameRules, sectorBytes, fileMode);
    }
}
