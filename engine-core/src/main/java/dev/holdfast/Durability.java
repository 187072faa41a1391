// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * What a commit waits for. Whatever is chosen, a commit that survives has all commits before it
 * that it could see.
 */
public enum Durability {
    /** The commit is on disk: it survives the loss of power. */
    SYNC,
    /** The commit is handed to the operating system: it survives the end of the process. */
    WRITE,
    /** Nothing: it is on disk within {@link EngineOptions#logFlushInterval()}. */
    LAZY
}
