// SPDX-License-Identifier: Apache-2.0

/**
 * Puts an engine together, runs its background threads, and takes it apart again.
 *
 * <p>{@link dev.holdfast.core.db.EngineAssembly} opens or creates a store in a directory and builds
 * the layers from the bottom up: {@link dev.holdfast.core.db.OpenedStore} (lock, identity, files),
 * {@link dev.holdfast.core.db.StorageLayer} (log, pool, spaces, recovery), {@link
 * dev.holdfast.core.db.TransactionLayer} (catalog, undo, transactions). {@link
 * dev.holdfast.core.db.EngineImpl} is the API's engine over them.
 *
 * <p>The highest package of the core: it may call all of them, nothing calls it but {@code
 * dev.holdfast.Engine}. Every thread of the core is an agent that is started and joined here, and
 * {@code BackgroundIo} has the IO threads of the module below. Keeps P11a (the order of an open)
 * and P20 (close). The page is {@code docs/architecture/db.md}.
 */
package dev.holdfast.core.db;
