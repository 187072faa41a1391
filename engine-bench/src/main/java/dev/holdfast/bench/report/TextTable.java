// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.report;

import java.util.ArrayList;
import java.util.List;

/** Lines of cells under one head: the first column to the left, the others to the right. */
public final class TextTable {
    private static final String GAP = "  ";

    private final List<String[]> lines = new ArrayList<>();
    private final int columns;

    public TextTable(String... head) {
        columns = head.length;
        lines.add(head.clone());
    }

    /** Adds a line; it must have as many cells as the head. */
    public TextTable line(String... cells) {
        if (cells.length != columns) {
            throw new IllegalArgumentException(
                    "line does not fit its table: cells=" + cells.length + ", columns=" + columns);
        }
        lines.add(cells.clone());
        return this;
    }

    /** Returns the lines, each with a line's end. */
    public String toText() {
        int[] widths = new int[columns];
        for (String[] line : lines) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], line[i].length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (String[] line : lines) {
            int start = text.length();
            for (int i = 0; i < columns; i++) {
                String blanks = " ".repeat(widths[i] - line[i].length());
                text.append(i == 0 ? "" : GAP);
                text.append(i == 0 ? line[i] + blanks : blanks + line[i]);
            }
            int end = text.length();
            while (end > start && text.charAt(end - 1) == ' ') {
                end--;
            }
            text.setLength(end);
            text.append('\n');
        }
        return text.toString();
    }
}
