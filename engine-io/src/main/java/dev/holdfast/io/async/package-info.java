// SPDX-License-Identifier: Apache-2.0
/**
 * Threads that do blocking file work for others.
 *
 * <p>{@link dev.holdfast.io.async.BlockingExecutor} takes the blocking calls of virtual threads,
 * which would pin their carriers. Its threads are started by the first such call and end when idle,
 * so an application without virtual threads never has one.
 *
 * <p>May call {@code dev.holdfast.io.stats} and {@code dev.holdfast.sync}; knows nothing of files
 * and pages.
 */
package dev.holdfast.io.async;
