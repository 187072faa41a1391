// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

/**
 * What a disk does that an honest and sound one would not; each is counted when it has happened.
 */
public enum Injection {
    /** A request failed, of any kind but a sync; of a write some part may have arrived. */
    REQUEST_FAILED,

    /** A sync of a file or a directory failed. */
    SYNC_FAILED,

    /** A sync reported success and saved nothing. */
    SYNC_LIED,

    /** A write reported success and arrived nowhere. */
    WRITE_LOST,

    /** A write arrived elsewhere. */
    WRITE_MISDIRECTED,

    /** One read showed a bit that the disk does not hold. */
    READ_FLIPPED,

    /** Bytes changed at rest. */
    DAMAGED,

    /** A transfer went in several parts. */
    TRANSFER_SPLIT,

    /** A request took time that the plan or the device's latency gave it. */
    DELAYED,

    /** A request began to hang. */
    STUCK,

    /** A thread ran what the plan gave it. */
    ACTION_RUN,

    /** A write found no room. */
    NO_ROOM,

    /** A name could not go, since somebody had its file open. */
    SHARING_VIOLATED,

    /** A request failed since the disk was unplugged. */
    UNPLUGGED
}
