// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import java.util.List;

/**
 * What parent and child must agree on to have one source and one plan.
 *
 * @param seed decides the made values, the transactions and their order
 * @param filesMax how many files of the image are imported at most, spread over all of them
 */
public record SourceSettings(long seed, int filesMax) {
    /** Returns them as the options of a command line. */
    List<String> arguments() {
        return List.of("--seed=" + seed, "--files=" + filesMax);
    }
}
