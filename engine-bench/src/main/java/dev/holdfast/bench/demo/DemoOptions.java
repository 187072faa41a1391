// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

/**
 * How a demo runs.
 *
 * @param store where the store is and how it is opened
 * @param source what is imported
 * @param threads that import, compare, and put load on the store
 * @param kills how often the import is killed
 * @param loadSeconds how long the mixed load lasts
 */
public record DemoOptions(
        StoreSettings store, SourceSettings source, int threads, int kills, int loadSeconds) {}
