// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.checksum;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.zip.CRC32C;

/** The kinds of checksum that are built in. */
public final class PageChecksums {
    /*
     * A code is stored in each page, beside the checksum and covered by it. Zero is NONE, not
     * because zeroed memory should pass, but because no other code may: a page's type is never
     * zero, so a page of zeros is refused before its checksum is asked for.
     */

    /** No checksum: always zero. Torn and rotten pages are then found by luck only. */
    public static final PageChecksum NONE = new NoChecksum();

    /** One fold, byte by byte: what the lineage began with. Slow. */
    public static final PageChecksum LEGACY = new LegacyChecksum();

    /** One fold, by little-endian words: about four times as fast. */
    public static final PageChecksum WORD = new WordChecksum();

    /** CRC32C by the processor's own instruction: the fastest and the only one that is a CRC. */
    public static final PageChecksum CRC32C = new Crc32cChecksum();

    private static final PageChecksum[] BY_CODE = {NONE, LEGACY, WORD, CRC32C};

    static {
        for (int code = 0; code < BY_CODE.length; code++) {
            assert BY_CODE[code].code() == code : "code=" + code;
        }
    }

    private PageChecksums() {}

    /** All kinds, ordered by their codes. */
    public static List<PageChecksum> all() {
        return List.of(BY_CODE);
    }

    /** Whether there is a kind of that code; to be asked of a code that was read from a disk. */
    public static boolean isKnown(int code) {
        return code >= 0 && code < BY_CODE.length;
    }

    /** The kind of a code that {@link #isKnown}. */
    public static PageChecksum byCode(int code) {
        if (!isKnown(code)) {
            throw new IllegalArgumentException("unknown checksum kind: code=" + code);
        }
        return BY_CODE[code];
    }

    /**
     * The checksum of a range by a kind of any origin. For a built-in one no interface is called:
     * sealing and verifying are few call sites, and one that has met three kinds would pay for a
     * dispatch, and lose the inlining, with each page.
     */
    public static int compute(PageChecksum kind, ByteBuffer chunk, int offset, int length) {
        if (kind == CRC32C) {
            return crc32c(chunk, offset, length);
        }
        if (kind == NONE) {
            return 0;
        }
        if (kind == WORD) {
            return Fold.ofWords(chunk, offset, length);
        }
        if (kind == LEGACY) {
            return Fold.ofBytes(chunk, offset, length);
        }
        return kind.compute(chunk, offset, length);
    }

    /*
     * The library reads from position to limit, and the chunk's own are shared by all threads;
     * hence the duplicate. It and the CRC object do not escape and are mostly not allocated at all;
     * where they are, it is some 100 bytes beside a disk access. A thread-local pair would have to
     * hold on to a chunk.
     */
    private static int crc32c(ByteBuffer chunk, int offset, int length) {
        ByteBuffer range = chunk.duplicate();
        range.limit(offset + length).position(offset);
        CRC32C crc = new CRC32C();
        crc.update(range);
        return (int) crc.getValue();
    }

    /** The kind of that name, in any case of letters. */
    public static PageChecksum byName(String name) {
        for (PageChecksum checksum : BY_CODE) {
            if (checksum.name().equals(name.toUpperCase(Locale.ROOT))) {
                return checksum;
            }
        }
        throw new IllegalArgumentException("unknown checksum kind: name=" + name);
    }

    private static final class NoChecksum implements PageChecksum {
        @Override
        public byte code() {
            return 0;
        }

        @Override
        public String name() {
            return "NONE";
        }

        @Override
        public int compute(ByteBuffer chunk, int offset, int length) {
            return 0;
        }
    }

    private static final class LegacyChecksum implements PageChecksum {
        @Override
        public byte code() {
            return 1;
        }

        @Override
        public String name() {
            return "LEGACY";
        }

        @Override
        public int compute(ByteBuffer chunk, int offset, int length) {
            return Fold.ofBytes(chunk, offset, length);
        }
    }

    private static final class WordChecksum implements PageChecksum {
        @Override
        public byte code() {
            return 2;
        }

        @Override
        public String name() {
            return "WORD";
        }

        @Override
        public int compute(ByteBuffer chunk, int offset, int length) {
            return Fold.ofWords(chunk, offset, length);
        }
    }

    private static final class Crc32cChecksum implements PageChecksum {
        @Override
        public byte code() {
            return 3;
        }

        @Override
        public String name() {
            return "CRC32C";
        }

        @Override
        public int compute(ByteBuffer chunk, int offset, int length) {
            return crc32c(chunk, offset, length);
        }
    }
}
