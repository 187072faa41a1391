// SPDX-License-Identifier: Apache-2.0
/**
 * Page memory: where it comes from and the one way to touch it.
 *
 * <p>{@link dev.holdfast.io.memory.PageMemory} is the only accessor of the bytes of a page; a
 * second implementation would slow every call site. {@link dev.holdfast.io.memory.PoolMemory}
 * obtains the memory outside the heap, and outside the limits that go with the heap.
 *
 * <p>No threads. Whoever closes a pool guarantees that nobody touches its chunks afterwards.
 */
package dev.holdfast.io.memory;
