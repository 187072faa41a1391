// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

/** What a sync does with what was pending when it began. */
public enum SyncOutcome {
    /** All of it is durable. */
    DURABLE(true),

    /** Success is reported, all of it stays pending. */
    LIED(true),

    /** Fails; none of it is durable now or later, reads go on showing it. */
    NEVER_DURABLE(false),

    /** Fails; some writes are durable, the others never are, reads show all. */
    PARTLY_DURABLE(false),

    /** Fails; none of it is ever durable, and reads show the old bytes again. */
    REVERTED(false);

    private final boolean reportsSuccess;

    SyncOutcome(boolean reportsSuccess) {
        this.reportsSuccess = reportsSuccess;
    }

    boolean reportsSuccess() {
        return reportsSuccess;
    }
}
