// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import static dev.holdfast.core.recovery.RepairFixture.CHECKPOINT;
import static dev.holdfast.core.recovery.RepairFixture.SPACE;
import static dev.holdfast.core.recovery.RepairFixture.copy;
import static dev.holdfast.core.recovery.RepairFixture.pageId;
import static dev.holdfast.core.recovery.RepairFixture.torn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DoublewriteMode;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.recovery.RepairFixture.Copy;
import dev.holdfast.io.checksum.PageChecksum;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.file.MemoryDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * If this failed, a page would be put back from a copy that is not the right one, or would not be
 * put back although there is one.
 */
final class DoublewriteRepairTest {
    private static final int PAGE_BYTES = 4096;
    private static final int SLOTS = 3;
    private static final long PAGE = pageId(5);
    private static final long OLDEST_LSN = 900;
    private static final long OLD_LSN = 1200;
    private static final long NEW_LSN = 1300;
    private static final long LOG_LSN = 1350;

    /** What may be in the page's place. */
    private enum Place {
        NEW,
        OLDEST,
        TORN,
        /** Torn in the middle: header and trailer are the new ones. */
        TORN_INSIDE,
        ZERO,
        GARBAGE
    }

    /** What a slot may hold of the page. */
    private enum Slot {
        NOTHING,
        NEW,
        OLD,
        /** The newest, but a crash tore the image. */
        BAD,
        /** The newest and sound, but from before the checkpoint. */
        STALE
    }

    /**
     * All places and all slots in all orders, against an oracle that knows nothing of how the
     * repair goes about it.
     */
    @ParameterizedTest
    @ValueSource(strings = {"CRC32C", "NONE"})
    void givenAnyPageAndAnyCopies_whenRepaired_thenThePageIsWhatTheRuleSays(String kindName)
            throws IOException {
        PageChecksum kind = PageChecksums.byName(kindName);
        int cases = 0;
        for (Slot first : Slot.values()) {
            for (Slot second : Slot.values()) {
                for (Slot third : Slot.values()) {
                    List<Slot> slots = List.of(first, second, third);
                    try (RepairFixture fixture =
                            RepairFixture.create(MemoryDirectory.create(), PAGE_BYTES, kind)) {
                        for (int slot = 0; slot < SLOTS; slot++) {
                            fill(fixture, slot, slots.get(slot), kind);
                        }
                        for (Place place : Place.values()) {
                            check(fixture, place, slots, kind);
                            cases++;
                        }
                    }
                }
            }
        }
        assertThat(cases).isEqualTo(5 * 5 * 5 * 6);
    }

    private static void check(
            RepairFixture fixture, Place place, List<Slot> slots, PageChecksum kind)
            throws IOException {
        byte[] before = bytes(fixture, place, kind);
        fixture.writePage(PAGE, before);

        DoublewriteRepair.Result result = fixture.repair();

        String what = "kind=" + kind.name() + ", place=" + place + ", slots=" + slots;
        byte[] after = fixture.readPage(PAGE);
        assertThat(after).as(what).isEqualTo(oracle(fixture, place, slots, kind));
        assertThat(!result.repaired().isEmpty()).as(what).isEqualTo(!Arrays.equals(before, after));
        assertThat(fixture.repair().repaired()).as("again: " + what).isEmpty();
    }

    /** The rule (P10) in a few words. */
    private static byte[] oracle(
            RepairFixture fixture, Place place, List<Slot> slots, PageChecksum kind) {
        boolean hasNew = slots.contains(Slot.NEW);
        boolean hasOld = slots.contains(Slot.OLD);
        byte[] best =
                hasNew
                        ? fixture.image(PAGE, NEW_LSN, kind)
                        : hasOld ? fixture.image(PAGE, OLD_LSN, kind) : null;
        byte[] asItIs = bytes(fixture, place, kind);
        if (best == null || place == Place.NEW) {
            return asItIs;
        }
        // Without a checksum it cannot be told from the new one; only the new copy is as good.
        boolean isTakenForNew = place == Place.TORN_INSIDE && kind == PageChecksums.NONE;
        return isTakenForNew && !hasNew ? asItIs : best;
    }

    private static byte[] bytes(RepairFixture fixture, Place place, PageChecksum kind) {
        byte[] oldest = fixture.image(PAGE, OLDEST_LSN, kind);
        byte[] newest = fixture.image(PAGE, NEW_LSN, kind);
        return switch (place) {
            case NEW -> newest;
            case OLDEST -> oldest;
            case TORN -> torn(newest, oldest, 2048);
            case TORN_INSIDE -> torn(torn(newest, oldest, 1024), newest, 3072);
            case ZERO -> new byte[PAGE_BYTES];
            case GARBAGE -> {
                byte[] garbage = new byte[PAGE_BYTES];
                for (int i = 0; i < PAGE_BYTES; i++) {
                    garbage[i] = (byte) (i * 167 + 13);
                }
                yield garbage;
            }
        };
    }

