// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HexFormat;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** If an encoding changed, stores written before would be read wrongly. */
class CodecTest {
    @Test
    void givenNumbers_whenEncoded_thenTheBytesAreTheGoldenOnes() {
        assertThat(hex(Codec.INT.encode(Integer.MIN_VALUE))).isEqualTo("00000000");
        assertThat(hex(Codec.INT.encode(-1))).isEqualTo("7fffffff");
        assertThat(hex(Codec.INT.encode(0))).isEqualTo("80000000");
        assertThat(hex(Codec.INT.encode(0x01020304))).isEqualTo("81020304");
        assertThat(hex(Codec.LONG.encode(Long.MIN_VALUE))).isEqualTo("0000000000000000");
        assertThat(hex(Codec.LONG.encode(0x0102030405060708L))).isEqualTo("8102030405060708");
        assertThat(hex(Codec.LONG.encode(Long.MAX_VALUE))).isEqualTo("ffffffffffffffff");
    }

    @Test
    void givenTextAndUuid_whenEncoded_thenTheBytesAreTheGoldenOnes() {
        UUID uuid = UUID.fromString("f0e1d2c3-b4a5-9687-7869-5a4b3c2d1e0f");

        assertThat(hex(Codec.STRING.encode("aé€\uD83D\uDE00"))).isEqualTo("61c3a9e282acf09f9880");
        assertThat(Codec.STRING.encode("")).isEmpty();
        assertThat(hex(Codec.UUID.encode(uuid))).isEqualTo("f0e1d2c3b4a5968778695a4b3c2d1e0f");
    }

    @Test
    void givenBytes_whenEncodedAndDecoded_thenTheArrayIsNotCopied() {
        byte[] bytes = {1, 2};

        assertThat(Codec.BYTES.encode(bytes)).isSameAs(bytes);
        assertThat(Codec.BYTES.decode(bytes)).isSameAs(bytes);
    }

    @Test
    void givenBytesOfAnotherLength_whenDecoded_thenBothLengthsAreNamed() {
        assertThatThrownBy(() -> Codec.INT.decode(new byte[5]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expectedBytes=4, foundBytes=5");
        assertThatThrownBy(() -> Codec.LONG.decode(new byte[7]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expectedBytes=8, foundBytes=7");
        assertThatThrownBy(() -> Codec.UUID.decode(new byte[0]))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expectedBytes=16, foundBytes=0");
    }

    @Test
    void givenWhatUtf8CannotSay_whenCoded_thenItIsRefusedAndNotReplaced() {
        assertThatThrownBy(() -> Codec.STRING.encode("a\uD83D"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("length=2");
        assertThatThrownBy(() -> Codec.STRING.decode(new byte[] {(byte) 0xC3}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("foundBytes=1");
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
