// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws series of counts by second as lines into a PNG file. */
public final class ThroughputPlot {
    private static final int WIDTH = 1_000;
    private static final int HEIGHT = 500;

    private ThroughputPlot() {}

    /** Writes the plot over what the file held. Needs no display. */
    public static void write(Path file, String title, List<TimeSeries> series) throws IOException {
        System.setProperty("java.awt.headless", "true");
        XYChart chart =
                new XYChartBuilder()
                        .width(WIDTH)
                        .height(HEIGHT)
                        .title(title)
                        .xAxisTitle("seconds")
                        .yAxisTitle("per second")
                        .build();
        chart.getStyler().setLegendPosition(LegendPosition.InsideNW);
        chart.getStyler().setYAxisMin(0.0);
        for (TimeSeries each : series) {
            long[] counts = each.perSecond();
            if (counts.length == 0) {
                continue; // A line needs a point.
            }
            double[] seconds = new double[counts.length];
            Arrays.setAll(seconds, second -> second);
            double[] values = Arrays.stream(counts).asDoubleStream().toArray();
            chart.addSeries(each.name(), seconds, values).setMarker(SeriesMarkers.NONE);
        }
        BitmapEncoder.saveBitmap(chart, file.toString(), BitmapEncoder.BitmapFormat.PNG);
    }
}
