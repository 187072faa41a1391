// SPDX-License-Identifier: Apache-2.0

/** Files, memory and checksums. */
module dev.holdfast.io {
    requires dev.holdfast.sync;
}
