// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.util.function.LongUnaryOperator;

/** The ways in which a latch word can come to admit more than before. */
enum Release {
    SHARED(LatchWord::sharedReleased),
    UPDATE(LatchWord::updateReleased),
    EXCLUSIVE(LatchWord::exclusiveReleased),
    TO_UPDATE(LatchWord::downgradedToUpdate),
    TO_SHARED(LatchWord::downgradedToShared),

    /** The word has it already, or only the queue has changed. */
    NONE(LongUnaryOperator.identity()),

    /** A woken thread gives up: others may be woken in its place. */
    WAKE_UP(LatchWord::wokenCleared);

    /*
     * Functions and not a switch: they are linked when the enum is made, so that nothing is loaded
     * when they are called under a queue lock.
     */
    private final LongUnaryOperator step;

    Release(LongUnaryOperator step) {
        this.step = step;
    }

    long applied(long word) {
        return step.applyAsLong(word);
    }
}
