// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/** What a thread wants of a latch, and what the latch's word says to that. */
enum Mode {
    SHARED,
    UPDATE,
    EXCLUSIVE,
    /** Exclusive, by a thread that holds update and keeps it meanwhile. */
    UPGRADE,
    /** To know that exclusive was released; acquires nothing. */
    NOT_EXCLUSIVE;

    /*
     * Comparisons, neither a switch nor a body per constant: a switch over an enum is compiled to a
     * class of its own, and none may be loaded under a queue lock.
     */

    /**
     * Whether the word lets a thread in.
     *
     * @param woken whether the thread was woken from the queue and so has had its wait
     */
    boolean isAdmittedBy(long word, boolean woken) {
        if (this == EXCLUSIVE) {
            return LatchWord.admitsExclusive(word);
        }
        if (this == SHARED) {
            return woken ? LatchWord.admitsWokenShared(word) : LatchWord.admitsShared(word);
        }
        if (this == UPDATE) {
            return woken ? LatchWord.admitsWokenUpdate(word) : LatchWord.admitsUpdate(word);
        }
        return this == UPGRADE ? LatchWord.admitsUpgrade(word) : !LatchWord.isExclusive(word);
    }

    /** The word when the thread that it admits has come in. */
    long acquired(long word) {
        if (this == EXCLUSIVE) {
            return LatchWord.exclusiveAcquired(word);
        }
        if (this == SHARED) {
            return LatchWord.sharedAcquired(word);
        }
        return this == UPDATE ? LatchWord.updateAcquired(word) : LatchWord.upgraded(word);
    }

    /** The word when the thread that it does not admit has queued. */
    long queued(long word) {
        if (this == UPGRADE) {
            return LatchWord.upgradeAwaited(word);
        }
        return LatchWord.waitersSet(word, this != UPDATE || LatchWord.updateWaitBars(word));
    }
}
