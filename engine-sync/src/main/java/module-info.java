// SPDX-License-Identifier: Apache-2.0

/** Latches, counters and waiting. */
module dev.holdfast.sync {}
