// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.dblwr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DoublewriteMode;
import dev.holdfast.core.page.FormatTable;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.memory.PageMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** If this failed, a torn page would have no sound copy, or a copy would be taken that is none. */
final class DoublewriteTest {
    private static final int PAGE_BYTES = 4096;
    private static final int PAGES = 8;
    private static final UUID STORE = new UUID(1, 2);

    private final MemoryDirectory directory = MemoryDirectory.create();
    private final Counters counters = new Counters();
    private final ByteBuffer page = ByteBuffer.allocateDirect(PAGE_BYTES);

    @BeforeEach
    void createFiles() throws IOException {
        Doublewrite.create(directory, options(DoublewriteMode.ON));
    }

    @Test
    void givenTheByteTables_whenComparedWithTheOffsets_thenTheyAgree() throws Exception {
        Map<String, Integer> rows = new TreeMap<>(FormatTable.rows("doublewrite.md"));

        assertThat(FormatTable.constants(DoublewriteLayout.class)).isEqualTo(rows);
    }

    @Test
    void givenAWrittenBatch_whenRead_thenEveryCopyIsThere() throws IOException {
        writeBatch(3);

        var copies = read(STORE, PAGE_BYTES);

        assertThat(copies)
                .extracting(Copy::pageId)
                .containsExactly(PageId.of(16, 0), PageId.of(16, 1), PageId.of(16, 2));
        assertThat(copies).extracting(Copy::logLsn).containsOnly(900L);
        assertThat(copies).extracting(Copy::pageLsn).containsExactly(100L, 101L, 102L);
        assertThat(PageHeader.pageLsn(copies.get(2).image(), 0)).isEqualTo(102);
        assertThat(counters.sum(Counter.DOUBLEWRITE_PAGES)).isEqualTo(3);
    }

    @Test
    void givenASmallerBatchOverALargerOne_whenRead_thenOnlyTheNewCopiesCount() throws IOException {
        writeBatch(5);
        writeBatch(5);
        writeBatch(2);

        var copies = read(STORE, PAGE_BYTES);

        assertThat(copies).hasSize(2 + 5);
    }

    @Test
    void givenAnotherStoresFiles_whenRead_thenNoCopyCounts() throws IOException {
        writeBatch(3);

        assertThat(read(new UUID(1, 3), PAGE_BYTES)).isEmpty();
        assertThat(read(STORE, 2 * PAGE_BYTES)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 12, 16, 40, 44, 48, 64, 71, 100, 3000, 4092, 4095})
    void givenAFlippedBitInTheHeader_whenRead_thenNoCopyCounts(int offset) throws IOException {
        writeBatch(3);

        flip(offset);

        assertThat(read(STORE, PAGE_BYTES)).isEmpty();
    }

    @Test
    void givenAFlippedBitInAnImage_whenRead_thenThatCopyAloneIsDropped() throws IOException {
        writeBatch(3);

        flip((int) DoublewriteLayout.image(3, 1, PAGE_BYTES) + 77);

        assertThat(read(STORE, PAGE_BYTES))
                .extracting(Copy::pageId)
                .containsExactly(PageId.of(16, 0), PageId.of(16, 2));
    }

    @Test
    void givenATruncatedFile_whenRead_thenTheWholeCopiesCount() throws IOException {
        writeBatch(3);
        try (StorageFile file = directory.open(Doublewrite.fileName(0))) {
            file.truncate(DoublewriteLayout.image(3, 1, PAGE_BYTES) + 100);
        }

        assertThat(read(STORE, PAGE_BYTES)).hasSize(1);
    }

    @Test
    void givenAMissingFile_whenOpened_thenItIsMadeAgain() throws IOException {
        directory.delete(Doublewrite.fileName(0));

        writeBatch(2);

        assertThat(read(STORE, PAGE_BYTES)).hasSize(2);
    }

    @Test
    void givenDoublewriteOff_whenABatchIsWritten_thenTheFilesStayEmpty() throws IOException {
        try (Doublewrite off = open(DoublewriteMode.OFF)) {
            DoublewriteBatch batch = off.acquire();
            batch.add(PageId.of(16, 0), page, 0, 1, 1);
            batch.write();
            batch.sync();
            batch.release();
        }

        assertThat(read(STORE, PAGE_BYTES)).isEmpty();
    }

    @Test
    void givenCopiesInTheOrderOfTheirIds_whenAskedForRuns_thenNeighboursOfOneSpaceAreOne()
            throws IOException {
        try (Doublewrite doublewrite = open(DoublewriteMode.ON)) {
            DoublewriteBatch batch = doublewrite.acquire();
            for (int pageNumber : new int[] {3, 4, 5, 9}) {
                batch.add(PageId.of(16, pageNumber), page, 0, 1, 1);
            }
            batch.add(PageId.of(17, 10), page, 0, 1, 1);

            assertThat(batch.endOfRun(0)).isEqualTo(3);
            assertThat(batch.endOfRun(3)).isEqualTo(4);
            assertThat(batch.endOfRun(4)).isEqualTo(5);
            assertThat(batch.images(0, 3).remaining()).isEqualTo(3 * PAGE_BYTES);
            assertThat(doublewrite.acquire().slot()).isNotEqualTo(batch.slot());
        }
    }

    private static DoublewriteOptions options(DoublewriteMode mode) {
        return new DoublewriteOptions(mode, 2, PAGES, PAGE_BYTES);
    }

    private Doublewrite open(DoublewriteMode mode) throws IOException {
        return Doublewrite.open(directory, options(mode), STORE, counters);
    }

    /** A copy whose image is what its entry says. */
    private record Copy(long pageId, long pageLsn, long logLsn, ByteBuffer image) {}

    private List<Copy> read(UUID store, int pageBytes) throws IOException {
        List<Copy> copies = new ArrayList<>();
        try (var doublewrite = DoublewriteRecovery.open(directory, store, pageBytes)) {
            for (DoublewriteEntry entry : doublewrite.entries()) {
                ByteBuffer image = ByteBuffer.allocateDirect(pageBytes);
                if (doublewrite.readImage(entry, image)) {
                    copies.add(new Copy(entry.pageId(), entry.pageLsn(), entry.logLsn(), image));
                }
            }
        }
        return copies;
    }

    private void writeBatch(int pages) throws IOException {
        try (Doublewrite doublewrite = open(DoublewriteMode.ON)) {
            if (counters.sum(Counter.DOUBLEWRITE_BATCHES) == 1) {
                doublewrite.acquire();
            }
            DoublewriteBatch batch = doublewrite.acquire();
            for (int i = 0; i < pages; i++) {
                PageMemory.fill(page, 0, PAGE_BYTES, (byte) i);
                long pageId = PageId.of(16, i);
                PageHeader.initialize(page, 0, PAGE_BYTES, pageId, 20, PageType.LEAF);
                PageHeader.pageLsn(page, 0, 100 + i);
                batch.add(pageId, page, 0, 900, 90);
            }
            batch.write();
            batch.sync();
            batch.release();
        }
    }

    private void flip(int offset) throws IOException {
        ByteBuffer one = ByteBuffer.allocateDirect(1);
        try (StorageFile file = directory.open(Doublewrite.fileName(0))) {
            file.read(offset, one);
            one.flip();
            one.put(0, (byte) (one.get(0) ^ 1));
            file.write(offset, one);
        }
    }
}
