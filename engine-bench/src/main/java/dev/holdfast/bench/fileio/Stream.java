// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

/** The kinds of operations. */
public enum Stream {
    PAGE_READ("page reads"),
    LOG_APPEND("log appends, synced"),
    SECOND_LOG_APPEND("second log appends"),
    DOUBLEWRITE("doublewrite batches, synced"),
    PAGE_WRITE("page writes"),
    DATA_SYNC("data syncs");

    private final String title;

    Stream(String title) {
        this.title = title;
    }

    public String title() {
        return title;
    }
}
