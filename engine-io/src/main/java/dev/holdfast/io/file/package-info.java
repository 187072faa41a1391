// SPDX-License-Identifier: Apache-2.0
/**
 * The only way to the disk: a directory of files that are read and written by position.
 *
 * <p>{@link dev.holdfast.io.file.StorageDirectory} and {@link dev.holdfast.io.file.StorageFile} are
 * the contract; {@link dev.holdfast.io.file.FileSystemDirectory} keeps it on real files, {@link
 * dev.holdfast.io.file.MemoryDirectory} in memory, and the tests' simulated disk with faults. One
 * set of contract tests runs against all of them.
 *
 * <p>A call runs in the calling thread, except that a virtual thread hands it to the threads of
 * {@link dev.holdfast.io.file.BlockingExecutor} and parks. No thread interrupt ends, shortens or
 * harms a call or a file: the flag is kept for the caller.
 *
 * <p>May call {@code dev.holdfast.io.stats} and {@code dev.holdfast.sync}. The module's page is
 * {@code docs/architecture/io.md}.
 */
package dev.holdfast.io.file;
