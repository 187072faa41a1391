// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.DiskFullException;
import dev.holdfast.FormatException;
import dev.holdfast.StorageException;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.io.checksum.ChecksumKinds;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.file.FileMode;
import dev.holdfast.io.file.FileSystemDirectory;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** If this fails, a foreign, cut or damaged data file is taken for a sound one, or a sound not. */
final class SpaceFilesTest {
    private static final int PAGE_BYTES = 4096;
    private static final int EXTENT = AllocationMap.pagesPerExtent(PAGE_BYTES);
    private static final StoreIdentity STORE = StoreIdentity.create(new UUID(1, 2), PAGE_BYTES);

    private final SimulatedDisk disk = SimulatedDisk.create();
    private final StorageDirectory directory = disk.directory();
    private final SpaceFiles files = filesOf(STORE);

    @BeforeEach
    void createMain() throws IOException {
        files.create(StoreFiles.MAIN_SPACE);
    }

    @AfterEach
    void close() throws IOException {
        files.close();
    }

    @Test
    void givenANewFile_whenItsHeaderIsChecked_thenItIsSoundAndItsKindIsKnown() throws IOException {
        SpaceFiles again = filesOf(STORE);
        again.openAll();
        assertThat(again.allowedKinds(1)).isEqualTo(ChecksumKinds.BUILT_IN.mask());

        again.checkHeader(1);

        assertThat(again.allowedKinds(1)).isEqualTo(0b1000);
        assertThat(again.checksumFor(1)).isSameAs(PageChecksums.CRC32C);
        assertThat(again.pagesInFile(1)).isEqualTo(EXTENT);
        assertThat(disk.contents("main.hfs", 2L * PAGE_BYTES, PAGE_BYTES)).containsOnly(0);
        again.close();
    }

    @Test
    void givenAMissingFile_whenItsHeaderIsChecked_thenTheFileIsNamed() {
        assertThatThrownBy(() -> files.checkHeader(16))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("space-16.hfs");
    }

    @Test
    void givenAnotherStore_whenAFileIsChecked_thenItIsRefused() throws IOException {
        SpaceFiles other = filesOf(StoreIdentity.create(new UUID(1, 3), PAGE_BYTES));
        other.openAll();

        assertThatThrownBy(() -> other.checkHeader(1))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("another store");
        other.close();
    }

