// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import static dev.holdfast.core.recovery.RepairFixture.CHECKPOINT;
import static dev.holdfast.core.recovery.RepairFixture.pageId;
import static dev.holdfast.core.recovery.RepairFixture.torn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DoublewriteMode;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.recovery.RepairFixture.Copy;
import dev.holdfast.core.space.AllocationMap;
import dev.holdfast.io.checksum.PageChecksum;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.file.MemoryDirectory;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * If this failed, a page that is torn, or whose newest write the disk has lost, would be taken for
 * a good one although an entry tells, or a good one would be accused.
 */
final class DoublewriteDetectionTest {
    private static final int PAGE_BYTES = 4096;
    private static final long PAGE = pageId(5);

    /** The page as it was durable before the write that the entry tells of. */
    private static final long BEFORE_LSN = 800;

    private static final long NEW_LSN = 1300;
    private static final long LATER_LSN = 1400;
    private static final long LOG_LSN = 1350;

    private enum Place {
        NEW,
        LATER,
        BEFORE,
        TORN,
        /** Torn in the middle: header and trailer are the new ones. */
        TORN_INSIDE,
        ZERO
    }

    private enum Verdict {
        GOOD,
        /** Any reader finds it damaged. */
        SHOWS,
        /** Looks sound and is not. */
        LOOKS_SOUND
    }

    private enum Entry {
        /** The oldest change of the copy begins below the checkpoint: it was written and synced. */
        WAS_DURABLE(900, LOG_LSN),
        /** It begins at the checkpoint, so redo brings it back. */
        IN_THE_LOG(CHECKPOINT, LOG_LSN),
        /** Later changes may begin below the checkpoint. */
        STALE(900, CHECKPOINT - 1);

        private final long recoveryLsn;
        private final long logLsn;

        Entry(long recoveryLsn, long logLsn) {
            this.recoveryLsn = recoveryLsn;
            this.logLsn = logLsn;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"CRC32C", "NONE"})
    void givenAnyPageAndAnyEntry_whenOpened_thenItIsAccusedIfAndOnlyIfItIsDamaged(String kindName)
            throws IOException {
        PageChecksum kind = PageChecksums.byName(kindName);
        for (Entry entry : Entry.values()) {
            for (Place place : Place.values()) {
                try (RepairFixture fixture = create(kind)) {
                    byte[] image = fixture.image(PAGE, NEW_LSN, kind);
                    fixture.writeBatch(
                            DoublewriteMode.DETECT_ONLY,
                            3,
                            2,
                            new Copy(PAGE, image, entry.logLsn, entry.recoveryLsn));
                    byte[] before = bytes(fixture, place, kind);
                    fixture.writePage(PAGE, before);

                    DoublewriteRepair.Result result = fixture.repair();

                    assertThat(verdict(result))
                            .as("kind=%s, entry=%s, place=%s", kindName, entry, place)
                            .isEqualTo(oracle(entry, place, kind));
                    assertThat(result.repaired()).isEmpty();
                    assertThat(fixture.readPage(PAGE)).isEqualTo(before);
                }
            }
        }
    }

    private static Verdict oracle(Entry entry, Place place, PageChecksum kind) {
        if (entry == Entry.STALE) {
            return Verdict.GOOD;
        }
        return switch (place) {
            case NEW, LATER -> Verdict.GOOD;
            case BEFORE -> entry == Entry.WAS_DURABLE ? Verdict.LOOKS_SOUND : Verdict.GOOD;
            case TORN, ZERO -> Verdict.SHOWS;
            case TORN_INSIDE -> kind == PageChecksums.NONE ? Verdict.LOOKS_SOUND : Verdict.SHOWS;
        };
    }

    private static Verdict verdict(DoublewriteRepair.Result result) {
        if (result.doubts().isEmpty()) {
            return Verdict.GOOD;
        }
        assertThat(result.doubts()).hasSize(1);
        DoubtfulPage doubt = result.doubts().get(0);
        assertThat(doubt.pageId()).isEqualTo(PAGE);
        assertThat(doubt.fault().file()).isEqualTo(RepairFixture.SPACE_FILE);
        assertThat(doubt.fault().spaceId()).isEqualTo(PageId.spaceId(PAGE));
        assertThat(doubt.fault().pageNumber()).isEqualTo(PageId.pageNumber(PAGE));
        return doubt.looksSound() ? Verdict.LOOKS_SOUND : Verdict.SHOWS;
    }

