// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.util.HexFormat;

/** How a key is shown in a message: in hexadecimal, cut after a few bytes. */
final class KeyText {
    private static final int SHOWN_BYTES_MAX = 32;

    private KeyText() {}

    static String of(byte[] key) {
        if (key.length <= SHOWN_BYTES_MAX) {
            return "0x" + HexFormat.of().formatHex(key);
        }
        String head = HexFormat.of().formatHex(key, 0, SHOWN_BYTES_MAX);
        return "0x" + head + "…, keyBytes=" + key.length;
    }
}
