// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.catalog;

/** A table's life: ACTIVE, then DROPPING, then no row. The code is in its row. */
public enum TableState {
    ACTIVE(1),
    DROPPING(2);

    private final int code;

    TableState(int code) {
        this.code = code;
    }

    int code() {
        return code;
    }
}
