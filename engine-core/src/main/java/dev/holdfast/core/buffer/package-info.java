// SPDX-License-Identifier: Apache-2.0

/**
 * The buffer pool: pages in frames, found by a two-level array, kept by latches and versions.
 *
 * <p>{@link dev.holdfast.core.buffer.BufferPool} finds, loads, latches and evicts (P1, P2); {@code
 * FrameTable} is the 64-byte line that each frame has outside the pages; {@link
 * dev.holdfast.core.buffer.PageCleaner} keeps frames free and the log short by what {@link
 * dev.holdfast.core.buffer.FlushAdvice} says; {@link dev.holdfast.core.buffer.PageFlusher} writes
 * batches through the doublewrite (P10); {@link dev.holdfast.core.buffer.Checkpointer} finds and
 * records the checkpoint (P11).
 *
 * <p>May call {@code core.dblwr}, {@code core.page}, {@code core.watch}, io and sync. Files are
 * reached through {@link dev.holdfast.core.buffer.PageStore}, the log through {@link
 * dev.holdfast.core.buffer.WriteAhead}. User threads read pages and evict clean ones; only the
 * cleaner and whoever asks for a sharp checkpoint write. The page is {@code
 * docs/architecture/buffer.md}.
 */
package dev.holdfast.core.buffer;
