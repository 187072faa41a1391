// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

/**
 * A way in which the simulated disk could be wrong itself, planted to show that {@link DiskRule}
 * notices it. The disks of all other tests have none.
 */
enum DiskFlaw {
    NONE,
    SYNC_SAVES_NOTHING,
    SYNC_SAVES_WHAT_CAME_LATER,
    SYNC_SAVES_OTHER_FILES,
    LIE_IS_KEPT,
    FAILED_SYNC_SAVES,
    FAILED_SYNC_STAYS_PENDING,
    REVERT_IS_FORGOTTEN,
    POWER_LOSS_TAKES_NOTHING,
    POWER_LOSS_TAKES_ALL,
    LATER_WRITES_NEVER_OVERTAKE,
    NOTHING_TEARS,
    SECTORS_TEAR,
    NOISE_SPREADS,
    LENGTH_GOES_WITH_BYTES,
    KILL_LOSES,
    KILL_SAVES,
    NAMES_ARE_DURABLE_AT_ONCE,
    NAMES_OVERTAKE,
    DIRECTORY_SYNC_SAVES_NOTHING,
    FAILED_WRITE_ARRIVES,
    LOST_WRITE_ARRIVES,
    MISDIRECTED_WRITE_ARRIVES_TWICE,
    FLIPPED_READ_STAYS,
    DAMAGE_HEALS,
    FULL_DISK_HAS_ROOM,
    STICKY_FAULT_HEALS,
    TRANSFERS_STAY_WHOLE,
    DEVICE_TAKES_NO_TIME,
    DEVICE_HAS_ONE_PLACE;

    /** How a sync ends that the plan lets end so. */
    SyncOutcome outcomeOf(SyncOutcome planned) {
        return switch (this) {
            case SYNC_SAVES_NOTHING -> planned == SyncOutcome.DURABLE ? SyncOutcome.LIED : planned;
            case LIE_IS_KEPT -> planned == SyncOutcome.LIED ? SyncOutcome.DURABLE : planned;
            case FAILED_SYNC_SAVES ->
                    planned == SyncOutcome.NEVER_DURABLE ? SyncOutcome.DURABLE : planned;
            case FAILED_SYNC_STAYS_PENDING ->
                    planned == SyncOutcome.NEVER_DURABLE ? SyncOutcome.LIED : planned;
            case REVERT_IS_FORGOTTEN ->
                    planned == SyncOutcome.REVERTED ? SyncOutcome.NEVER_DURABLE : planned;
            default -> planned;
        };
    }
}
