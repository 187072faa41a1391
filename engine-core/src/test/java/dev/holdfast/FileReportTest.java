// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.holdfast.FileReport.Row;
import dev.holdfast.FileReport.Work;
import java.util.List;
import org.junit.jupiter.api.Test;

/** If this failed, the line of a file would not say what the file did, or the total not the sum. */
final class FileReportTest {
    private static final Row MAIN =
            new Row(
                    "main.hfs",
                    1,
                    new Work(2, 3, 12288, 4_000_000, 4_194_303, 4_194_303, 7),
                    new Work(1, 256, 1 << 20, 20_000_000, 33_554_431, 33_554_431, 9),
                    new Work(1, 0, 0, 1_500_000_000, 2_147_483_647, 2_147_483_647, 0));
    private static final Row IDLE =
            new Row("undo-2.hfs", 2, Work.NONE, new Work(3, 3, 12288, 60, 31, 63, 2), Work.NONE);

    @Test
    void givenAFile_whenTold_thenTheLineIsThatOfTheLineage() {
        String line = MAIN.toText();

        assertThat(line)
                .isEqualTo(
                        "main.hfs, 1, read: 2 requests, 3 pages, 0.00 secs, 2.000 ms/r, "
                                + "write: 1 requests, 256 pages, 0.02 secs, 20.000 ms/r, "
                                + "sync: 1 requests, 1.50 secs, 1500.000 ms/r, "
                                + "merged: 7 reads, 9 writes");
    }

    @Test
    void givenNoRequest_whenTold_thenNothingIsDividedByIt() {
        String line = IDLE.toText();

        assertThat(line).contains("read: 0 requests, 0 pages, 0.00 secs, 0.000 ms/r");
        assertThat(Work.NONE.millisPerRequest()).isZero();
    }

    @Test
    void givenFiles_whenSummed_thenTheTotalHasTheirSumsAndTheirWorst() {
        FileReport report = new FileReport(List.of(MAIN, IDLE));

        Row total = report.total();

        assertThat(total.number()).isEqualTo(2);
        assertThat(total.reads()).isEqualTo(MAIN.reads());
        assertThat(total.writes())
                .isEqualTo(
                        new Work(
                                4, 259, (1 << 20) + 12288, 20_000_060, 33_554_431, 33_554_431, 11));
        assertThat(total.writes().millisPerRequest()).isCloseTo(5.0, within(0.001));
        assertThat(report.toText().lines())
                .containsExactly(MAIN.toText(), IDLE.toText(), total.toText());
        assertThat(new FileReport(List.of()).total().syncs()).isEqualTo(Work.NONE);
    }
}
