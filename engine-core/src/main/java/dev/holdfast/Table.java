// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * A handle on a table: an ordered map from {@code byte[]} to {@code byte[]}. It is got from {@link
 * Engine#table(String)}, needs no transaction, is never closed, and is safe for many threads. Two
 * handles on one table are interchangeable.
 *
 * <p>After {@link Engine#dropTable} every use of it throws {@link NoSuchTableException}, also with
 * a snapshot that is older than the drop, and also when a table of that name is created anew. A
 * handle of another engine is an {@link IllegalArgumentException}; so is one of an engine on the
 * same store that was closed since.
 */
public interface Table {
    /** Returns the table's name: the new one after it was renamed, the last one after a drop. */
    String name();
}
