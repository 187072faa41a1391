// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import dev.holdfast.Limits;
import dev.holdfast.io.sim.SeededRandom;

/**
 * Keys as strings of the chars 0 to 255, one for each byte: such strings compare as the keys do, so
 * that a {@code TreeMap} of them is the model of a table.
 */
final class Keys {
    private static final int TEXT_CHARS_MAX = 40;

    private Keys() {}

    static byte[] bytes(String key) {
        return key.getBytes(ISO_8859_1);
    }

    static String of(byte[] bytes) {
        return new String(bytes, ISO_8859_1);
    }

    /** The least key above all keys that begin with the prefix, whose last char is not 255. */
    static String afterPrefix(String prefix) {
        int last = prefix.length() - 1;
        return prefix.substring(0, last) + (char) (prefix.charAt(last) + 1);
    }

    /** A key of one of the shapes that find bugs, over few enough keys that they meet again. */
    static String random(SeededRandom random, int pageBytes) {
        int which = random.nextInt(24);
        return switch (random.nextInt(9)) {
            case 0 -> which == 0 ? "" : String.valueOf((char) (which * 11));
            case 1 -> "\0".repeat(which);
            case 2 -> "\u00ff".repeat(which);
            case 3 -> "a shared and rather long prefix of many keys/" + which;
            case 4 -> "m".repeat(Limits.keyBytesMax(pageBytes) - 1) + (char) ('a' + which);
            case 5 -> "\u00ff\0".repeat(which / 2) + (char) which;
            case 6 -> String.valueOf(random.nextInt(1000));
            default -> "k" + (char) random.nextInt(256) + (char) (which << 3);
        };
    }

    /** For messages. */
    static String text(String key) {
        StringBuilder text = new StringBuilder("'");
        for (int i = 0; i < Math.min(key.length(), TEXT_CHARS_MAX); i++) {
            char c = key.charAt(i);
            if (c >= ' ' && c < 127 && c != '\\') {
                text.append(c);
            } else {
                text.append(String.format("\\%02x", (int) c));
            }
        }
        text.append('\'');
        if (key.length() > TEXT_CHARS_MAX) {
            text.append("…").append(key.length());
        }
        return text.toString();
    }
}
