// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.Crc32Checksum;
import dev.holdfast.FormatException;
import dev.holdfast.core.page.CustomKinds;
import dev.holdfast.core.page.FormatTable;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.io.checksum.ChecksumKinds;
import dev.holdfast.io.checksum.PageChecksum;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is on disk: offsets and exact bytes of space headers and allocation maps. */
final class LayoutsTest {
    private static final int PAGE_BYTES = 4096;
    private static final int OFFSET = PAGE_BYTES; // the second page, so that a lost offset shows
    private static final StoreIdentity STORE =
            StoreIdentity.create(
                    UUID.fromString("00112233-4455-6677-8899-aabbccddeeff"), PAGE_BYTES);

    private final ByteBuffer chunk = ByteBuffer.allocateDirect(2 * PAGE_BYTES);

    @Test
    void givenTheByteTables_whenComparedWithTheOffsets_thenTheyAgree() throws Exception {
        assertThat(FormatTable.constants(SpaceHeader.class))
                .isEqualTo(FormatTable.rows("space-header.md"));
        assertThat(FormatTable.constants(AllocationMap.class))
                .isEqualTo(FormatTable.rows("allocation-map.md"));
    }

    @Test
    void givenDirtyMemory_whenAHeaderIsInitialized_thenTheBytesAreTheGoldenOnes() {
        header(16);

        assertThat(hex(SpaceHeader.MAGIC_OFFSET, SpaceHeader.ZEROS_OFFSET - 72))
                .isEqualTo(
                        "4846535350414345"
                                + "00112233445566778899aabbccddeeff"
                                + "01000000"
                                + "00100000"
                                + "00".repeat(16)
                                + "00010000"
                                + "00000000"
                                + "01"
                                + "03"
                                + "0000"
                                + "08000000"
                                + "00".repeat(8 + 4 + 4 + 3 * 32));
        assertThat(hex(SpaceHeader.ZEROS_OFFSET, PAGE_BYTES - SpaceHeader.ZEROS_OFFSET))
                .matches("(00)+");
    }

    @Test
    void givenAConversionToAKindFromOutside_whenWritten_thenTheBytesAreTheGoldenOnes() {
        header(16);
        PageChecksum own = ownKind();
        SpaceKinds kinds = SpaceKinds.of(PageChecksums.CRC32C).converting(own);

        SpaceKinds.write(kinds.converted(0x0102030405L, 77).encode(), chunk, OFFSET);

        assertThat(hex(SpaceHeader.KIND_OFFSET, SpaceHeader.ZEROS_OFFSET - SpaceHeader.KIND_OFFSET))
                .isEqualTo(
                        "01"
                                + "11"
                                + "0000"
                                + "08000200"
                                + "0504030201000000"
                                + "4d000000"
                                + "00000000"
                                + "1103"
                                + "4f574e"
                                + "00".repeat(27 + 64));
        assertThat(SpaceKinds.read(chunk, OFFSET)).isEqualTo(kinds.converted(0x0102030405L, 77));
        check(16);
        SpaceKinds.write(SpaceKinds.of(own).encode(), chunk, OFFSET);
        check(16);
    }

    @ParameterizedTest
    @CsvSource({
        "132, 16",
        "133, 1",
        "134, 0",
        "134, 6",
        "129, 18",
        "129, 200",
        "152, 0",
        "152, 18",
        "152, 3",
        "153, 0",
        "153, 4",
        "154, 0",
        "157, 65",
        "184, 17",
        "186, 65"
    })
    void givenKindsThatNoVersionWrites_whenChecked_thenTheHeaderIsRefused(int at, int value) {
        header(16);
        SpaceKinds kinds = SpaceKinds.of(PageChecksums.WORD).converting(ownKind());
        SpaceKinds.write(kinds.encode(), chunk, OFFSET);
        check(16);

        PageMemory.putByte(chunk, OFFSET + at, value);

        assertThatThrownBy(() -> check(16)).isInstanceOf(CorruptionException.class);
    }

    private static PageChecksum ownKind() {
        ChecksumKinds kinds = CustomKinds.find(List.of(new Crc32Checksum(17, "OWN")), PAGE_BYTES);
        return kinds.byCode(17);
    }

    @Test
    void givenAnotherStoresFile_whenChecked_thenBothUuidsAreNamed() {
        header(16);
        StoreIdentity other = StoreIdentity.create(new UUID(1, 2), PAGE_BYTES);

        assertThatThrownBy(() -> SpaceHeader.check(chunk, OFFSET, other, 16, "space-16.hfs"))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("aabbccddeeff")
                .hasMessageContaining("000000000002");
    }

    @Test
    void givenAnotherPageSize_whenChecked_thenBothSizesAreNamed() {
        header(16);
        PageMemory.putInt(chunk, OFFSET + SpaceHeader.PAGE_BYTES_OFFSET, 8192);

        assertThatThrownBy(() -> check(16))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("4096")
                .hasMessageContaining("8192");
    }

