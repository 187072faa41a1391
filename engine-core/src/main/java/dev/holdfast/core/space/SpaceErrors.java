// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.DiskFullException;
import dev.holdfast.ResourceException;
import dev.holdfast.StorageException;
import dev.holdfast.io.file.StorageErrors;
import java.io.IOException;

/** Makes the engine's error of a failed file operation on a space. */
public final class SpaceErrors {
    private SpaceErrors() {}

    /** For creating, opening and deleting; what failed leaves nothing behind. */
    public static ResourceException of(String operation, int spaceId, IOException failure) {
        String file = StoreFiles.spaceFile(spaceId);
        if (StorageErrors.isSpaceExhausted(failure)) {
            return new DiskFullException(file, 0, failure);
        }
        return new StorageException(operation + " failed: file=" + file, failure);
    }
}
