// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.watch.BackgroundAgent;
import java.io.IOException;

/**
 * The one thread that makes data files longer: ahead of need where it can, so that nobody waits,
 * and for those who wait where it could not. Its log space and frames are of the reserve.
 */
public final class GrowthAgent implements BackgroundAgent.Body {
    private final Spaces spaces;
    private final MiniTransaction mtr;

    /** Uses the mini-transaction alone. */
    public GrowthAgent(Spaces spaces, MiniTransaction mtr) {
        this.spaces = spaces;
        this.mtr = mtr;
    }

    @Override
    public boolean run() throws IOException {
        Space space = spaces.nextGrowing();
        if (space == null) {
            return false;
        }
        boolean done = false;
        try {
            new SpaceGrowth(space, mtr).run();
            done = true;
        } finally {
            if (!done) {
                // Out of memory is met by another round; whatever else it was, the engine fails.
                spaces.wantGrowth(space);
            }
        }
        return spaces.hasGrowing();
    }
}
