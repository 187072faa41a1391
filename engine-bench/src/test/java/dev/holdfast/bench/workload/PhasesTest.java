// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** If this failed, a misspelt phase would run as another, or not at all. */
class PhasesTest {
    @Test
    void givenAnAmountOfThreads_whenParsed_thenTheTitleIsTheTextAgain() {
        Phase phase = Phases.parse("update-sync@64");

        assertThat(phase.threads()).isEqualTo(64);
        assertThat(phase.title()).isEqualTo("update-sync@64");
        assertThat(phase.isTimed()).isTrue();
    }

    @Test
    void givenALoad_whenParsed_thenItIsNotTimed() {
        assertThat(Phases.parse("load-seq").isTimed()).isFalse();
        assertThat(Phases.isLoad("load-random")).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"update", "", "update-sync@0", "update-sync@x", "@8"})
    void givenNonsense_whenParsed_thenItIsRefused(String text) {
        assertThatThrownBy(() -> Phases.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
