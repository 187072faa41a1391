// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * One thing that does not hold in a store.
 *
 * @param where the file, table, page or record, with {@code name=value} pairs
 * @param invariant the number and the words of what must hold
 * @param expected what should be there
 * @param found what is
 */
public record Finding(String where, String invariant, String expected, String found) {}
