// SPDX-License-Identifier: Apache-2.0

/**
 * The one command-line entry: {@link dev.holdfast.bench.cli.HoldfastCommand} and a class for each
 * of its sub-commands.
 *
 * <p>A sub-command parses its options, calls a workload or a benchmark, prints through picocli's
 * writers and ends with an exit code: 0 when all went well, 1 when something differed or failed, 2
 * when it was called wrongly. It holds no logic of its own.
 *
 * <p>The launcher {@code ./holdfast} starts it without any JVM flag.
 */
package dev.holdfast.bench.cli;
