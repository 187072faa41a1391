// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How long an agent pauses that looks after what was written: as long as it is given while the log
 * grows, and longer once it has not grown for a while. For the agent's thread.
 */
final class AgentPace implements LongSupplier {
    /*
     * Waking up is all that such an agent does in an idle engine, and an application may have many
     * of those. The pause stays short enough that a burst after it finds the agent in time: what
     * is pressing wakes the agent anyhow.
     */
    static final int QUIET_ROUNDS = 8;

    private final LongSupplier appendLsn;
    private final long busyNanos;
    private final long idleNanos;
    private long seenLsn;
    private int quietRounds;

    AgentPace(LongSupplier appendLsn, long busyMillis, long idleMillis) {
        this.appendLsn = appendLsn;
        this.busyNanos = TimeUnit.MILLISECONDS.toNanos(busyMillis);
        this.idleNanos = TimeUnit.MILLISECONDS.toNanos(idleMillis);
    }

    @Override
    public long getAsLong() {
        long lsn = appendLsn.getAsLong();
        quietRounds = lsn == seenLsn ? Math.min(quietRounds + 1, QUIET_ROUNDS) : 0;
        seenLsn = lsn;
        return quietRounds < QUIET_ROUNDS ? busyNanos : idleNanos;
    }
}
