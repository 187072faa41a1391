// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * The engine is {@link EngineState#FAILED}: a log write or a sync failed, or its memory can no
 * longer be trusted. Nothing more is written and nothing is read; closing and reopening recovers
 * all that was acknowledged as durable.
 */
public final class EngineFailedException extends FatalException {
    private static final long serialVersionUID = 1L;

    private final boolean outcomeUnknown;

    private EngineFailedException(String message, boolean outcomeUnknown, Throwable cause) {
        super(message, cause);
        this.outcomeUnknown = outcomeUnknown;
    }

    /** Creates it for a call that has certainly changed nothing that will survive. */
    public EngineFailedException(String reason, Throwable cause) {
        this("engine has failed: reason=" + reason, false, cause);
    }

    /** Creates it for a commit whose durability could not be established. */
    public static EngineFailedException outcomeUnknown(String reason, Throwable cause) {
        return new EngineFailedException(
                "engine has failed, outcome unknown: reason=" + reason, true, cause);
    }

    /**
     * Says whether the transaction may be found committed after reopening. The caller has to look;
     * {@link Engine#write} does not run the work again.
     */
    public boolean isOutcomeUnknown() {
        return outcomeUnknown;
    }
}
