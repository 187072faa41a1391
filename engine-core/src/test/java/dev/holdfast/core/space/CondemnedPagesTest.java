// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.space;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A scan that meets pages which are being condemned. If this failed, a page could be freed twice,
 * the second time under its new owner.
 */
final class CondemnedPagesTest {
    private static final int PAGE_BYTES = 4096;
    private static final int TREE = 77;
    private static final int REDO_BYTES = 4096;
    private static final int ROUNDS = 20;

    private SpaceFixture fixture;

    @BeforeEach
    void open() {
        fixture = new SpaceFixture(PAGE_BYTES).start(false);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void givenAGroupThatHasNotToldTheQueue_whenTheMapIsScanned_thenThePageIsFreedOnce() {
        Space space = fixture.create(16);
        MiniTransaction mtr = fixture.mtr();
        int page = allocate(mtr, space);
        long pageId = PageId.of(16, page);
        mtr.begin(REDO_BYTES, 1, true);
        assertThat(space.fixMap(mtr, pageId)).isTrue();
        mtr.onCommit(
                published -> {
                    space.condemnedQueue().mark(0);
                    fixture.spaces.putCondemned(space);
                    runRounds();
                    assertThat(space.freePages().isAvailable(page)).isFalse();
                },
                pageId);
        space.condemn(mtr, pageId, false);

        mtr.commit();

        runRounds();
        assertThat(space.freePages().isAvailable(page)).isTrue();
        assertThat(CondemnedPages.hasWork(space)).isFalse();
    }

    private void runRounds() {
        for (int i = 0; i < ROUNDS; i++) {
            fixture.condemned.run();
        }
    }

    private static int allocate(MiniTransaction mtr, Space space) {
        try (PageReservation pages = space.reserve(1, PageId.NULL_PAGE_NUMBER, false)) {
            mtr.begin(REDO_BYTES, 2, false);
            pages.fixMaps(mtr);
            int frame = space.allocate(mtr, pages, TREE, PageType.LEAF);
            int page = PageId.pageNumber(mtr.pageId(frame));
            mtr.commit();
            return page;
        }
    }
}
