// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * A file could not grow. The statement changed nothing; the engine stays open, and the same call
 * succeeds once there is room.
 */
public final class DiskFullException extends ResourceException {
    private static final long serialVersionUID = 1L;

    public DiskFullException(String file, long neededBytes, Throwable cause) {
        super("disk is full: file=" + file + ", neededBytes=" + neededBytes, cause);
    }
}
