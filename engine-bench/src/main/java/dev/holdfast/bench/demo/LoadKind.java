// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

/** What the mixed load does; the share is in percent of its calls. */
enum LoadKind {
    READ(60),
    SCAN(9),
    UPDATE(15),
    TRANSFER(15),
    AUDIT(1);

    private final int share;

    LoadKind(int share) {
        this.share = share;
    }

    /** Returns the kind for a number from 0 to 99. */
    static LoadKind of(int percent) {
        int below = 0;
        for (LoadKind kind : values()) {
            below += kind.share;
            if (percent < below) {
                return kind;
            }
        }
        throw new IllegalArgumentException("not a percentage: percent=" + percent);
    }
}
