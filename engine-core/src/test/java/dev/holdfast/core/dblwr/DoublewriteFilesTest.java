// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.dblwr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DoublewriteMode;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is in the files, and what an open makes of files that are not as it would have them. If this
 * failed, copies would not be found after another number of slots or pages, or something would be
 * taken for a copy that is none.
 */
@ExtendWith(SeedExtension.class)
final class DoublewriteFilesTest {
    private static final int PAGE_BYTES = 4096;
    private static final String FILE = "doublewrite/0.hfd";
    private static final UUID STORE = new UUID(0x0102030405060708L, 0x090A0B0C0D0E0F10L);

    private final SimulatedDisk disk = SimulatedDisk.create();
    private final StorageDirectory directory = disk.directory();

    @Test
    void givenABatch_whenWritten_thenTheBytesAreTheGoldenOnes() throws IOException {
        write(new DoublewriteOptions(DoublewriteMode.ON, 1, 4, PAGE_BYTES), 0, 2);

        assertThat(hex(0, 32))
                .isEqualTo(
                        "3152574c42444648"
                                + "02000000"
                                + "00100000"
                                + "0807060504030201"
                                + "100f0e0d0c0b0a09");
        assertThat(hex(32, 32))
                .isEqualTo("0100000000000000" + "02000000" + "01000000" + "00".repeat(16));
        String first = "10000000" + "03000000" + "e803000000000000" + "dc05000000000000";
        assertThat(hex(64, 24)).isEqualTo(first);
        assertThat(hex(92, 20)).isEqualTo("00000000" + "d204000000000000" + "00".repeat(8));
        assertThat(hex(112, 16)).isEqualTo("10000000" + "04000000" + "e903000000000000");
        assertThat(hex(160, 4092 - 160)).isEqualTo("00".repeat(4092 - 160));
        assertThat(hex(4096 + 8, 8)).isEqualTo("10000000" + "03000000");
        assertThat(DoublewriteLayout.headerBytes(83)).isEqualTo(4096);
        assertThat(DoublewriteLayout.headerBytes(84)).isEqualTo(8192);
        assertThat(DoublewriteLayout.headerBytes(128)).isEqualTo(8192);
        assertThat(DoublewriteLayout.headerBytes(512)).isEqualTo(28 << 10);
    }

