// SPDX-License-Identifier: Apache-2.0

/**
 * Undo logs: the before-images that rollback applies and that readers of older snapshots follow.
 *
 * <p>{@link dev.holdfast.core.undo.UndoPage} and {@link dev.holdfast.core.undo.UndoEntry} are the
 * layouts; formats in {@code docs/format/undo-page.md} and {@code docs/format/undo-entry.md}.
 */
package dev.holdfast.core.undo;
