// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.checksum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checksums against vectors of the lineage, composed over its ranges. Were one computed otherwise,
 * each page written before would read as damaged.
 */
final class PageChecksumsTest {
    private static final int OFFSET = 4096; // not the chunk's start, so that a lost offset shows

    static List<PageChecksum> realKinds() {
        return List.of(PageChecksums.LEGACY, PageChecksums.WORD, PageChecksums.CRC32C);
    }

    @ParameterizedTest
    @CsvSource({
        "16384, zeros, 5defcc00, 51b9ab00, 86532a00, 1ffdd4d2",
        "16384, ones, 49e32800, 175b6200, 0f457c00, a68f5086",
        "16384, pattern, 695bae2c, d2434c2b, 1e42ed4c, 927350e4",
        "4096, zeros, 93c7cc00, 51b9ab00, 3aa92a00, 10573388",
        "4096, pattern, cee9262c, d2434c2b, 6942154c, fc0dbd79",
    })
    void givenTheLineagesPages_whenComposedOverItsRanges_thenTheVectorsAreMet(
            int pageBytes, String content, String newer, String older, String word, String crc) {
        ByteBuffer page = page(pageBytes, content);
        int body = OFFSET + 38;
        int bodyBytes = pageBytes - 8 - 38;

        int newLegacy = Fold.ofBytes(page, OFFSET + 4, 22) + Fold.ofBytes(page, body, bodyBytes);
        int oldLegacy = Fold.ofBytes(page, OFFSET, 26);
        int wordFast =
                Fold.ofBytes(page, OFFSET + 4, 22)
                        + Fold.ofBytes(page, body, 2)
                        + Fold.ofWords(page, body + 2, bodyBytes - 2);
        int crc32c =
                PageChecksums.CRC32C.compute(page, OFFSET + 4, 22)
                        ^ PageChecksums.CRC32C.compute(page, body, bodyBytes);

        assertThat(hex(newLegacy)).isEqualTo(newer);
        assertThat(hex(oldLegacy)).isEqualTo(older);
        assertThat(hex(wordFast)).isEqualTo(word);
        assertThat(hex(crc32c)).isEqualTo(crc);
    }

    @Test
    void givenTheUsualCheckString_whenCrc32cIsComputed_thenItIsTheStandardsValue() {
        ByteBuffer chunk = ByteBuffer.allocateDirect(16);
        chunk.put(3, "123456789".getBytes(StandardCharsets.US_ASCII));

        int crc = PageChecksums.CRC32C.compute(chunk, 3, 9);

        assertThat(hex(crc)).isEqualTo("e3069283");
    }

    @Test
    void givenARangeOfOurPages_whenComputed_thenEachKindIsOneFoldOrOneCrcOverIt() {
        ByteBuffer page = page(4096, "pattern");
        int from = OFFSET + 4;
        int bytes = 4096 - 4;

        assertThat(PageChecksums.LEGACY.compute(page, from, bytes))
                .isEqualTo(foldOf(bytes, i -> page.get(from + i) & 0xFF));
        assertThat(PageChecksums.WORD.compute(page, from, bytes))
                .isEqualTo(foldOf(bytes / 4, i -> littleEndianInt(page, from + 4 * i)));
        assertThat(PageChecksums.NONE.compute(page, from, bytes)).isZero();
    }

    @ParameterizedTest
    @MethodSource("realKinds")
    void givenAnyBitFlipped_whenComputedAgain_thenTheChecksumDiffers(PageChecksum checksum) {
        int bytes = 512;
        ByteBuffer page = page(bytes, "pattern");
        int sound = checksum.compute(page, OFFSET, bytes);
        for (int bit = 0; bit < bytes * 8; bit++) {
            int at = OFFSET + bit / 8;
            byte kept = page.get(at);
            page.put(at, (byte) (kept ^ 1 << bit % 8));

            assertThat(checksum.compute(page, OFFSET, bytes)).as("bit=%s", bit).isNotEqualTo(sound);

            page.put(at, kept);
        }
        assertThat(checksum.compute(page, OFFSET, bytes)).isEqualTo(sound);
    }

    @ParameterizedTest
    @MethodSource("realKinds")
    void givenBytesAroundTheRange_whenTheyChange_thenTheChecksumDoesNot(PageChecksum checksum) {
        ByteBuffer page = page(4096, "pattern");
        int sound = checksum.compute(page, OFFSET + 4, 4088);

        page.put(OFFSET + 3, (byte) 99).put(OFFSET + 4092, (byte) 99);
        page.position(17).limit(page.capacity() - 1);

        assertThat(checksum.compute(page, OFFSET + 4, 4088)).isEqualTo(sound);
        assertThat(page.position()).isEqualTo(17);
        assertThat(page.limit()).isEqualTo(page.capacity() - 1);
    }

    @Test
    void givenTheCodes_whenLookedUp_thenEachIsItsKindAndUnknownOnesAreRefused() {
        assertThat(PageChecksums.all())
                .extracting(PageChecksum::name)
                .containsExactly("NONE", "LEGACY", "WORD", "CRC32C");
        for (PageChecksum checksum : PageChecksums.all()) {
            assertThat(PageChecksums.byCode(checksum.code())).isSameAs(checksum);
            assertThat(PageChecksums.byName(checksum.name().toLowerCase(Locale.ROOT)))
                    .isSameAs(checksum);
        }

        for (int code : new int[] {-128, -1, 4, 127}) {
            assertThat(PageChecksums.isKnown(code)).isFalse();
            assertThatThrownBy(() -> PageChecksums.byCode(code))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("unknown checksum kind: code=" + code);
        }
        assertThatThrownBy(() -> PageChecksums.byName("MD5"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void givenALengthOfPartialWords_whenFoldedByWords_thenItIsRefused() {
        ByteBuffer page = page(4096, "zeros");

        assertThatThrownBy(() -> Fold.ofWords(page, OFFSET, 4094))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("length=4094");
    }

    private static int foldOf(int count, IntUnaryOperator value) {
        int fold = 0;
        for (int i = 0; i < count; i++) {
            fold = Fold.next(fold, value.applyAsInt(i));
        }
        return fold;
    }

    private static int littleEndianInt(ByteBuffer page, int at) {
        return (page.get(at) & 0xFF)
                | (page.get(at + 1) & 0xFF) << 8
                | (page.get(at + 2) & 0xFF) << 16
                | page.get(at + 3) << 24;
    }

    private static ByteBuffer page(int pageBytes, String content) {
        ByteBuffer chunk = ByteBuffer.allocateDirect(OFFSET + pageBytes + 8);
        for (int i = 0; i < pageBytes; i++) {
            int value =
                    switch (content) {
                        case "zeros" -> 0;
                        case "ones" -> 0xFF;
                        default -> 7 * i + 3;
                    };
            chunk.put(OFFSET + i, (byte) value);
        }
        return chunk;
    }

    private static String hex(int value) {
        return String.format("%08x", value);
    }
}
