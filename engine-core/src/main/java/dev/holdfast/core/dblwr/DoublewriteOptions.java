// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.dblwr;

import dev.holdfast.DoublewriteMode;

/**
 * How an open writes pages twice. All but the page size may differ from one open to the next.
 *
 * @param mode what is written to the files
 * @param slots batches that may be under way at a time, each in a file of its own
 * @param pages of a batch at most
 * @param pageBytes the page size of the store
 */
public record DoublewriteOptions(DoublewriteMode mode, int slots, int pages, int pageBytes) {
    public DoublewriteOptions {
        assert slots > 0 && slots <= Doublewrite.SLOTS_MAX : "slots=" + slots;
        assert pages > 0 && pages <= DoublewriteLayout.PAGES_MAX : "pages=" + pages;
    }

    /** The length that a file is made with, so that batches do not make it grow. */
    long fileBytes() {
        return switch (mode) {
            case ON -> DoublewriteLayout.fileBytes(pages, pageBytes);
            case DETECT_ONLY -> DoublewriteLayout.headerBytes(pages);
            case OFF -> 0;
        };
    }

    boolean writes() {
        return mode != DoublewriteMode.OFF;
    }
}