    private static void fill(RepairFixture fixture, int slot, Slot content, PageChecksum kind)
            throws IOException {
        byte[] newest = fixture.image(PAGE, NEW_LSN, kind);
        List<Copy> copies = new ArrayList<>();
        // Another page before it, so that the image is not the first.
        copies.add(copy(pageId(3), fixture.image(pageId(3), OLD_LSN, kind), 0));
        switch (content) {
            case NOTHING -> {}
            case NEW, BAD -> copies.add(copy(PAGE, newest, LOG_LSN));
            case OLD -> copies.add(copy(PAGE, fixture.image(PAGE, OLD_LSN, kind), LOG_LSN));
            case STALE -> copies.add(copy(PAGE, newest, CHECKPOINT - 1));
        }
        fixture.writeBatch(DoublewriteMode.ON, SLOTS, slot, copies.toArray(new Copy[0]));
        if (content == Slot.BAD) {
            String name = "doublewrite/" + slot + ".hfd";
            fixture.overwrite(name, 4096 + PAGE_BYTES + 1024, new byte[512]);
        }
    }

    @Test
    void givenALogLsnAtTheCheckpoint_whenRepaired_thenTheCopyCounts() throws IOException {
        try (RepairFixture fixture = create(PageChecksums.CRC32C)) {
            byte[] image = fixture.image(PAGE, OLDEST_LSN, PageChecksums.CRC32C);
            fixture.writeBatch(DoublewriteMode.ON, 1, 0, copy(PAGE, image, CHECKPOINT));

            assertThat(fixture.repair().repaired()).containsExactly(PAGE);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 512", "512, 4096", "0, 4096"})
    void givenADamagedHeaderOfASpace_whenRepaired_thenItAndThePagesAreRight(int from, int to)
            throws IOException {
        try (RepairFixture fixture = create(PageChecksums.WORD)) {
            byte[] header = fixture.readPage(pageId(0));
            byte[] image = fixture.image(PAGE, NEW_LSN, PageChecksums.WORD);
            fixture.writeBatch(
                    DoublewriteMode.ON,
                    1,
                    0,
                    copy(PAGE, image, LOG_LSN),
                    copy(pageId(0), header, LOG_LSN));
            byte[] damaged = header.clone();
            Arrays.fill(damaged, from, to, (byte) 0);
            damaged[4095] ^= (byte) (from == 512 ? 1 : 0);
            fixture.writePage(pageId(0), damaged);
            fixture.writePage(PAGE, torn(image, new byte[PAGE_BYTES], 1024));

            fixture.repair();

            assertThat(fixture.readPage(pageId(0))).isEqualTo(header);
            assertThat(fixture.readPage(PAGE)).isEqualTo(image);
            fixture.files.checkHeader(SPACE);
        }
    }

    /** A flipped bit makes a page say that it bears no checksum; its space knows better. */
    @ParameterizedTest
    @ValueSource(ints = {0, 5})
    void givenAPageWhoseKindRotted_whenRepaired_thenItIsNotTakenForSound(int pageNumber)
            throws IOException {
        try (RepairFixture fixture = create(PageChecksums.CRC32C)) {
            long pageId = pageId(pageNumber);
            byte[] copied =
                    pageNumber == 0
                            ? fixture.readPage(pageId)
                            : fixture.image(pageId, OLD_LSN, PageChecksums.CRC32C);
            byte[] newest = fixture.withLsn(copied, NEW_LSN);
            fixture.writeBatch(DoublewriteMode.ON, 1, 0, copy(pageId, copied, LOG_LSN));
            byte[] rotten = newest.clone();
            rotten[PageHeader.CHECKSUM_KIND_OFFSET] = PageChecksums.NONE.code();
            rotten[2000] ^= 4;
            fixture.writePage(pageId, rotten);

            fixture.repair();

            assertThat(fixture.readPage(pageId)).isEqualTo(copied);
        }
    }

    /**
     * A space is being converted: its header, as it is on the disk, may know of the new kind or not
     * yet; its pages bear the one or the other, and so do the copies.
     */
    @ParameterizedTest
    @CsvSource({"WORD, CRC32C", "CRC32C, WORD", "LEGACY, CRC32C", "NONE, CRC32C", "CRC32C, NONE"})
    void givenAConversionUnderWay_whenRepaired_thenCopiesOfBothKindsGoBack(String from, String to)
            throws IOException {
        PageChecksum oldKind = PageChecksums.byName(from);
        PageChecksum newKind = PageChecksums.byName(to);
        for (boolean headerKnows : new boolean[] {true, false}) {
            try (RepairFixture fixture = create(oldKind)) {
                if (headerKnows) {
                    fixture.allow(newKind, oldKind);
                }
                byte[] inOld = fixture.image(pageId(5), NEW_LSN, oldKind);
                byte[] inNew = fixture.image(pageId(6), NEW_LSN, newKind);
                byte[] resealed = fixture.image(pageId(7), NEW_LSN, newKind);
                byte[] before = fixture.image(pageId(7), OLD_LSN, oldKind);
                fixture.writeBatch(
                        DoublewriteMode.ON,
                        2,
                        0,
                        copy(pageId(5), inOld, LOG_LSN),
                        copy(pageId(6), inNew, LOG_LSN),
                        copy(pageId(7), before, LOG_LSN));
                fixture.writeBatch(DoublewriteMode.ON, 2, 1, copy(pageId(7), resealed, LOG_LSN));
                fixture.writePage(pageId(5), torn(inOld, new byte[PAGE_BYTES], 2048));
                fixture.writePage(pageId(6), torn(inNew, new byte[PAGE_BYTES], 2048));
                fixture.writePage(pageId(7), resealed);

                DoublewriteRepair.Result result = fixture.repair();

                assertThat(result.repaired()).containsExactly(pageId(5), pageId(6));
                assertThat(fixture.readPage(pageId(5))).isEqualTo(inOld);
                assertThat(fixture.readPage(pageId(6))).isEqualTo(inNew);
                assertThat(fixture.readPage(pageId(7))).isEqualTo(resealed);
            }
        }
    }

    @Test
    void givenCopiesForNoFileAndBehindAFilesEnd_whenRepaired_thenTheyAreLeftAlone()
            throws IOException {
        try (RepairFixture fixture = create(PageChecksums.CRC32C)) {
            long gone = PageId.of(99, 4);
            long behind = pageId((int) fixture.files.pagesInFile(SPACE));
            byte[] ofGone = fixture.image(gone, NEW_LSN, PageChecksums.CRC32C);
            byte[] ofBehind = fixture.image(behind, NEW_LSN, PageChecksums.CRC32C);
            fixture.writeBatch(
                    DoublewriteMode.ON,
                    1,
                    0,
                    new Copy(gone, ofGone, LOG_LSN, CHECKPOINT - 1),
                    new Copy(behind, ofBehind, LOG_LSN, CHECKPOINT - 1));
            byte[] file = fixture.contents(RepairFixture.SPACE_FILE);

            DoublewriteRepair.Result result = fixture.repair();

            assertThat(result.repaired()).isEmpty();
            assertThat(result.doubts()).isEmpty();
            assertThat(result.newestLsn()).isEqualTo(NEW_LSN); // the log must reach it all the same
            assertThat(fixture.directory.list("")).containsExactly(RepairFixture.SPACE_FILE);
            assertThat(fixture.contents(RepairFixture.SPACE_FILE)).isEqualTo(file);
        }
    }

    /**
     * The batches of the open that reads have another number of pages, in another number of slots.
     */
    @ParameterizedTest
    @EnumSource(DoublewriteMode.class)
    void givenBatchesOfAnotherGeometry_whenRepaired_thenAllAreUsed(DoublewriteMode next)
            throws IOException {
        try (RepairFixture fixture = create(PageChecksums.CRC32C)) {
            List<Copy> large = new ArrayList<>();
            int last = (int) fixture.files.pagesInFile(SPACE) - 1;
            for (int page = 2; page < last; page++) {
                byte[] image = fixture.image(pageId(page), NEW_LSN, PageChecksums.CRC32C);
                large.add(copy(pageId(page), image, LOG_LSN));
            }
            byte[] inLastSlot = fixture.image(pageId(last), NEW_LSN, PageChecksums.CRC32C);
            fixture.writeBatch(DoublewriteMode.ON, 5, 1, large.toArray(new Copy[0]));
            fixture.writeBatch(DoublewriteMode.ON, 5, 4, copy(pageId(last), inLastSlot, LOG_LSN));

            DoublewriteRepair.Result result = fixture.repair();

            assertThat(result.repaired()).hasSize(last - 1);
            fixture.writeBatch(next, 2, 0, copy(PAGE, large.get(3).image(), LOG_LSN));
            int slots = next == DoublewriteMode.OFF ? 5 : 2;
            assertThat(fixture.directory.list("doublewrite")).hasSize(slots);
        }
    }

    private static RepairFixture create(PageChecksum kind) throws IOException {
        return RepairFixture.create(MemoryDirectory.create(), PAGE_BYTES, kind);
    }
}