    @Test
    void givenDetectionOnly_whenABatchIsWritten_thenThereAreItsEntriesAndNoImage()
            throws IOException {
        write(new DoublewriteOptions(DoublewriteMode.DETECT_ONLY, 1, 4, PAGE_BYTES), 0, 3);

        assertThat(disk.contents(FILE)).hasSize(4096);
        assertThat(hex(40, 8)).isEqualTo("03000000" + "02000000");
        try (var recovery = DoublewriteRecovery.open(directory, STORE, PAGE_BYTES)) {
            assertThat(recovery.entries()).hasSize(3).noneMatch(DoublewriteEntry::hasImage);
            DoublewriteEntry entry = recovery.entries().get(1);
            assertThat(entry.pageId()).isEqualTo(PageId.of(16, 4));
            assertThat(entry.pageLsn()).isEqualTo(1001);
            assertThat(entry.logLsn()).isEqualTo(1500);
            assertThat(entry.recoveryLsn()).isEqualTo(1234);
            ByteBuffer page = page(1);
            assertThat(entry.describes(page, 0, PAGE_BYTES)).isTrue();
            page.put(4095, (byte) 1);
            assertThat(entry.describes(page, 0, PAGE_BYTES)).isFalse();
            assertThat(recovery.readImage(entry, page)).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 512", "3, 300", "8, 1", "2, 128", "4, 84"})
    void givenBatchesOfAnyNumberOfPagesInAnyNumberOfSlots_whenRead_thenAllCopiesAreThere(
            int slots, int pages) throws IOException {
        DoublewriteOptions options =
                new DoublewriteOptions(DoublewriteMode.ON, slots, pages, PAGE_BYTES);
        for (int slot = 0; slot < slots; slot++) {
            write(options, slot, pages);
        }

        assertThat(soundCopies()).isEqualTo(slots * pages);
        // A smaller batch over the larger one; what is left of that behind it means nothing.
        write(options, 0, 1);
        assertThat(soundCopies()).isEqualTo((slots - 1) * pages + 1);
    }

    @ParameterizedTest
    @EnumSource(DoublewriteMode.class)
    void givenFilesOfMoreSlots_whenOpened_thenTheyAreRemovedUnlessItIsOff(DoublewriteMode mode)
            throws IOException {
        for (int slot = 0; slot < 5; slot++) {
            write(new DoublewriteOptions(DoublewriteMode.ON, 5, 8, PAGE_BYTES), slot, 8);
        }
        StorageFile foreign = directory.create("doublewrite/foreign.hfd");
        foreign.close();
        byte[] before = disk.contents(FILE);

        open(new DoublewriteOptions(mode, 2, 8, PAGE_BYTES)).close();

        int left = mode == DoublewriteMode.OFF ? 5 : 2;
        assertThat(directory.list("doublewrite"))
                .hasSize(left + 1)
                .contains(FILE, "doublewrite/foreign.hfd");
        SimulatedDisk powerless = disk.crash(CrashMode.NOTHING_PENDING, 0).disk();
        assertThat(powerless.directory().exists("doublewrite/4.hfd"))
                .as("removed for good")
                .isEqualTo(mode == DoublewriteMode.OFF);
        assertThat(disk.contents(FILE)).isEqualTo(before);
        assertThat(soundCopies()).isEqualTo(left * 8);
    }

    @Test
    void givenDetectionOnlyAfterCopies_whenABatchIsWritten_thenTheCopiesOfTheSlotAreGone()
            throws IOException {
        write(new DoublewriteOptions(DoublewriteMode.ON, 1, 100, PAGE_BYTES), 0, 100);
        write(new DoublewriteOptions(DoublewriteMode.DETECT_ONLY, 1, 8, PAGE_BYTES), 0, 5);

        assertThat(soundCopies()).isZero();
        try (var recovery = DoublewriteRecovery.open(directory, STORE, PAGE_BYTES)) {
            assertThat(recovery.entries()).hasSize(5);
        }
        write(new DoublewriteOptions(DoublewriteMode.ON, 1, 120, PAGE_BYTES), 0, 120);
        assertThat(soundCopies()).isEqualTo(120);
    }

    @Test
    void givenAFileOfNoise_whenRead_thenThereIsNoCopy(SeededRandom random) throws IOException {
        directory.createDirectory("doublewrite");
        for (int i = 0; i < 50; i++) {
            byte[] noise = random.bytes(random.nextInt(80_000));
            if (noise.length > 50 && random.nextBoolean()) {
                // So that more than the magic is looked at.
                ByteBuffer head = ByteBuffer.wrap(noise).order(ByteOrder.LITTLE_ENDIAN);
                head.putLong(0, DoublewriteLayout.MAGIC).putInt(8, DoublewriteLayout.VERSION);
                head.putInt(40, random.nextBoolean() ? random.nextInt(600) : -random.nextInt(600));
            }
            replace(noise);

            assertThat(soundCopies()).isZero();
            open(new DoublewriteOptions(DoublewriteMode.ON, 1, 4, PAGE_BYTES)).close();
        }
    }

    /**
     * A header whose checksum is right, of another version, page size, store or kind of content.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 8, 12, 16, 31, 44, 48, 63})
    void givenASoundHeaderThatSaysSomethingElse_whenRead_thenThereIsNoCopy(int offset)
            throws IOException {
        write(new DoublewriteOptions(DoublewriteMode.ON, 1, 4, PAGE_BYTES), 0, 4);
        byte[] whole = disk.contents(FILE);
        assertThat(soundCopies()).isEqualTo(4);
        whole[offset] ^= 4;
        ByteBuffer header = ByteBuffer.allocateDirect(4096).put(whole, 0, 4096);
        header.order(ByteOrder.LITTLE_ENDIAN);
        header.putInt(4092, DoublewriteLayout.crc(header, 0, 4092));
        header.get(0, whole, 0, 4096);

        replace(whole);

        assertThat(soundCopies()).isZero();
    }

    @Test
    void givenAFileCutAnywhere_whenRead_thenTheCopiesBeforeTheCutAreThere() throws IOException {
        DoublewriteOptions options = new DoublewriteOptions(DoublewriteMode.ON, 1, 100, PAGE_BYTES);
        write(options, 0, 100);
        byte[] whole = disk.contents(FILE);
        for (int length = 0; length <= whole.length; length += length < 20_000 ? 512 : 34_304) {
            replace(Arrays.copyOf(whole, length));

            int images = Math.max(0, length - 8192) / PAGE_BYTES;
            assertThat(soundCopies()).as("length=%d", length).isEqualTo(images);
            open(options).close();
            assertThat(disk.contents(FILE)).as("length=%d", length).hasSize(whole.length);
        }
    }

    @Test
    void givenAFileThatIsTooLong_whenRead_thenTheRestIsIgnored() throws IOException {
        write(new DoublewriteOptions(DoublewriteMode.ON, 1, 4, PAGE_BYTES), 0, 4);
        byte[] whole = disk.contents(FILE);
        byte[] longer = Arrays.copyOf(whole, whole.length + 100_001);
        System.arraycopy(whole, 0, longer, whole.length, whole.length);
        replace(longer);

        assertThat(soundCopies()).isEqualTo(4);
    }

    @Test
    void givenNoDirectory_whenOpened_thenItIsMadeAgain() throws IOException {
        assertThat(soundCopies()).isZero();

        write(new DoublewriteOptions(DoublewriteMode.ON, 2, 4, PAGE_BYTES), 1, 4);

        assertThat(soundCopies()).isEqualTo(4);
    }

    @Test
    void givenNoDirectory_whenItIsMadeAgainAndThePowerFails_thenItsFilesAreThere()
            throws IOException {
        write(new DoublewriteOptions(DoublewriteMode.ON, 2, 4, PAGE_BYTES), 1, 4);

        SimulatedDisk powerless = disk.crash(CrashMode.NOTHING_PENDING, 0).disk();

        assertThat(powerless.directory().list("doublewrite"))
                .containsExactly(FILE, "doublewrite/1.hfd");
    }

    @Test
    void givenAReadThatFailsForGood_whenRead_thenFileAndOffsetAreNamed() throws IOException {
        write(new DoublewriteOptions(DoublewriteMode.ON, 1, 4, PAGE_BYTES), 0, 4);
        disk.faults().add(Fault.on(Operation.READ, FILE).nth(1).error(Fault.IO_ERROR));
        assertThat(soundCopies()).isEqualTo(4);
        disk.faults().add(Fault.on(Operation.READ, FILE).sticky().error(Fault.IO_ERROR));

        assertThatThrownBy(() -> DoublewriteRecovery.open(directory, STORE, PAGE_BYTES))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("file=" + FILE + ", offset=0");
        assertThat(disk.openFiles()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"CREATE", "WRITE", "SYNC"})
    void givenAFailureWhileFilesAreMade_whenOpened_thenNothingIsLeftOpen(Operation operation) {
        disk.faults().add(Fault.on(operation, "doublewrite/1.hfd").nth(1).error(Fault.IO_ERROR));

        assertThatThrownBy(() -> open(new DoublewriteOptions(DoublewriteMode.ON, 3, 4, PAGE_BYTES)))
                .isInstanceOf(IOException.class);

        assertThat(disk.openFiles()).isEmpty();
    }

    private Doublewrite open(DoublewriteOptions options) throws IOException {
        return Doublewrite.open(directory, options, STORE, new Counters());
    }

    private void write(DoublewriteOptions options, int slot, int pages) throws IOException {
        try (Doublewrite doublewrite = open(options)) {
            List<DoublewriteBatch> others = new ArrayList<>();
            DoublewriteBatch batch = doublewrite.acquire();
            while (batch.slot() != slot) {
                others.add(batch);
                batch = doublewrite.acquire();
            }
            for (int i = 0; i < pages; i++) {
                batch.add(PageId.of(16, 3 + i), page(i), 0, 1500, 1234);
            }
            batch.write();
            batch.sync();
            batch.release();
            others.forEach(DoublewriteBatch::release);
        }
    }

    private static ByteBuffer page(int index) {
        ByteBuffer page = ByteBuffer.allocateDirect(PAGE_BYTES);
        PageHeader.initialize(page, 0, PAGE_BYTES, PageId.of(16, 3 + index), 20, PageType.LEAF);
        PageHeader.pageLsn(page, 0, 1000 + index);
        return page;
    }

    private int soundCopies() throws IOException {
        int sound = 0;
        ByteBuffer image = ByteBuffer.allocateDirect(PAGE_BYTES);
        try (var recovery = DoublewriteRecovery.open(directory, STORE, PAGE_BYTES)) {
            for (DoublewriteEntry entry : recovery.entries()) {
                sound += recovery.readImage(entry, image) ? 1 : 0;
            }
        }
        return sound;
    }

    private void replace(byte[] bytes) throws IOException {
        if (directory.exists(FILE)) {
            directory.delete(FILE);
        }
        try (StorageFile file = directory.create(FILE)) {
            file.write(0, ByteBuffer.allocateDirect(bytes.length).put(bytes).flip());
        }
    }

    private String hex(int from, int length) throws IOException {
        return HexFormat.of().formatHex(disk.contents(FILE, from, length));
    }
}
