// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.CorruptionException;
import org.junit.jupiter.api.Test;

/** If this failed, one damaged page could fill the host's log, or never be told of. */
final class DamageToldTest {
    private final DamageTold told = new DamageTold();

    @Test
    void givenTwoPages_whenTheyAreMetInTurn_thenEachIsToldOfOnce() {
        assertThat(told.take(damage(3))).isNotNull();
        assertThat(told.take(damage(4))).isNotNull();

        assertThat(told.take(damage(3))).isNull();
        assertThat(told.take(damage(4))).isNull();
    }

    @Test
    void givenVeryManyPages_whenTheyAreMet_thenSoManyAreToldOf() {
        int count = 0;
        for (int page = 0; page < 1_000; page++) {
            count += told.take(damage(page)) != null ? 1 : 0;
        }

        assertThat(count).isEqualTo(64);
    }

    private static CorruptionException damage(long page) {
        return new CorruptionException("page is damaged", "f", 16, page, "sound", "rotten");
    }
}
