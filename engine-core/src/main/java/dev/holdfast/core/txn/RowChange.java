// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

/** What a statement does to a row. */
enum RowChange {
    /** Sets the value, whatever is there. */
    PUT,
    /** Adds a row that must not be there. */
    INSERT,
    /** Sets the value of a row that is there. */
    REPLACE,
    /** Sets the value of a row whose value is the expected one. */
    UPDATE,
    DELETE
}
