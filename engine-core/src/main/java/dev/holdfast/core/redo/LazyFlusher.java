// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import dev.holdfast.core.watch.BackgroundAgent;

/**
 * The agent that makes LAZY commits durable: one sync an interval, none while nothing is written.
 */
public final class LazyFlusher implements BackgroundAgent.Body {
    private final RedoLog log;

    /** A flusher of that log; the agent's interval is the flush interval. */
    public LazyFlusher(RedoLog log) {
        this.log = log;
    }

    @Override
    public boolean run() {
        log.makeDurable(log.closedLsn());
        return false;
    }
}
