// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * How much threads have waited at one named latch, or kind of latch. What went without waiting is
 * not counted.
 *
 * @param name the latch's name
 * @param meaning what it protects, in one sentence
 * @param contendedAcquires how often it could not be had at once
 * @param spinRounds how many rounds were spun for it
 * @param parks how often a thread was put to sleep for it
 * @param optimisticRestarts how often a reader that held nothing had to begin anew
 * @param waitNanos the time waited, as far as {@link EngineOptions#timeWaits()} has it measured
 */
public record LatchContention(
        String name,
        String meaning,
        long contendedAcquires,
        long spinRounds,
        long parks,
        long optimisticRestarts,
        long waitNanos) {}
