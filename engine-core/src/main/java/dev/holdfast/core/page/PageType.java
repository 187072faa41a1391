// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.page;

/** The codes of what a page is. Zero is never written, so that an all-zero page is recognised. */
public final class PageType {
    public static final byte SPACE_HEADER = 1;
    public static final byte ALLOCATION_MAP = 2;
    public static final byte LEAF = 3;
    public static final byte INNER = 4;
    public static final byte OVERFLOW = 5;
    public static final byte UNDO_DIRECTORY = 6;
    public static final byte UNDO_LOG = 7;

    private PageType() {}
}
