// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.checksum;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The kinds of checksum that one engine knows: the built-in ones and those of its host. */
public final class ChecksumKinds {
    /*
     * Codes are small, so that a set of kinds is the bits of one int. Half of them are the format's,
     * the other half is for kinds from outside. The table is made once, at open, and never changes.
     */

    /** Codes are below it. */
    public static final int CODES = Integer.SIZE;

    /** The first code that a kind from outside may have. */
    public static final int CUSTOM_CODE_MIN = 16;

    /** The kinds that exist everywhere. */
    public static final ChecksumKinds BUILT_IN = new ChecksumKinds(PageChecksums.all());

    private final PageChecksum[] byCode = new PageChecksum[CODES];
    private final int mask;

    private ChecksumKinds(List<PageChecksum> all) {
        int bits = 0;
        for (PageChecksum kind : all) {
            int code = kind.code();
            byCode[code] = kind;
            bits |= 1 << code;
        }
        mask = bits;
    }

    /**
     * The built-in kinds and others.
     *
     * @throws IllegalArgumentException if a code is not one for a kind from outside, or two kinds
     *     have one code or one name
     */
    public static ChecksumKinds with(List<PageChecksum> custom) {
        List<PageChecksum> all = new ArrayList<>(PageChecksums.all());
        for (PageChecksum kind : custom) {
            if (!isCustom(kind.code())) {
                throw new IllegalArgumentException(
                        "code is not one for a checksum kind from outside: name="
                                + kind.name()
                                + ", code="
                                + kind.code()
                                + ", min="
                                + CUSTOM_CODE_MIN
                                + ", max="
                                + (CODES - 1));
            }
            for (PageChecksum other : all) {
                if (other.code() == kind.code() || other.name().equals(kind.name())) {
                    throw new IllegalArgumentException(
                            "two checksum kinds have one code or one name: first="
                                    + other.name()
                                    + "/"
                                    + other.code()
                                    + ", second="
                                    + kind.name()
                                    + "/"
                                    + kind.code());
                }
            }
            all.add(kind);
        }
        return new ChecksumKinds(all);
    }

    /** Whether a code is one of those for kinds from outside; of any int. */
    public static boolean isCustom(int code) {
        return code >= CUSTOM_CODE_MIN && code < CODES;
    }

    /** Whether there is a kind of that code; to be asked of a code that was read from a disk. */
    public boolean isKnown(int code) {
        return code >= 0 && code < CODES && byCode[code] != null;
    }

    /** The kind of a code that {@link #isKnown}. */
    public PageChecksum byCode(int code) {
        if (!isKnown(code)) {
            throw new IllegalArgumentException("unknown checksum kind: code=" + code);
        }
        return byCode[code];
    }

    /** The kind of that name, in any case of letters. */
    public PageChecksum byName(String name) {
        String wanted = name.toUpperCase(Locale.ROOT);
        for (PageChecksum kind : byCode) {
            if (kind != null && kind.name().equals(wanted)) {
                return kind;
            }
        }
        throw new IllegalArgumentException(
                "unknown checksum kind: name=" + name + ", known=" + names(mask));
    }

    /** A bit {@code 1 << code} for each kind that is known. */
    public int mask() {
        return mask;
    }

    /** The names of the kinds in a mask, for messages; total on any bits. */
    public String names(int kinds) {
        StringBuilder names = new StringBuilder();
        for (int code = 0; code < CODES; code++) {
            if ((kinds & 1 << code) != 0) {
                names.append(names.isEmpty() ? "" : "+");
                names.append(byCode[code] == null ? "code" + code : byCode[code].name());
            }
        }
        return names.toString();
    }
}
