// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import static dev.holdfast.core.recovery.RepairFixture.copy;
import static dev.holdfast.core.recovery.RepairFixture.pageId;
import static dev.holdfast.core.recovery.RepairFixture.torn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DoublewriteMode;
import dev.holdfast.core.recovery.RepairFixture.Copy;
import dev.holdfast.io.checksum.PageChecksum;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.file.MemoryDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * If this failed, a write that a loss of power cut in the middle would leave a page that is neither
 * its old nor its new self, wherever the cut is.
 */
final class TornPageTest {
    private static final int SECTOR = 512;
    private static final int FIRST_PAGE = 4;
    private static final int PAGES = 3;
    private static final long OLD_LSN = 900;
    private static final long NEW_LSN = 1300;
    private static final long LOG_LSN = 1350;

    @ParameterizedTest
    @CsvSource({
        "4096, CRC32C",
        "4096, NONE",
        "4096, WORD",
        "4096, LEGACY",
        "16384, CRC32C",
        "65536, NONE"
    })
    void givenAPageTornAtAnySector_whenRepaired_thenItIsTheNewOne(int pageBytes, String kindName)
            throws IOException {
        PageChecksum kind = PageChecksums.byName(kindName);
        try (RepairFixture fixture =
                RepairFixture.create(MemoryDirectory.create(), pageBytes, kind)) {
            List<byte[]> olds = images(fixture, OLD_LSN, kind);
            List<byte[]> news = images(fixture, NEW_LSN, kind);
            fixture.writeBatch(DoublewriteMode.ON, 1, 0, copies(news));
            for (int i = 0; i < PAGES; i++) {
                fixture.writePage(pageId(FIRST_PAGE + i), olds.get(i));
            }
            for (int i = 0; i < PAGES; i++) {
                long pageId = pageId(FIRST_PAGE + i);
                for (int at = 0; at <= pageBytes; at += SECTOR) {
                    for (boolean newHead : new boolean[] {true, false}) {
                        byte[] head = newHead ? news.get(i) : olds.get(i);
                        byte[] tail = newHead ? olds.get(i) : news.get(i);
                        fixture.writePage(pageId, torn(head, tail, at));

                        DoublewriteRepair.Result result = fixture.repair();

                        assertThat(fixture.readPage(pageId))
                                .as("page=%d, boundary=%d, newHead=%s", i, at, newHead)
                                .isEqualTo(news.get(i));
                        assertThat(result.doubts()).isEmpty();
                        assertThat(result.newestLsn()).isEqualTo(NEW_LSN + PAGES - 1);
                        assertThat(result.newestFile()).isEqualTo("doublewrite/0.hfd");
                    }
                }
            }
        }
    }

    /**
     * The batch was torn on its way to the doublewrite file, so no page of it was written. The file
     * held an older batch of the same, of a smaller or a greater number of pages.
     */
    @ParameterizedTest
    @CsvSource({"2, 3", "3, 3", "3, 2", "0, 3"})
    void givenADoublewriteFileTornAtAnySector_whenRepaired_thenEachPageIsTheOldOrTheNewOne(
            int pagesBefore, int pages) throws IOException {
        int pageBytes = 4096;
        PageChecksum kind = PageChecksums.CRC32C;
        String name = "doublewrite/0.hfd";
        try (RepairFixture fixture =
                RepairFixture.create(MemoryDirectory.create(), pageBytes, kind)) {
            List<byte[]> olds = images(fixture, OLD_LSN, kind);
            List<byte[]> news = images(fixture, NEW_LSN, kind);
            if (pagesBefore > 0) {
                fixture.writeBatch(DoublewriteMode.ON, 1, 0, copies(olds.subList(0, pagesBefore)));
            } else {
                fixture.writeBatch(DoublewriteMode.ON, 1, 0);
            }
            byte[] before = fixture.contents(name);
            fixture.writeBatch(DoublewriteMode.ON, 1, 0, copies(news.subList(0, pages)));
            byte[] after = fixture.contents(name);
            assertThat(after).hasSameSizeAs(before);
            for (int at = 0; at <= after.length; at += SECTOR) {
                for (boolean newHead : new boolean[] {true, false}) {
                    byte[] content = newHead ? torn(after, before, at) : torn(before, after, at);
                    fixture.overwrite(name, 0, content);
                    for (int i = 0; i < PAGES; i++) {
                        fixture.writePage(pageId(FIRST_PAGE + i), olds.get(i));
                    }

                    DoublewriteRepair.Result result = fixture.repair();

                    String where = "boundary=" + at + ", newHead=" + newHead;
                    boolean newHeader = Arrays.equals(content, 0, 4096, after, 0, 4096);
                    assertThat(result.doubts()).as(where).isEmpty();
                    for (int i = 0; i < PAGES; i++) {
                        int from = 4096 + i * pageBytes;
                        boolean newImage =
                                i < pages
                                        && Arrays.equals(
                                                content,
                                                from,
                                                from + pageBytes,
                                                news.get(i),
                                                0,
                                                pageBytes);
                        assertThat(fixture.readPage(pageId(FIRST_PAGE + i)))
                                .as("%s, page=%d", where, i)
                                .isEqualTo(newHeader && newImage ? news.get(i) : olds.get(i));
                    }
                }
            }
        }
    }

    private static List<byte[]> images(RepairFixture fixture, long lsn, PageChecksum kind) {
        List<byte[]> images = new ArrayList<>();
        for (int i = 0; i < PAGES; i++) {
            images.add(fixture.image(pageId(FIRST_PAGE + i), lsn + i, kind));
        }
        return images;
    }

    private static Copy[] copies(List<byte[]> images) {
        Copy[] copies = new Copy[images.size()];
        for (int i = 0; i < copies.length; i++) {
            copies[i] = copy(pageId(FIRST_PAGE + i), images.get(i), LOG_LSN);
        }
        return copies;
    }
}
