// SPDX-License-Identifier: Apache-2.0

/**
 * The redo log: groups of records, the buffer they pass through, group commit, the segment files,
 * the checkpoint record, and the scan that finds the log again after a crash.
 *
 * <p>{@link dev.holdfast.core.redo.RedoLog} is the log of an open engine; {@link
 * dev.holdfast.core.redo.LogSpace} gives out its room; {@link dev.holdfast.core.redo.RedoScanner}
 * reads it at open; {@link dev.holdfast.core.redo.CheckpointFile} says where to begin. {@link
 * dev.holdfast.core.redo.RedoWriter} and {@link dev.holdfast.core.redo.RedoReader} make and take
 * apart a group. What the bodies of records mean is the affair of the packages whose pages they
 * change.
 *
 * <p>No thread runs here of its own; the committing threads lead the writes in turn, and {@link
 * dev.holdfast.core.redo.LazyFlusher} and {@link dev.holdfast.core.redo.IdleMark} are bodies of
 * agents that {@code core.db} starts.
 *
 * <p>Keeps P3 (what is promised is never rewritten; epochs), P12's framing and P13 (a full ring
 * without a leader), and its part of P9 and P11a. Formats: {@code docs/format/redo-block.md},
 * {@code redo-group.md}, {@code redo-segment.md}, {@code checkpoint.md}; algorithm: {@code
 * docs/architecture/redo.md}.
 */
package dev.holdfast.core.redo;
