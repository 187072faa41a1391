// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.checksum;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Kinds from outside beside the built-in ones. */
final class ChecksumKindsTest {
    private static final int BYTES = 4092;
    private static final int OFFSET = 4100;

    @Test
    void givenAKindFromOutside_whenAdded_thenItIsFoundByCodeAndName() {
        PageChecksum kind = new Kind((byte) 17, "OWN");

        ChecksumKinds kinds = ChecksumKinds.with(List.of(kind));

        assertThat(kinds.byCode(17)).isSameAs(kind);
        assertThat(kinds.byName("own")).isSameAs(kind);
        assertThat(kinds.byName("crc32c")).isSameAs(PageChecksums.CRC32C);
        assertThat(kinds.mask()).isEqualTo(0b1111 | 1 << 17);
        assertThat(kinds.names(1 << 17 | 1 << 3 | 1 << 20)).isEqualTo("CRC32C+OWN+code20");
        assertThat(kinds.isKnown(16)).isFalse();
        assertThat(kinds.isKnown(-1)).isFalse();
        assertThat(kinds.isKnown(32)).isFalse();
        assertThat(ChecksumKinds.BUILT_IN.isKnown(17)).isFalse();
        assertThatThrownBy(() -> kinds.byCode(16)).hasMessageContaining("code=16");
        assertThatThrownBy(() -> kinds.byName("MD5")).hasMessageContaining("OWN");
    }

    @ParameterizedTest
    @CsvSource({"3, OWN", "15, OWN", "-1, OWN", "32, OWN", "17, CRC32C"})
    void givenACodeOrNameThatIsTaken_whenAdded_thenItIsRefused(byte code, String name) {
        List<PageChecksum> kinds = List.of(new Kind(code, name));

        assertThatThrownBy(() -> ChecksumKinds.with(kinds))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
    }

    @ParameterizedTest
    @CsvSource({"17, A, 17, B", "17, A, 18, A"})
    void givenTwoKindsAlike_whenAdded_thenBothAreNamed(byte one, String a, byte two, String b) {
        List<PageChecksum> kinds = List.of(new Kind(one, a), new Kind(two, b));

        assertThatThrownBy(() -> ChecksumKinds.with(kinds))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(a + "/" + one)
                .hasMessageContaining(b + "/" + two);
    }

    @Test
    void givenEachKind_whenComputedWithoutTheInterface_thenTheSumIsTheSame() {
        ByteBuffer chunk = ByteBuffer.allocateDirect(3 * BYTES);
        for (int i = 0; i < chunk.capacity(); i++) {
            chunk.put(i, (byte) (i * 31 + (i >> 8)));
        }
        PageChecksum own = new Kind((byte) 17, "OWN");

        for (PageChecksum kind : PageChecksums.all()) {
            assertThat(PageChecksums.compute(kind, chunk, OFFSET, BYTES))
                    .as(kind.name())
                    .isEqualTo(kind.compute(chunk, OFFSET, BYTES));
        }
        assertThat(PageChecksums.compute(own, chunk, OFFSET, BYTES)).isEqualTo(OFFSET + BYTES);
    }

    private record Kind(byte code, String name) implements PageChecksum {
        @Override
        public int compute(ByteBuffer chunk, int offset, int length) {
            return offset + length;
        }
    }
}
