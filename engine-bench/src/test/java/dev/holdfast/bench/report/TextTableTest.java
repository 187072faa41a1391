// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** If this failed, figures would stand under the wrong heads. */
class TextTableTest {
    @Test
    void givenLinesOfDifferentWidths_whenLaidOut_thenNumbersEndBelowTheirHead() {
        String text = new TextTable("phase", "per second").line("load", "7").toText();

        assertThat(text).isEqualTo("phase  per second\nload            7\n");
    }

    @Test
    void givenALineWithTooFewCells_whenAdded_thenItIsRefused() {
        TextTable table = new TextTable("phase", "per second");

        assertThatThrownBy(() -> table.line("load"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cells=1");
    }
}
