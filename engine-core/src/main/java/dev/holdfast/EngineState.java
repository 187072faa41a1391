// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/** Where an engine stands. It goes from OPEN to CLOSED, perhaps by way of FAILED. */
public enum EngineState {
    /** Calls are served. */
    OPEN,
    /** Calls throw {@link EngineFailedException}; only {@link Engine#close} is of use. */
    FAILED,
    /** Calls throw {@link EngineClosedException}. */
    CLOSED
}
