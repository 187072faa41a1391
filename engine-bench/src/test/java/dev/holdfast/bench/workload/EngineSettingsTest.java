// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DoublewriteMode;
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

        assertThat(options.doublewrite()).isEqualTo(DoublewriteMode.OFF);
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
    void givenADoublewriteMode_whenSet_thenItsNameAndTheFormerTruthsAreUnderstood() {
        assertThat(doublewrite("true")).isEqualTo(DoublewriteMode.ON);
        assertThat(doublewrite("DETECT_ONLY")).isEqualTo(DoublewriteMode.DETECT_ONLY);
        assertThatThrownBy(() -> doublewrite("no"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("DoublewriteMode.no");
    }

    private DoublewriteMode doublewrite(String text) {
        return EngineSettings.with(defaults, Map.of("doublewrite", text)).doublewrite();
    }

    @Test
    void givenHowMuchIsDoneInTheBackground_whenSet_thenItIsInTheOptions() {
        EngineOptions options =
                EngineSettings.with(
                        defaults,
                        Map.of("ioCapacity", "3000", "ioReadThreads", "2", "ioWriteThreads", "5"));

        assertThat(options.ioCapacity()).isEqualTo(3000);
        assertThat(options.ioReadThreads()).isEqualTo(2);
        assertThat(options.ioWriteThreads()).isEqualTo(5);
        assertThat(EngineSettings.with(options, Map.of("ioCapacity", "AUTO")).ioCapacity())
                .isEqualTo(EngineOptions.IO_CAPACITY_AUTO);
    }

    @Test
    void givenAWordThatIsNoTruth_whenSet_thenItIsRefused() {
        assertThatThrownBy(() -> EngineSettings.with(defaults, Map.of("redoSelfCheck", "no")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("value=no");
    }
}
