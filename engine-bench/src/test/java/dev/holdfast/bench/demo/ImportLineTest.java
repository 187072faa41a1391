// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.demo.ImportLine.Kind;
import org.junit.jupiter.api.Test;

/** If this failed, a kill in the middle of a line could acknowledge a commit that never was. */
class ImportLineTest {
    @Test
    void givenALine_whenWrittenAndParsed_thenItIsTheSame() {
        ImportLine line = new ImportLine(Kind.COUNTS, 1_234, 56);

        assertThat(ImportLine.parse(line.toText())).contains(line);
    }

    @Test
    void givenEveryBeginningOfALine_whenParsed_thenNothingIsRead() {
        String text = ImportLine.of(Kind.DONE, 1_234).toText();

        for (int length = 0; length < text.length(); length++) {
            assertThat(ImportLine.parse(text.substring(0, length))).isEmpty();
        }
    }
}
