// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.page;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Compares the byte tables of {@code docs/format} with the offsets in the code. */
public final class FormatTable {
    /* A row is "| offset | size | field | meaning |". An offset counted from the end is negative; a
     * row without a size is the rest. Within one table rows follow each other without a gap. */
    private static final Pattern ROW =
            Pattern.compile("^\\|\\s*(-?\\d+)\\s*\\|\\s*(\\d*)\\s*\\|\\s*(\\w+)\\s*\\|.*");

    private static final String SUFFIX = "_OFFSET";

    private FormatTable() {}

    /** The fields of all tables of a page: name → offset. Fails on a gap or an overlap. */
    public static Map<String, Integer> rows(String page) throws IOException {
        return rows(page, "");
    }

    /** The fields of the tables under the headings that contain the given text. */
    public static Map<String, Integer> rows(String page, String heading) throws IOException {
        Map<String, Integer> rows = new TreeMap<>();
        int next = Integer.MIN_VALUE;
        boolean wanted = heading.isEmpty();
        for (String line : Files.readAllLines(formatDirectory().resolve(page))) {
            if (line.startsWith("#") && !heading.isEmpty()) {
                wanted = line.contains(heading);
            }
            Matcher row = ROW.matcher(line);
            if (!wanted || !row.matches()) {
                next = Integer.MIN_VALUE;
                continue;
            }
            int offset = Integer.parseInt(row.group(1));
            if (next != Integer.MIN_VALUE) {
                assertThat(offset).as("offset of %s in %s", row.group(3), page).isEqualTo(next);
            }
            assertThat(rows.put(row.group(3), offset)).as("twice: %s", row.group(3)).isNull();
            String size = row.group(2);
            next = size.isEmpty() ? Integer.MIN_VALUE : offset + Integer.parseInt(size);
        }
        assertThat(rows).as("rows of %s", page).isNotEmpty();
        return rows;
    }

    /** The {@code …_OFFSET} constants of a class as field names: {@code PAGE_LSN} → pageLsn. */
    public static Map<String, Integer> constants(Class<?> layout) throws IllegalAccessException {
        Map<String, Integer> constants = new TreeMap<>();
        for (Field field : layout.getDeclaredFields()) {
            String name = field.getName();
            if (name.endsWith(SUFFIX) && field.getType() == int.class) {
                field.setAccessible(true);
                constants.put(
                        camelCase(name.substring(0, name.length() - SUFFIX.length())),
                        field.getInt(null));
            }
        }
        return constants;
    }

    private static String camelCase(String constant) {
        StringBuilder name = new StringBuilder();
        for (String word : constant.toLowerCase(Locale.ROOT).split("_", -1)) {
            name.append(name.length() == 0 ? word : capitalized(word));
        }
        return name.toString();
    }

    private static String capitalized(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }

    private static Path formatDirectory() {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(directory.resolve("docs/format"))) {
            directory = directory.getParent();
        }
        return directory.resolve("docs/format");
    }
}
