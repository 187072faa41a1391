// SPDX-License-Identifier: Apache-2.0

/** Latches, counters and waiting. */
@SuppressWarnings("module") // exports to modules that are built after this one
module dev.holdfast.sync {
    exports dev.holdfast.sync to
            dev.holdfast.io,
            dev.holdfast.core;
}
