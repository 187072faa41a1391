// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.mtr;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.redo.RedoLog;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;

/**
 * What all mini-transactions of an engine share.
 *
 * @param logSpaceTimeoutNanos how long an ordinary one waits for log space
 * @param selfCheck the digest logged for each changed page, or {@code null} outside self-check mode
 */
public record MtrContext(
        BufferPool pool,
        RedoLog log,
        EngineHealth health,
        Counters counters,
        long logSpaceTimeoutNanos,
        PageDigest selfCheck) {}