    private static byte[] bytes(RepairFixture fixture, Place place, PageChecksum kind) {
        byte[] before = fixture.image(PAGE, BEFORE_LSN, kind);
        byte[] newest = fixture.image(PAGE, NEW_LSN, kind);
        return switch (place) {
            case NEW -> newest;
            case LATER -> fixture.image(PAGE, LATER_LSN, kind);
            case BEFORE -> before;
            case TORN -> torn(newest, before, 2048);
            case TORN_INSIDE -> torn(torn(newest, before, 1024), newest, 3072);
            case ZERO -> new byte[PAGE_BYTES];
        };
    }

    /**
     * A conversion seals pages anew without changing them: so a page may have none for a while, and
     * may be dirty from an LSN on that is above its own.
     */
    @Test
    void givenAPageThatWasSealedAnew_whenOpened_thenItIsNotAccused() throws IOException {
        try (RepairFixture fixture = create(PageChecksums.CRC32C)) {
            fixture.allow(PageChecksums.NONE, PageChecksums.CRC32C);
            byte[] image = fixture.image(PAGE, NEW_LSN, PageChecksums.CRC32C);
            byte[] untouched = fixture.image(pageId(6), BEFORE_LSN, PageChecksums.CRC32C);
            fixture.writeBatch(
                    DoublewriteMode.DETECT_ONLY,
                    1,
                    0,
                    new Copy(PAGE, image, LOG_LSN, 1340),
                    new Copy(pageId(6), untouched, LOG_LSN, 900));
            fixture.writePage(PAGE, fixture.image(PAGE, NEW_LSN, PageChecksums.NONE));
            fixture.writePage(pageId(6), fixture.image(pageId(6), BEFORE_LSN, PageChecksums.NONE));

            assertThat(fixture.repair().doubts()).isEmpty();
        }
    }

    /**
     * The page was freed and then copied, and the crash came before it was written. Redo of a free
     * page is left out, so it is as old as it was; a later checkpoint has passed what freed it.
     */
    @ParameterizedTest
    @ValueSource(strings = {"CRC32C", "NONE"})
    void givenAPageThatIsFree_whenItIsOlderThanItsEntry_thenItIsNotAccused(String kindName)
            throws IOException {
        PageChecksum kind = PageChecksums.byName(kindName);
        for (DoublewriteMode mode : List.of(DoublewriteMode.ON, DoublewriteMode.DETECT_ONLY)) {
            for (long entry : List.of(0L, AllocationMap.entry(AllocationMap.CONDEMNED, 20))) {
                try (RepairFixture fixture = lostWrite(mode, kind)) {
                    fixture.map(PageId.pageNumber(PAGE), entry, kind);

                    assertThat(verdict(fixture.repair()))
                            .as("mode=%s, entry=%d", mode, entry)
                            .isEqualTo(entry == 0 ? Verdict.GOOD : Verdict.LOOKS_SOUND);
                }
            }
        }
    }

    /** The file was to be cut, and a crash came before that. */
    @Test
    void givenAPageBehindTheEnd_whenItIsOlderThanItsEntry_thenItIsNotAccused() throws IOException {
        for (int pages : new int[] {PageId.pageNumber(PAGE), PageId.pageNumber(PAGE) + 1}) {
            try (RepairFixture fixture =
                    lostWrite(DoublewriteMode.DETECT_ONLY, PageChecksums.CRC32C)) {
                fixture.pageCount(pages, PageChecksums.CRC32C);

                assertThat(verdict(fixture.repair()))
                        .isEqualTo(
                                pages > PageId.pageNumber(PAGE)
                                        ? Verdict.LOOKS_SOUND
                                        : Verdict.GOOD);
            }
        }
    }

    /** A page older than its entry, which has no sound image. */
    private static RepairFixture lostWrite(DoublewriteMode mode, PageChecksum kind)
            throws IOException {
        RepairFixture fixture = create(kind);
        byte[] image = fixture.image(PAGE, NEW_LSN, kind);
        fixture.writeBatch(mode, 1, 0, new Copy(PAGE, image, LOG_LSN, 900));
        if (mode == DoublewriteMode.ON) {
            fixture.overwrite("doublewrite/0.hfd", 4096, new byte[4096]);
        }
        fixture.writePage(PAGE, fixture.image(PAGE, BEFORE_LSN, kind));
        return fixture;
    }

