// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.page.PageHeader.Fault;
import dev.holdfast.io.checksum.PageChecksum;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** If this failed, damage on the disk would be read as data, or named as something it is not. */
final class PageSealTest {
    private static final int PAGE_BYTES = 4096;
    private static final int OFFSET = PAGE_BYTES;
    private static final long PAGE_ID = PageId.of(16, 5);

    private final ByteBuffer chunk = ByteBuffer.allocateDirect(3 * PAGE_BYTES);

    static List<PageChecksum> kinds() {
        return PageChecksums.all();
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void givenASealedPage_whenVerified_thenItIsSound(PageChecksum kind) {
        sealed(kind, 1L << 35 | 9);

        assertThat(verify(kind)).isEqualTo(Fault.NONE);
    }

    @ParameterizedTest
    @MethodSource("kinds")
    void givenAnyByteFlipped_whenVerified_thenItIsNoticed(PageChecksum kind) {
        if (kind == PageChecksums.NONE) {
            return;
        }
        sealed(kind, 77);

        for (int i = 0; i < PAGE_BYTES; i++) {
            byte sound = PageMemory.getByte(chunk, OFFSET + i);
            PageMemory.putByte(chunk, OFFSET + i, sound ^ 0x10);
            assertThat(verify(kind)).as("byte %d", i).isNotEqualTo(Fault.NONE);
            PageMemory.putByte(chunk, OFFSET + i, sound);
        }
        assertThat(verify(kind)).isEqualTo(Fault.NONE);
    }

    @Test
    void givenAllZero_whenVerified_thenItWasNeverWritten() {
        assertThat(verify(PageChecksums.CRC32C)).isEqualTo(Fault.NEVER_WRITTEN);
    }

    @Test
    void givenAGoodPageOfAnotherPlace_whenVerified_thenItIsMisdirected() {
        sealed(PageChecksums.CRC32C, 77);

        Fault fault = PageSeal.verify(chunk, OFFSET, PAGE_BYTES, PAGE_ID + 1, all());

        assertThat(fault).isEqualTo(Fault.MISDIRECTED);
        assertThat(describe(fault, PAGE_ID + 1).getMessage())
                .contains("file=space-16.hfs", "space=16", "page=6", "found=the page of")
                .contains("page=5");
    }

    @Test
    void givenHalfOfAnOlderImage_whenVerified_thenItIsTorn() {
        sealed(PageChecksums.CRC32C, 77);
        byte[] older = new byte[PAGE_BYTES];
        PageMemory.copyOut(chunk, OFFSET, older, 0, PAGE_BYTES);
        PageHeader.pageLsn(chunk, OFFSET, 99);
        PageSeal.seal(chunk, OFFSET, PAGE_BYTES, PageChecksums.CRC32C);
        PageMemory.copyIn(chunk, OFFSET + 512, older, 512, PAGE_BYTES - 512);

        Fault fault = verify(PageChecksums.CRC32C);

        assertThat(fault).isEqualTo(Fault.TORN);
        assertThat(describe(fault, PAGE_ID).getMessage())
                .contains("trailerLsn=63", "trailerLsn=4d");
    }

    @Test
    void givenDamageInTheBody_whenVerified_thenBothChecksumsAreNamed() {
        sealed(PageChecksums.WORD, 77);
        PageMemory.putByte(chunk, OFFSET + 2000, 1);

        Fault fault = verify(PageChecksums.WORD);

        assertThat(fault).isEqualTo(Fault.CHECKSUM);
        assertThat(describe(fault, PAGE_ID).getMessage()).contains("WORD checksum=");
    }

    @Test
    void givenAKindThatTheSpaceDoesNotAllow_whenVerified_thenItIsRefused() {
        sealed(PageChecksums.NONE, 77);

        Fault fault = verify(PageChecksums.CRC32C);

        assertThat(fault).isEqualTo(Fault.KIND_NOT_ALLOWED);
        assertThat(describe(fault, PAGE_ID).getMessage()).contains("kind=0");
    }

    @Test
    void givenAKindThatDoesNotExist_whenVerifiedAgainstItsOwnBit_thenItIsRefused() {
        sealed(PageChecksums.CRC32C, 77);
        PageMemory.putByte(chunk, OFFSET + PageHeader.CHECKSUM_KIND_OFFSET, 7);

        Fault fault = PageSeal.verify(chunk, OFFSET, PAGE_BYTES, PAGE_ID, 1 << 7);

        assertThat(fault).isEqualTo(Fault.KIND_NOT_ALLOWED);
    }

    @Test
    void givenTwoKindsAllowed_whenEitherIsRead_thenBothAreSound() {
        int both = PageSeal.kindBit(PageChecksums.WORD) | PageSeal.kindBit(PageChecksums.CRC32C);
        sealed(PageChecksums.WORD, 77);
        Fault word = PageSeal.verify(chunk, OFFSET, PAGE_BYTES, PAGE_ID, both);
        PageSeal.seal(chunk, OFFSET, PAGE_BYTES, PageChecksums.CRC32C);

        Fault crc = PageSeal.verify(chunk, OFFSET, PAGE_BYTES, PAGE_ID, both);

        assertThat(word).isEqualTo(Fault.NONE);
        assertThat(crc).isEqualTo(Fault.NONE);
    }

    @Test
    void givenAPageInTheWrongFrame_whenAboutToBeWritten_thenTheInvariantStopsIt() {
        sealed(PageChecksums.CRC32C, 77);

        assertThatThrownBy(() -> PageSeal.checkBeforeWrite(chunk, OFFSET, PAGE_ID + 1))
                .isInstanceOf(IllegalStateException.class);

        PageSeal.checkBeforeWrite(chunk, OFFSET, PAGE_ID);
    }

    private void sealed(PageChecksum kind, long lsn) {
        PageHeader.initialize(chunk, OFFSET, PAGE_BYTES, PAGE_ID, 16, PageType.LEAF);
        PageMemory.putLong(chunk, OFFSET + 1000, 0x1122334455667788L);
        PageHeader.pageLsn(chunk, OFFSET, lsn);
        PageSeal.seal(chunk, OFFSET, PAGE_BYTES, kind);
    }

    private Fault verify(PageChecksum allowed) {
        return PageSeal.verify(chunk, OFFSET, PAGE_BYTES, PAGE_ID, PageSeal.kindBit(allowed));
    }

    private CorruptionException describe(Fault fault, long pageId) {
        return PageSeal.describe(fault, chunk, OFFSET, PAGE_BYTES, pageId, all(), "space-16.hfs");
    }

    private static int all() {
        int mask = 0;
        for (PageChecksum kind : PageChecksums.all()) {
            mask |= PageSeal.kindBit(kind);
        }
        return mask;
    }
}
