// SPDX-License-Identifier: Apache-2.0

/**
 * The passes at an open: from whatever a crash left to pages that hold exactly what the log says.
 *
 * <p>{@link dev.holdfast.core.recovery.StoreRecovery} runs them in the order of P11a: doublewrite
 * copies are synced and torn pages repaired ({@link dev.holdfast.core.recovery.DoublewriteRepair}),
 * the log is read once to find its end and what need not be replayed ({@link
 * dev.holdfast.core.recovery.RedoPlan}), a new epoch is made durable, and only then the log is read
 * again and applied to pages in the pool, partitioned by page.
 *
 * <p>It may call what is below {@code core.txn}; {@code core.db} calls it and hands on what it
 * finds. Large logs are applied by agents of its own, which end before the engine is open. Keeps
 * P10, P11a, P12 and P19; each pass may be cut short by a crash and begun again. The page is {@code
 * docs/architecture/recovery.md}.
 */
package dev.holdfast.core.recovery;
