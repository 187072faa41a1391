// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.FormatException;
import dev.holdfast.core.page.FormatTable;
import dev.holdfast.io.sim.SeededRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What is on disk of a catalog row, and that no bytes at all confuse its decoder. */
final class CatalogRowTest {
    private static final CatalogRow ROW =
            new CatalogRow(0x01020304, "täble", 17, 2, TableState.DROPPING, new TreeMap<>());

    @Test
    void givenTheByteTable_whenComparedWithTheOffsets_thenTheyAgree() throws Exception {
        assertThat(FormatTable.constants(CatalogRow.class))
                .isEqualTo(FormatTable.rows("catalog-row.md"));
    }

    @Test
    void givenARow_whenEncoded_thenTheBytesAreTheGoldenOnes() {
        TreeMap<String, String> options = new TreeMap<>();
        options.put("a", "bc");
        CatalogRow row = new CatalogRow(16, "täble", 17, 2, TableState.ACTIVE, options);

        assertThat(HexFormat.of().formatHex(row.encode()))
                .isEqualTo(
                        "01"
                                + "01"
                                + "0000"
                                + "11000000"
                                + "02000000"
                                + "00"
                                + "00"
                                + "0600"
                                + "74c3a4626c65"
                                + "0100"
                                + "010061"
                                + "02006263");
        assertThat(CatalogRow.decode(16, row.encode())).isEqualTo(row);
        assertThat(HexFormat.of().formatHex(CatalogRow.key(0x01020304))).isEqualTo("01020304");
    }

    @Test
    void givenNewerCodes_whenDecoded_thenTheyAreRefusedByFormat() {
        for (int offset :
                new int[] {
                    CatalogRow.ROW_VERSION_OFFSET,
                    CatalogRow.KEY_FORMAT_OFFSET,
                    CatalogRow.INDEX_KIND_OFFSET
                }) {
            byte[] bytes = ROW.encode();
            bytes[offset] = 7;

            assertThatThrownBy(() -> CatalogRow.decode(16, bytes))
                    .as("offset %s", offset)
                    .isInstanceOf(FormatException.class);
        }
    }

    @Test
    void givenBadValues_whenDecoded_thenTheyAreDamage() {
        for (int offset :
                new int[] {
                    CatalogRow.STATE_OFFSET,
                    CatalogRow.RESERVED_OFFSET,
                    CatalogRow.NAME_LENGTH_OFFSET,
                    CatalogRow.NAME_OFFSET + 1
                }) {
            byte[] bytes = ROW.encode();
            bytes[offset] = 'z';

            assertThatThrownBy(() -> CatalogRow.decode(16, bytes))
                    .as("offset %s", offset)
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining("treeId=16");
        }
    }

    @Test
    void givenCutAndRandomBytes_whenDecoded_thenTheErrorIsTyped() {
        SeededRandom random = new SeededRandom(7);
        byte[] sound = ROW.encode();
        for (int i = 0; i < 20_000; i++) {
            byte[] bytes = Arrays.copyOf(sound, random.nextInt(sound.length + 4));
            for (int flips = random.nextInt(4); flips > 0 && bytes.length > 0; flips--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }

            try {
                CatalogRow row = CatalogRow.decode(3, bytes);
                assertThat(row.encode()).isEqualTo(bytes);
            } catch (CorruptionException | FormatException expected) {
                assertThat(expected).hasMessageContaining("main.hfs");
            }
        }
    }
}
