// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.page.PageId;
import dev.holdfast.io.sim.SeededRandom;
import java.nio.ByteBuffer;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** If this fails, a page is handed out twice or lost. */
final class FreePagesPropertyTest {
    private static final int OPERATIONS = 20_000;

    @ParameterizedTest
    @CsvSource({"4096, 1", "4096, 2", "4096, 3", "8192, 4", "16384, 5", "32768, 6", "65536, 7"})
    void givenRandomOperations_whenComparedWithASet_thenTheSamePagesAreFree(
            int pageBytes, long seed) {
        SeededRandom random = new SeededRandom(seed);
        int extent = AllocationMap.pagesPerExtent(pageBytes);
        FreePages pages = opened(pageBytes, 2L * extent);
        TreeSet<Integer> model = new TreeSet<>();
        TreeSet<Integer> taken = new TreeSet<>();
        addRange(model, 0, 2 * extent, pageBytes);

        for (int i = 0; i < OPERATIONS; i++) {
            step(random, pages, model, taken, extent, pageBytes);
            if (i % 500 == 0) {
                pages.checkInvariants();
                assertThat(pages.free()).isEqualTo(model.size());
            }
        }

        for (int page = 0; page < pages.pageCount(); page++) {
            assertThat(pages.isAvailable(page)).as("page=%s", page).isEqualTo(model.contains(page));
        }
    }

    private static void step(
            SeededRandom random,
            FreePages pages,
            NavigableSet<Integer> model,
            NavigableSet<Integer> taken,
            int extent,
            int pageBytes) {
        int pageCount = (int) pages.pageCount();
        switch (random.nextInt(20)) {
            case 0 -> {
                if (pageCount < 40 * extent) {
                    int grown = pageCount + extent * (1 + random.nextInt(3));
                    pages.grow(grown);
                    addRange(model, pageCount, grown, pageBytes);
                }
            }
            case 1 -> {
                int cut = extent * (1 + random.nextInt(pageCount / extent));
                boolean allFree = taken.isEmpty() || taken.last() < cut;
                assertThat(pages.shrink(cut)).isEqualTo(allFree);
                if (allFree) {
                    model.tailSet(cut).clear();
                }
            }
            case 2, 3, 4, 5, 6, 7, 8, 9 -> {
                if (!taken.isEmpty()) {
                    Integer page = taken.ceiling(random.nextInt(pageCount));
                    page = page == null ? taken.first() : page;
                    taken.remove(page);
                    pages.give(page);
                    model.add(page);
                }
            }
            default -> {
                int near = random.nextInt(pageCount);
                int[] target = new int[1 + random.nextInt(8)];
                boolean enough = model.size() >= target.length;
                int hint = random.nextInt(4) == 0 ? PageId.NULL_PAGE_NUMBER : near;
                assertThat(pages.take(target.length, hint, target)).isEqualTo(enough);
                for (int page : enough ? target : new int[0]) {
                    assertThat(model.remove(page)).as("handed out: page=%s", page).isTrue();
                    taken.add(page);
                }
            }
        }
    }

    private static FreePages opened(int pageBytes, long pageCount) {
        FreePages pages = new FreePages(pageBytes, pageCount);
        ByteBuffer map = ByteBuffer.allocateDirect(pageBytes);
        for (int group = 0; group < pages.groupCount(); group++) {
            AllocationMap.initializeEntries(map, 0, pageBytes, group);
            pages.load(group, pages.newRow(), map, 0);
        }
        return pages;
    }

    private static void addRange(NavigableSet<Integer> model, int from, int to, int pageBytes) {
        for (int page = from; page < to; page++) {
            if (!AllocationMap.isSystemPage(page, pageBytes)) {
                model.add(page);
            }
        }
    }
}
