// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * The directory holds no store that this version can open: a file's format is newer, older or
 * unknown, or needs a feature that is not there. Nothing was changed.
 */
public final class FormatException extends FatalException {
    private static final long serialVersionUID = 1L;

    public FormatException(String what, String file, String expected, String found) {
        super(what + ": file=" + file + ", expected=" + expected + ", found=" + found, null);
    }
}
