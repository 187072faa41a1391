// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What a command measured: names with their values, in the order they were set. Written as one flat
 * JSON object for machines. For one thread.
 */
public final class Figures {
    private final Map<String, Object> values = new LinkedHashMap<>();

    public Figures set(String name, long value) {
        values.put(name, value);
        return this;
    }

    /** Sets a measured value; one that is no number, as of a rate over no time, is refused. */
    public Figures set(String name, double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException(
                    "figure is not finite: name=" + name + ", value=" + value);
        }
        values.put(name, value);
        return this;
    }

    public Figures set(String name, String value) {
        values.put(name, value);
        return this;
    }

    /** Writes the object, and a line's end, over what the file held. */
    public void writeTo(Path file) throws IOException {
        Files.writeString(file, toJson());
    }

    String toJson() {
        StringBuilder json = new StringBuilder(256).append('{');
        String separator = "\n  ";
        for (Map.Entry<String, Object> entry : values.entrySet()) {
            json.append(separator);
            appendText(json, entry.getKey());
            json.append(": ");
            if (entry.getValue() instanceof String text) {
                appendText(json, text);
            } else {
                json.append(entry.getValue());
            }
            separator = ",\n  ";
        }
        return json.append("\n}\n").toString();
    }

    private static void appendText(StringBuilder json, String text) {
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < ' ') {
                json.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
