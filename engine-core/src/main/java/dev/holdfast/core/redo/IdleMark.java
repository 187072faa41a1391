// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import dev.holdfast.core.watch.BackgroundAgent;
import java.io.IOException;

/**
 * The agent that vouches for the log's last blocks once nothing more is written.
 *
 * <p>A block is vouched for by the headers of later ones; the last has none. So after an interval
 * without an append a checkpoint record is written that says how far the log is durable, and a last
 * block that rots after that is seen as damage and not taken for a torn tail.
 */
public final class IdleMark implements BackgroundAgent.Body {
    private final RedoLog log;
    private final CheckpointFile checkpoints;
    private long seenAppendLsn;

    /** A mark for that log; the agent's interval is how long the log must be idle. */
    public IdleMark(RedoLog log, CheckpointFile checkpoints) {
        this.log = log;
        this.checkpoints = checkpoints;
        seenAppendLsn = log.appendLsn();
    }

    @Override
    public boolean run() throws IOException {
        long append = log.appendLsn();
        long proof = log.proofLsn();
        boolean idle = append == seenAppendLsn;
        seenAppendLsn = append;
        if (idle && proof > checkpoints.newest().durableThrough()) {
            checkpoints.update(
                    record ->
                            record.withCheckpoint(
                                    record.checkpointLsn(),
                                    Math.max(proof, record.durableThrough()),
                                    false));
        }
        return false;
    }
}