    /** Where pages bear no checksum headers bear none either. */
    @Test
    void givenAHeaderWithoutAChecksum_whenItIsAsItsEntrySays_thenNothingIsSaid()
            throws IOException {
        for (PageChecksum rotted : List.of(PageChecksums.NONE, PageChecksums.CRC32C)) {
            try (RepairFixture fixture = create(rotted)) {
                byte[] header = fixture.readPage(pageId(0));
                fixture.writeBatch(
                        DoublewriteMode.DETECT_ONLY,
                        1,
                        0,
                        new Copy(pageId(0), header, LOG_LSN, 1340));
                header[PageHeader.CHECKSUM_KIND_OFFSET] = PageChecksums.NONE.code();
                fixture.writePage(pageId(0), header);

                assertThat(fixture.repair().doubts()).hasSize(rotted == PageChecksums.NONE ? 0 : 1);
            }
        }
    }

    /** A copy of an earlier open goes back; what it lacks begins at the checkpoint or above it. */
    @Test
    void givenAnEntryAndACopyOfAnEarlierOpen_whenThePageIsTorn_thenTheCopyGoesBack()
            throws IOException {
        try (RepairFixture fixture = create(PageChecksums.CRC32C)) {
            byte[] copied = fixture.image(PAGE, 1100, PageChecksums.CRC32C);
            byte[] written = fixture.image(PAGE, NEW_LSN, PageChecksums.CRC32C);
            fixture.writeBatch(DoublewriteMode.ON, 2, 0, new Copy(PAGE, copied, 1150, CHECKPOINT));
            fixture.writeBatch(
                    DoublewriteMode.DETECT_ONLY, 2, 1, new Copy(PAGE, written, LOG_LSN, 1200));
            fixture.writePage(PAGE, torn(written, copied, 512));

            DoublewriteRepair.Result result = fixture.repair();

            assertThat(result.repaired()).containsExactly(PAGE);
            assertThat(result.doubts()).isEmpty();
            assertThat(fixture.readPage(PAGE)).isEqualTo(copied);
        }
    }

    /** Rot in the copy and a lost write: two faults, and still no silence. */
    @Test
    void givenACopyThatRotted_whenTheDiskLostTheWrite_thenThePageIsAccused() throws IOException {
        try (RepairFixture fixture = create(PageChecksums.CRC32C)) {
            byte[] image = fixture.image(PAGE, NEW_LSN, PageChecksums.CRC32C);
            fixture.writeBatch(DoublewriteMode.ON, 1, 0, new Copy(PAGE, image, LOG_LSN, 900));
            fixture.overwrite("doublewrite/0.hfd", 4096 + 100, new byte[] {1, 2, 3});
            fixture.writePage(PAGE, fixture.image(PAGE, BEFORE_LSN, PageChecksums.CRC32C));

            assertThat(verdict(fixture.repair())).isEqualTo(Verdict.LOOKS_SOUND);
        }
    }

    @Test
    void givenAnEntryTornAtAnySector_whenOpened_thenNothingIsSaidThatIsNotSo() throws IOException {
        try (RepairFixture fixture = create(PageChecksums.CRC32C)) {
            Copy[] copies = new Copy[100]; // a header of two blocks
            for (int i = 0; i < copies.length; i++) {
                long pageId = pageId(2 + i);
                byte[] image = fixture.image(pageId, NEW_LSN, PageChecksums.CRC32C);
                fixture.writePage(pageId, fixture.image(pageId, BEFORE_LSN, PageChecksums.CRC32C));
                copies[i] = new Copy(pageId, image, LOG_LSN, 900);
            }
            fixture.writeBatch(DoublewriteMode.DETECT_ONLY, 1, 0, copies);
            String name = "doublewrite/0.hfd";
            byte[] written = fixture.contents(name);
            assertThat(written).hasSize(8192);
            for (int at = 0; at < written.length; at += 512) {
                for (byte[] content :
                        List.of(
                                torn(new byte[8192], written, at),
                                torn(written, new byte[8192], at))) {
                    fixture.overwrite(name, 0, content);

                    int expected = Arrays.equals(content, written) ? copies.length : 0;
                    assertThat(fixture.repair().doubts()).as("boundary=%d", at).hasSize(expected);
                }
            }
        }
    }

    private static RepairFixture create(PageChecksum kind) throws IOException {
        return RepairFixture.create(MemoryDirectory.create(), PAGE_BYTES, kind);
    }
}
