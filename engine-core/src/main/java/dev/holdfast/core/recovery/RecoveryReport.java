// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import java.util.concurrent.TimeUnit;

/**
 * What an open had to do.
 *
 * @param wasClosedCleanly whether the store said of itself that nothing was left to do
 * @param startLsn the checkpoint that recovery began at
 * @param endLsn where the log ended
 * @param epoch the log epoch that this open began
 * @param groups complete groups of the log
 * @param records records in them
 * @param recordsApplied of these, those that changed a page
 * @param recordsSkipped of these, those that their page held already
 * @param pageCopies pages of which a doublewrite entry counted
 * @param pagesRepaired pages put back from them
 * @param pagesDamaged pages that a doublewrite entry tells of, found damaged and without a copy;
 *     who reads one is told
 * @param nanos how long it took, the opening of files and pool apart
 */
public record RecoveryReport(
        boolean wasClosedCleanly,
        long startLsn,
        long endLsn,
        int epoch,
        long groups,
        long records,
        long recordsApplied,
        long recordsSkipped,
        int pageCopies,
        int pagesRepaired,
        int pagesDamaged,
        long nanos) {

    /** The figures in one line. */
    public String toText() {
        return "closedCleanly="
                + wasClosedCleanly
                + ", startLsn="
                + startLsn
                + ", endLsn="
                + endLsn
                + ", epoch="
                + epoch
                + ", groups="
                + groups
                + ", records="
                + records
                + ", applied="
                + recordsApplied
                + ", skipped="
                + recordsSkipped
                + ", pageCopies="
                + pageCopies
                + ", pagesRepaired="
                + pagesRepaired
                + ", pagesDamaged="
                + pagesDamaged
                + ", millis="
                + TimeUnit.NANOSECONDS.toMillis(nanos);
    }
}
