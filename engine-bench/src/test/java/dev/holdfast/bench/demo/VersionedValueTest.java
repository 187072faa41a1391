// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** If this failed, the load would take a wrong value for a right one. */
class VersionedValueTest {
    private static final byte[] SOURCE = "some class file".getBytes(StandardCharsets.UTF_8);
    private static final int CHECKSUM = VersionedValue.checksum(SOURCE, SOURCE.length);

    @Test
    void givenVersions_whenMade_thenTheyAreSoundAndHaveTheSource() {
        for (int version = 0; version < 3; version++) {
            byte[] value = VersionedValue.of(SOURCE, version);

            assertThat(VersionedValue.isSound(value, SOURCE.length, CHECKSUM)).isTrue();
            assertThat(VersionedValue.source(value, SOURCE.length)).isEqualTo(SOURCE);
        }
    }

    @Test
    void givenAVersion_whenAnyByteIsFlipped_thenItIsNotSound() {
        byte[] value = VersionedValue.of(SOURCE, 5);

        for (int i = 0; i < value.length; i++) {
            value[i] ^= 1;
            assertThat(VersionedValue.isSound(value, SOURCE.length, CHECKSUM)).isFalse();
            value[i] ^= 1;
        }
    }

    @Test
    void givenAValueOfAnotherLength_whenJudged_thenItIsNotSound() {
        byte[] value = VersionedValue.of(SOURCE, 5);

        assertThat(VersionedValue.isSound(value, SOURCE.length - 1, CHECKSUM)).isFalse();
        assertThat(VersionedValue.isSound(new byte[0], SOURCE.length, CHECKSUM)).isFalse();
    }
}
