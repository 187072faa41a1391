// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * Bytes in a file are not what was written there. Names the file, and the space and page where the
 * file has pages; says what was expected and what was found.
 */
public final class CorruptionException extends FatalException {
    private static final long serialVersionUID = 1L;

    /** Stands for space or page where the file has none. */
    public static final long NONE = -1;

    private final String file;
    private final long spaceId;
    private final long pageNumber;
    private final String expected;
    private final String found;

    /** Creates it for a page of a space. */
    public CorruptionException(
            String what,
            String file,
            long spaceId,
            long pageNumber,
            String expected,
            String found) {
        this(what, file, spaceId, pageNumber, expected, found, null);
    }

    /** Creates it for a file without pages, or as a whole, with the exception that showed it. */
    public CorruptionException(
            String what, String file, String expected, String found, Throwable cause) {
        this(what, file, NONE, NONE, expected, found, cause);
    }

    /** Creates it for a page of a space, with the exception that showed it. */
    public CorruptionException(
            String what,
            String file,
            long spaceId,
            long pageNumber,
            String expected,
            String found,
            Throwable cause) {
        super(
                what
                        + ": file="
                        + file
                        + (spaceId == NONE ? "" : ", space=" + spaceId)
                        + (pageNumber == NONE ? "" : ", page=" + pageNumber)
                        + ", expected="
                        + expected
                        + ", found="
                        + found,
                cause);
        this.file = file;
        this.spaceId = spaceId;
        this.pageNumber = pageNumber;
        this.expected = expected;
        this.found = found;
    }

    /** Creates it for a file without pages, such as one of the redo log. */
    public CorruptionException(String what, String file, String expected, String found) {
        this(what, file, NONE, NONE, expected, found);
    }

    public String file() {
        return file;
    }

    /** Returns the space's id, or {@link #NONE}. */
    public long spaceId() {
        return spaceId;
    }

    /** Returns the page's number in its space, or {@link #NONE}. */
    public long pageNumber() {
        return pageNumber;
    }

    public String expected() {
        return expected;
    }

    public String found() {
        return found;
    }
}
