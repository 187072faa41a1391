// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** If a report called a damaged store sound, nobody would restore it. */
class VerifyReportTest {
    private static final Finding FINDING = new Finding("page=3", "B1 keys ascend", "a<b", "b<a");

    @Test
    void givenNoFindings_whenAsked_thenItIsSound() {
        VerifyReport report = new VerifyReport(1, 2, 3, List.of(), 0);

        assertThat(report.isSound()).isTrue();
        assertThat(report.toText()).isEqualTo("pages=1, tables=2, rows=3, findings=0\n");
    }

    @Test
    void givenAFindingKeptOrOmitted_whenAsked_thenItIsNotSound() {
        VerifyReport kept = new VerifyReport(1, 2, 3, List.of(FINDING), 4);

        assertThat(kept.isSound()).isFalse();
        assertThat(kept.toText())
                .isEqualTo(
                        """
                        pages=1, tables=2, rows=3, findings=5
                        page=3: B1 keys ascend: expected=a<b, found=b<a
                        """);
        assertThat(new VerifyReport(1, 2, 3, List.of(), 1).isSound()).isFalse();
    }

    @Test
    void givenTheCallersList_whenItChangesLater_thenTheReportDoesNot() {
        List<Finding> findings = new ArrayList<>(List.of(FINDING));
        VerifyReport report = new VerifyReport(1, 2, 3, findings, 0);

        findings.clear();

        assertThat(report.findings()).containsExactly(FINDING);
    }

    @Test
    void givenMoreFindingsThanTheLimit_whenMade_thenTheyAreRefused() {
        List<Finding> many = Collections.nCopies(VerifyReport.FINDINGS_MAX + 1, FINDING);

        assertThatThrownBy(() -> new VerifyReport(1, 2, 3, many, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("max=1000");
    }
}
