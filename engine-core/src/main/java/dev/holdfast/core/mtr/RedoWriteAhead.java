// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.mtr;

import dev.holdfast.core.buffer.WriteAhead;
import dev.holdfast.core.redo.RedoLog;

/** The redo log as the buffer pool sees it. */
public final class RedoWriteAhead implements WriteAhead {
    private final RedoLog log;

    public RedoWriteAhead(RedoLog log) {
        this.log = log;
    }

    @Override
    public long appendLsn() {
        return log.appendLsn();
    }

    @Override
    public long closedLsn() {
        return log.closedLsn();
    }

    @Override
    public long durableLsn() {
        return log.durableLsn();
    }

    @Override
    public void makeDurable(long lsn) {
        log.makeDurable(lsn);
    }
}
