// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.page.PageId;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** If this fails, pages of a tree lie apart on disk, or pages that nobody may have are given. */
final class FreePagesTest {
    private static final int PAGE_BYTES = 4096;
    private static final int EXTENT = AllocationMap.pagesPerExtent(PAGE_BYTES);
    private static final int GROUP = AllocationMap.pagesPerGroup(PAGE_BYTES);

    private final ByteBuffer map = ByteBuffer.allocateDirect(PAGE_BYTES);
    private final FreePages pages = new FreePages(PAGE_BYTES, 4L * EXTENT);

    @Test
    void givenNoGroupLoaded_whenPagesAreWanted_thenNoneIsKnown() {
        assertThat(pages.free()).isZero();

        assertThat(pages.take(1, PageId.NULL_PAGE_NUMBER, new int[1])).isFalse();
    }

    @Test
    void givenNoHint_whenAPageIsWanted_thenItIsTheLowest() {
        load(0);

        assertThat(take(PageId.NULL_PAGE_NUMBER)).isEqualTo(AllocationMap.FIRST_FREE_PAGE);
    }

    @Test
    void givenRoomBehindTheHint_whenPagesAreWanted_thenTheyFollowIt() {
        load(0);
        int[] taken = new int[3];

        assertThat(pages.take(3, 40, taken)).isTrue();

        assertThat(taken).containsExactly(41, 42, 43);
    }

    @Test
    void givenAFullExtent_whenItsTreeGrows_thenAWholeExtentIsBegun() {
        load(0);
        load(1);
        while (pages.isAvailable(2) || pages.isAvailable(EXTENT - 1)) {
            take(2);
        }
        take(EXTENT);

        // The second extent of group 0 is no longer whole; the first of group 1 is.
        assertThat(take(2)).isEqualTo(GROUP);
    }

    @Test
    void givenAUsedEntry_whenTheGroupIsLoaded_thenThatPageIsNotGiven() {
        AllocationMap.initializeEntries(map, 0, PAGE_BYTES, 0);
        PageMemory.putLong(
                map,
                AllocationMap.entryOffset(2),
                AllocationMap.entry(AllocationMap.CONDEMNED, 16));

        pages.load(0, pages.newRow(), map, 0);

        assertThat(pages.isAvailable(2)).isFalse();
        assertThat(take(PageId.NULL_PAGE_NUMBER)).isEqualTo(3);
    }

    @Test
    void givenALoadedGroup_whenItIsLoadedAgain_thenNothingChanges() {
        load(0);
        int page = take(PageId.NULL_PAGE_NUMBER);

        load(0);

        assertThat(pages.isAvailable(page)).isFalse();
    }

    private int take(int near) {
        int[] one = new int[1];
        assertThat(pages.take(1, near, one)).isTrue();
        return one[0];
    }

    private void load(int group) {
        AllocationMap.initializeEntries(map, 0, PAGE_BYTES, group);
        pages.load(group, pages.newRow(), map, 0);
    }
}