    @Test
    void givenAnotherPageSize_whenAFileIsChecked_thenBothSizesAreNamed() throws IOException {
        SpaceFiles other = filesOf(StoreIdentity.create(new UUID(1, 2), 8192));
        other.openAll();

        assertThatThrownBy(() -> other.checkHeader(1))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("4096")
                .hasMessageContaining("8192");
        other.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 4, 5, 8, 12, 16, 120, 128, 129, 200, PAGE_BYTES - 8})
    void givenAFlippedBit_whenTheHeaderIsChecked_thenThePageIsDamaged(int position)
            throws IOException {
        disk.flipBit("main.hfs", position, 3);

        assertThatThrownBy(() -> files.checkHeader(1)).isInstanceOf(CorruptionException.class);
    }

    @Test
    void givenACutFile_whenTheSpaceIsOpened_thenTheFirstMissingPageIsNamed() throws Exception {
        try (SpaceFixture fixture = new SpaceFixture(PAGE_BYTES)) {
            fixture.files.create(16);
            fixture.files.truncate(16, 100);

            assertThatThrownBy(() -> fixture.spaces.open(16))
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining("page=100");
        }
    }

    @Test
    void givenASurplusOfAnUnfinishedGrowth_whenTheSpaceGrows_thenItIsOverwritten()
            throws Exception {
        try (SpaceFixture fixture = new SpaceFixture(PAGE_BYTES)) {
            fixture.start(true);
            fixture.files.create(16);
            ByteBuffer garbage = DiskBuffers.allocate(PAGE_BYTES);
            garbage.putLong(0, 0x0123_4567_89AB_CDEFL);
            fixture.files.write(PageId.of(16, EXTENT + 9), garbage);

            Space space = fixture.spaces.open(16);
            assertThat(space.pageCount()).isEqualTo(EXTENT);
            space.reserve(1, PageId.NULL_PAGE_NUMBER, false).close();

            assertThat(space.pageCount()).isGreaterThan(2L * EXTENT);
            ByteBuffer page = DiskBuffers.allocate(PAGE_BYTES);
            fixture.files.read(PageId.of(16, EXTENT + 9), page);
            assertThat(page.getLong(0)).isZero();
        }
    }

    @Test
    void givenADamagedIdentity_whenItIsRead_thenTheMainSpaceRestoresIt() throws IOException {
        StoreCreation.begin(directory, STORE);
        StoreCreation.finish(directory);
        disk.flipBit(StoreFiles.IDENTITY, 30, 1);
        assertThat(StoreIdentity.readFile(directory)).isEmpty();

        StoreIdentity restored = StoreIdentity.read(directory);
        restored.rewrite(directory);

        assertThat(restored).isEqualTo(STORE);
        SimulatedDisk powerless = disk.crash(CrashMode.NOTHING_PENDING, 0).disk();
        for (StorageDirectory left : List.of(directory, powerless.directory())) {
            assertThat(StoreIdentity.readFile(left)).isEqualTo(Optional.of(STORE));
            assertThat(left.exists(StoreFiles.IDENTITY_NEW)).isFalse();
        }
    }

    @Test
    void givenADamagedIdentityAndADamagedHeader_whenRead_thenBothAreNamed() throws IOException {
        StoreCreation.begin(directory, STORE);
        StoreCreation.finish(directory);
        disk.flipBit(StoreFiles.IDENTITY, 30, 1);
        disk.flipBit("main.hfs", 1000, 1);

        assertThatThrownBy(() -> StoreIdentity.read(directory))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("header too");
    }

    @Test
    void givenNoRoomForANewFile_whenItIsCreated_thenNothingIsLeftOfIt() throws IOException {
        disk.limitCapacity(disk.usedBytes() + 3L * PAGE_BYTES);

        assertThatThrownBy(() -> files.create(16)).isInstanceOf(IOException.class);

        assertThat(directory.exists("space-16.hfs")).isFalse();
        assertThat(files.present(16)).isFalse();
        disk.unlimitCapacity();
        files.create(16);
        files.checkHeader(16);
    }

    @Test
    void givenFailures_whenTheyAreNamed_thenALackOfRoomIsToldApart() {
        IOException noRoom = new IOException("write", new IOException("No space left on device"));

        assertThat(SpaceErrors.of("creating", 16, noRoom)).isInstanceOf(DiskFullException.class);
        assertThat(SpaceErrors.of("creating", 16, new IOException("Disk quota exceeded")))
                .isInstanceOf(DiskFullException.class);
        assertThat(SpaceErrors.of("creating", 16, new IOException("Permission denied")))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("space-16.hfs");
    }

    @ParameterizedTest
    @EnumSource(FileMode.class)
    void givenRealFiles_whenASpaceIsUsed_thenItsFileHoldsItAll(FileMode mode, @TempDir Path path)
            throws Exception {
        FileSystemDirectory real = FileSystemDirectory.open(path, mode);
        StoreCreation.begin(real, STORE);
        assertThat(StoreCreation.inspect(real)).isEqualTo(StoreCreation.State.UNBORN);
        try (SpaceFixture fixture = new SpaceFixture(PAGE_BYTES, real, 128, (space, head) -> {})) {
            fixture.start(true);
            Space space = fixture.create(16);
            int last = 0;
            for (int i = 0; i < 300; i++) {
                last = allocate(fixture, space);
            }
            fixture.under.stopAgents();
            fixture.under.checkpointer.checkpoint(true);

            fixture.files.checkHeader(16);
            ByteBuffer page = DiskBuffers.allocate(PAGE_BYTES);
            fixture.files.read(PageId.of(16, last), page);
            assertThat(page.get(5)).isEqualTo(PageType.LEAF);
        }
        StoreCreation.finish(real);
        assertThat(StoreIdentity.readFile(real)).contains(STORE);
        real.close();
    }

    private static int allocate(SpaceFixture fixture, Space space) {
        MiniTransaction mtr = fixture.mtr();
        try (PageReservation pages = space.reserve(1, PageId.NULL_PAGE_NUMBER, false)) {
            mtr.begin(500, 2, true);
            try {
                pages.fixMaps(mtr);
                int frame = space.allocate(mtr, pages, 16, PageType.LEAF);
                int page = PageId.pageNumber(mtr.pageId(frame));
                mtr.commit();
                return page;
            } catch (Throwable failure) {
                throw mtr.failed(failure);
            }
        }
    }

    private SpaceFiles filesOf(StoreIdentity store) {
        return new SpaceFiles(directory, store, PageChecksums.CRC32C);
    }
}
