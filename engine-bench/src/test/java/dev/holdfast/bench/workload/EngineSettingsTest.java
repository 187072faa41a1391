// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.EngineOptions;
import dev.holdfast.FileMode;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** If this failed, a comparison would compare a setting with itself. */
class EngineSettingsTest {
    private final EngineOptions defaults = EngineOptions.defaults();

    @Test
    void givenNames_whenSet_thenTheOptionsHaveThemAndTheRestStays() {
        EngineOptions options =
                EngineSettings.with(
                        defaults,
                        Map.of("doublewrite", "false", "fileMode", "DIRECT", "pageBytes", "8192"));

        assertThat(options.doublewrite()).isFalse();
        assertThat(options.fileMode()).isEqualTo(FileMode.DIRECT);
        assertThat(options.pageBytes()).isEqualTo(8192);
        assertThat(options.poolBytes()).isEqualTo(defaults.poolBytes());
    }

    @Test
    void givenAnUnknownName_whenSet_thenItIsRefused() {
        assertThatThrownBy(() -> EngineSettings.with(defaults, Map.of("turbo", "1")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("option=turbo");
    }

    @Test
    void givenAWordThatIsNoTruth_whenSet_thenItIsRefused() {
        assertThatThrownBy(() -> EngineSettings.with(defaults, Map.of("doublewrite", "no")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("value=no");
    }
}