    @Test
    void givenAnIncompatibleFeature_whenChecked_thenOnlyThatOneIsRefused() {
        header(16);
        PageMemory.putLong(chunk, OFFSET + SpaceHeader.COMPATIBLE_FEATURES_OFFSET, -1);
        check(16);

        PageMemory.putLong(chunk, OFFSET + SpaceHeader.INCOMPATIBLE_FEATURES_OFFSET, 4);

        assertThatThrownBy(() -> check(16)).isInstanceOf(FormatException.class);
    }

    @Test
    void givenANewerFormat_whenChecked_thenItIsRefusedByVersion() {
        header(16);
        PageMemory.putInt(chunk, OFFSET + SpaceHeader.FORMAT_VERSION_OFFSET, 2);

        assertThatThrownBy(() -> check(16))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("newer");
    }

    @ParameterizedTest
    @ValueSource(
            ints = {
                124,
                127,
                128,
                129,
                130,
                135,
                136,
                144,
                148,
                152,
                153,
                154,
                247,
                248,
                4000,
                PAGE_BYTES - 9
            })
    void givenAFlippedBit_whenChecked_thenTheHeaderIsRefused(int position) {
        header(16);
        int flipped = PageMemory.getByte(chunk, OFFSET + position) ^ 0x80;
        PageMemory.putByte(chunk, OFFSET + position, flipped);

        assertThatThrownBy(() -> check(16)).isInstanceOf(CorruptionException.class);
    }

    @ParameterizedTest
    @CsvSource({"4096,502", "8192,1014", "16384,2038", "32768,4086", "65536,8182"})
    void givenAPageSize_whenAGroupIsLaidOut_thenItsEntriesFillThePage(int pageBytes, int pages) {
        assertThat(AllocationMap.pagesPerGroup(pageBytes)).isEqualTo(pages);

        assertThat(AllocationMap.entryOffset(pages)).isEqualTo(pageBytes - Long.BYTES);
        assertThat(AllocationMap.mapPage(3, pageBytes)).isEqualTo(3 * pages + 1);
        assertThat(AllocationMap.isSystemPage(3 * pages + 1, pageBytes)).isTrue();
        assertThat(AllocationMap.isSystemPage(3 * pages, pageBytes)).isFalse();
        assertThat(AllocationMap.isSystemPage(0, pageBytes)).isTrue();
    }

    @Test
    void givenAnEntry_whenStored_thenTheBytesAreTheGoldenOnes() {
        long entry = AllocationMap.entry(AllocationMap.CONDEMNED, 0x01020304);
        PageMemory.putLong(chunk, OFFSET + AllocationMap.entryOffset(0), entry);

        assertThat(hex(72, 8)).isEqualTo("02000000" + "04030201");
        assertThat(AllocationMap.state(entry)).isEqualTo(AllocationMap.CONDEMNED);
        assertThat(AllocationMap.owner(entry)).isEqualTo(0x01020304);
        assertThat(AllocationMap.isSound(entry)).isTrue();
        assertThat(AllocationMap.isSound(AllocationMap.entry(4, 16))).isFalse();
        assertThat(AllocationMap.isSound(entry | 0x100)).isFalse();
        assertThat(AllocationMap.isSound(AllocationMap.entry(AllocationMap.FREE, 16))).isFalse();
        assertThat(AllocationMap.isSound(AllocationMap.entry(AllocationMap.CONDEMNED, 0)))
                .isFalse();
        long undo = AllocationMap.entry(AllocationMap.USED, AllocationMap.UNDO_OWNER);
        assertThat(AllocationMap.owner(undo)).isEqualTo(AllocationMap.UNDO_OWNER);
        assertThat(AllocationMap.isSound(undo)).isTrue();
    }

    @Test
    void givenRecordBodies_whenRead_thenTheyAreWhatWasWritten() {
        byte[] shrink = SpaceRecords.shrink(3, 512);
        byte[] high = SpaceRecords.highWater(1L << 40, 17, 18);

        assertThat(HexFormat.of().formatHex(SpaceRecords.create(16, 8, 256)))
                .isEqualTo("10000000" + "08000000" + "00010000");
        assertThat(SpaceRecords.spaceId(SpaceRecords.drop(16), 0)).isEqualTo(16);
        assertThat(SpaceRecords.spaceId(shrink, 0)).isEqualTo(3);
        assertThat(SpaceRecords.newPageCount(shrink, 0)).isEqualTo(512);
        assertThat(SpaceRecords.highWaterTransactionId(high, 0)).isEqualTo(1L << 40);
        assertThat(SpaceRecords.highWaterTreeId(high, 0)).isEqualTo(17);
        assertThat(SpaceRecords.highWaterSpaceId(high, 0)).isEqualTo(18);
    }

    private void header(int spaceId) {
        PageMemory.fill(chunk, 0, chunk.capacity(), (byte) 0xFF);
        SpaceHeader.initialize(chunk, OFFSET, STORE, spaceId, PageChecksums.CRC32C, 256);
        assertThat(PageHeader.pageLsn(chunk, OFFSET)).isZero();
    }

    private void check(int spaceId) {
        SpaceHeader.check(chunk, OFFSET, STORE, spaceId, StoreFiles.spaceFile(spaceId));
    }

    private String hex(int from, int length) {
        byte[] bytes = new byte[length];
        chunk.get(OFFSET + from, bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
