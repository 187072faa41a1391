// SPDX-License-Identifier: Apache-2.0

/**
 * What every part of the engine watches itself with: latch sites, counters, health, agents.
 *
 * <p>{@link dev.holdfast.core.watch.EngineHealth} is the one place where an engine becomes FAILED;
 * {@link dev.holdfast.core.watch.Counters} holds what happens often, by the list in {@link
 * dev.holdfast.core.watch.Counter}; {@link dev.holdfast.core.watch.CoreSites} is the rank table of
 * {@code docs/architecture/latching.md} as code; {@link dev.holdfast.core.watch.BackgroundAgent} is
 * the only class of the core that makes threads.
 *
 * <p>Lowest package of the core: it may call {@code dev.holdfast}, the sync module and nothing
 * else. Nothing here waits for a latch, so all of it may be called with any latch held, except
 * starting and stopping agents, which only {@code core.db} does.
 */
package dev.holdfast.core.watch;
