// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.core.page.PageHeader.Fault;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is on disk: the offsets, the exact bytes, and what a header may not say. */
final class PageHeaderTest {
    private static final int PAGE_BYTES = 4096;
    private static final int OFFSET = PAGE_BYTES; // the second page, so that a lost offset shows
    private static final long PAGE_ID = PageId.of(0x01020304, 0x85060708);

    private final ByteBuffer chunk = ByteBuffer.allocateDirect(2 * PAGE_BYTES);

    @BeforeEach
    void initializeDirtyMemory() {
        PageMemory.fill(chunk, 0, chunk.capacity(), (byte) 0xFF);
        PageHeader.initialize(chunk, OFFSET, PAGE_BYTES, PAGE_ID, 0x090A0B0C, (byte) 3);
    }

    @Test
    void givenTheByteTable_whenComparedWithTheOffsets_thenTheyAgree() throws Exception {
        assertThat(FormatTable.constants(PageHeader.class))
                .isEqualTo(FormatTable.rows("page-header.md"));
    }

    @Test
    void givenDirtyMemory_whenInitialized_thenTheBytesAreTheGoldenOnes() {
        assertThat(hex(0, 16))
                .isEqualTo("00000000" + "00" + "03" + "0000" + "04030201" + "08070685");
        assertThat(hex(16, 57)).isEqualTo("0000000000000000" + "0c0b0a09" + "00".repeat(44) + "ff");
        assertThat(hex(PAGE_BYTES - 9, 9)).isEqualTo("ff" + "00".repeat(8));
    }

    @Test
    void givenAPageOfAnotherId_whenChecked_thenTheMisdirectedWriteIsNamed() {
        assertThat(check(PAGE_ID)).isEqualTo(Fault.NONE);

        assertThat(check(PAGE_ID + 1)).isEqualTo(Fault.MISDIRECTED);
    }

    @Test
    void givenTypeZero_whenChecked_thenThePageWasNeverWritten() {
        PageMemory.putByte(chunk, OFFSET + PageHeader.TYPE_OFFSET, (byte) 0);

        assertThat(check(PAGE_ID)).isEqualTo(Fault.NEVER_WRITTEN);
    }

    @Test
    void givenALaterPageLsn_whenTheTrailerIsOld_thenThePageIsTorn() {
        PageHeader.pageLsn(chunk, OFFSET, 1L << 40 | 5);
        assertThat(check(PAGE_ID)).isEqualTo(Fault.TORN);

        PageHeader.writeTrailer(chunk, OFFSET, PAGE_BYTES);

        assertThat(check(PAGE_ID)).isEqualTo(Fault.NONE);
    }

    @ParameterizedTest
    @ValueSource(ints = {6, 7, 28, 30, 31, 32, 39, 40, 71, PAGE_BYTES - 4, PAGE_BYTES - 1})
    void givenAReservedBitSet_whenChecked_thenThePageIsRefused(int reservedOffset) {
        PageMemory.putByte(chunk, OFFSET + reservedOffset, (byte) 0x80);

        assertThat(check(PAGE_ID)).isEqualTo(Fault.RESERVED_NOT_ZERO);
    }

    @Test
    void givenAPageLsn_whenAnOlderOneIsSet_thenTheAssertionFails() {
        PageHeader.pageLsn(chunk, OFFSET, 100);

        assertThatThrownBy(() -> PageHeader.pageLsn(chunk, OFFSET, 99))
                .isInstanceOf(AssertionError.class);

        assertThat(PageHeader.pageLsn(chunk, OFFSET)).isEqualTo(100);
    }

    private Fault check(long pageId) {
        return PageHeader.check(chunk, OFFSET, PAGE_BYTES, pageId);
    }

    private String hex(int from, int length) {
        byte[] bytes = new byte[length];
        chunk.get(OFFSET + from, bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
