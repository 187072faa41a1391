// SPDX-License-Identifier: Apache-2.0

/**
 * What is made of measured numbers: series over time, tables of text, and plots.
 *
 * <p>{@link dev.holdfast.bench.report.TimeSeries} collects counts by second, {@link
 * dev.holdfast.bench.report.TextTable} lays out columns for people, and {@link
 * dev.holdfast.bench.report.ThroughputPlot} draws series into a file. Knows nothing of engines.
 */
package dev.holdfast.bench.report;
