// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** If this failed, a demo would end in an error for want of a drawing. */
class ThroughputPlotTest {
    @TempDir private Path directory;

    @Test
    void givenSeriesOfWhichOneIsEmpty_whenDrawn_thenThereIsAPngFile() throws Exception {
        TimeSeries rows = new TimeSeries("rows", 0);
        rows.add(0, 3);
        Path file = directory.resolve("plot.png");

        ThroughputPlot.write(file, "test", List.of(rows, new TimeSeries("none", 0)));

        assertThat(Files.readAllBytes(file)).startsWith(0x89, 'P', 'N', 'G');
    }
}
