// SPDX-License-Identifier: Apache-2.0

/** The storage engine. */
module dev.holdfast.core {
    exports dev.holdfast;

    uses dev.holdfast.CustomChecksum;

    requires dev.holdfast.io;
    requires dev.holdfast.sync;
    requires org.agrona;
    requires org.slf4j;
}
