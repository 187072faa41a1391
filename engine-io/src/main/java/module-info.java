// SPDX-License-Identifier: Apache-2.0

/** Files, memory and checksums. */
@SuppressWarnings("module") // exports to a module that is built after this one
module dev.holdfast.io {
    requires dev.holdfast.sync;
    requires jdk.unsupported; // the open option for DIRECT files
    requires org.jctools.core.jdk11;

    exports dev.holdfast.io.async to
            dev.holdfast.core;
    exports dev.holdfast.io.checksum to
            dev.holdfast.core;
    exports dev.holdfast.io.file to
            dev.holdfast.core;
    exports dev.holdfast.io.memory to
            dev.holdfast.core;
    exports dev.holdfast.io.stats to
            dev.holdfast.core;
}
