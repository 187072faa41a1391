// SPDX-License-Identifier: Apache-2.0

/**
 * What checksums cost a running engine: the share of processor time that sums of pages take while
 * rows are inserted, by kind.
 *
 * <p>{@link dev.holdfast.bench.checksum.ChecksumShare} runs the load and finds the share in ways
 * that know nothing of each other: pages summed times {@link
 * dev.holdfast.bench.checksum.PageSumCost}, and {@link dev.holdfast.bench.checksum.CpuSamples} of
 * the JDK's flight recorder. Everything belongs to one thread.
 */
package dev.holdfast.bench.checksum;
