// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** If this failed, a load were not as skewed as it says, or left its file. */
class PageChoiceTest {
    private static final long PAGES = 1_000;
    private static final int DRAWS = 20_000;

    private final SplittableRandom random = new SplittableRandom(7);

    @ParameterizedTest
    @EnumSource
    void givenAFile_whenPagesAreChosen_thenTheyAreInIt(PageChoice choice) {
        PageChoice.Source source = choice.over(PAGES);

        for (int i = 0; i < DRAWS; i++) {
            assertThat(source.next(random, i)).isBetween(0L, PAGES - 1);
        }
    }

    @Test
    void givenLatest_whenPagesAreChosen_thenTheNewestComeMost() {
        PageChoice.Source source = PageChoice.LATEST.over(PAGES);

        int near = 0;
        for (int i = 0; i < DRAWS; i++) {
            long age = Math.floorMod(500 - source.next(random, 500), PAGES);
            near += age < PAGES / 10 ? 1 : 0;
        }

        assertThat(near).isGreaterThan(DRAWS / 2);
    }

    @Test
    void givenUniform_whenPagesAreChosen_thenNoneIsPreferred() {
        PageChoice.Source source = PageChoice.UNIFORM.over(PAGES);

        int low = 0;
        for (int i = 0; i < DRAWS; i++) {
            low += source.next(random, 0) < PAGES / 10 ? 1 : 0;
        }

        assertThat(low).isBetween(DRAWS / 13, DRAWS / 8);
    }
}
