// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.bench.workload.ZipfRows;
import java.util.SplittableRandom;

/** Which pages are wanted. */
public enum PageChoice {
    /** Each as likely as any other. */
    UNIFORM {
        @Override
        Source over(long pages) {
            return (random, newest) -> random.nextLong(pages);
        }
    },

    /** Those dirtied last, the more likely the newer: what is appended is read soon. */
    LATEST {
        @Override
        Source over(long pages) {
            ZipfRows ages = new ZipfRows(pages);
            return (random, newest) ->
                    Math.floorMod(newest - ages.rank(random.nextDouble()), pages);
        }
    },

    /** A few often, wherever they are. */
    ZIPF {
        @Override
        Source over(long pages) {
            ZipfRows rows = new ZipfRows(pages);
            return (random, newest) -> rows.next(random);
        }
    };

    /** Prepares for a file of so many pages. */
    abstract Source over(long pages);

    /** Gives pages, to all threads. */
    interface Source {
        /**
         * Returns the number of a page.
         *
         * @param newest the number of pages dirtied until now, whose last is the newest
         */
        long next(SplittableRandom random, long newest);
    }
}
