// SPDX-License-Identifier: Apache-2.0

/**
 * The main job: an import of real files that is killed again and again, and a load on what came in.
 *
 * <p>{@link dev.holdfast.bench.demo.Demo} is the parent. It starts {@link
 * dev.holdfast.bench.demo.ImportChild} in a JVM of its own, kills it, opens the store, and has
 * {@link dev.holdfast.bench.demo.StoreCheck} compare every row with the {@link
 * dev.holdfast.bench.demo.ImportSource}. Parent and child derive the same {@link
 * dev.holdfast.bench.demo.ImportPlan} from one seed, so that the number of a batch is all that an
 * acknowledgement must say. {@link dev.holdfast.bench.demo.MixedLoad} follows once all is in.
 *
 * <p>It uses the engine as any application would: through {@code dev.holdfast} alone. The one
 * exception is the length up to which a value stays in its row, which the made values surround.
 */
package dev.holdfast.bench.demo;
