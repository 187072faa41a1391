// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Supplier;

/**
 * What an open has acquired so far, to be given back in reverse order: when the open fails, or when
 * the engine closes. For one thread at a time.
 */
final class CloseStack {
    private final Deque<AutoCloseable> owned = new ArrayDeque<>();

    /** Takes over what must be closed before all that was pushed earlier. */
    <T extends AutoCloseable> T push(T resource) {
        owned.push(resource);
        return resource;
    }

    /**
     * Has agents stopped before all that was pushed earlier. If some do not end in time, what they
     * use is not closed at all: a leak is better than memory that goes away under a thread, or a
     * lock that is free while a write is still on its way.
     *
     * @param stop returns the names of agents that did not end
     */
    void pushAgents(Supplier<List<String>> stop) {
        owned.push(
                () -> {
                    List<String> late = stop.get();
                    if (!late.isEmpty()) {
                        owned.clear();
                        throw new StuckException(late.toString());
                    }
                });
    }

    /**
     * Closes everything, also after something fails to close.
     *
     * @return the first failure with the others as suppressed, or {@code null}
     */
    Throwable closeAll() {
        Throwable first = null;
        while (!owned.isEmpty()) {
            try {
                owned.pop().close();
            } catch (Throwable failure) {
                if (first == null) {
                    first = failure;
                } else {
                    first.addSuppressed(failure);
                }
            }
        }
        return first;
    }

    /** Closes everything after a failure, which carries along what goes wrong. */
    void closeAfter(Throwable cause) {
        Throwable failure = closeAll();
        if (failure != null && failure != cause) {
            cause.addSuppressed(failure);
        }
    }

    /** Forgets everything, without closing: somebody may still be using it. */
    void abandon() {
        owned.clear();
    }

    /** Threads did not end, so what they use was left as it is. */
    static final class StuckException extends Exception {
        private static final long serialVersionUID = 1L;

        StuckException(String who) {
            super("threads did not end: who=" + who);
        }
    }
}
