// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.page;

import dev.holdfast.ChecksumException;
import dev.holdfast.CustomChecksum;
import dev.holdfast.io.checksum.ChecksumKinds;
import dev.holdfast.io.checksum.PageChecksum;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;

/** A checksum of the host as a kind among the others. */
final class CustomKind implements PageChecksum {
    /*
     * Code and name are asked for once: what they say later does not matter. The function gets a
     * view that it cannot write through, and that shows it the page's range only. What it throws,
     * an Error too, becomes a typed exception here, since a page is verified while its frame is
     * latched, where anything else would be the engine's end.
     *
     * The proof at registration sums a pattern at two places in memory, and with each byte of the
     * smallest page changed; of a larger page some bytes are, its first and last ones among them.
     * Who passes it may still be a bad checksum. It is no constant, no sum of a part only, and does
     * not depend on where the page lies or what was summed before.
     */
    private static final Pattern NAME =
            Pattern.compile("[A-Z0-9_-]{1," + CustomChecksum.NAME_LENGTH_MAX + "}");
    private static final int SMALLEST_PAGE = 4096;
    private static final int STEP = 61;
    private static final int EDGE = 128;
    private static final int SHIFT = 20;

    private final CustomChecksum function;
    private final byte code;
    private final String name;

    CustomKind(CustomChecksum function) {
        this.function = function;
        int given = function.code();
        this.name = String.valueOf(function.name());
        if (!ChecksumKinds.isCustom(given) || !NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "checksum has a code or a name that it may not have: class="
                            + function.getClass().getName()
                            + ", code="
                            + given
                            + ", name="
                            + name);
        }
        this.code = (byte) given;
    }

    @Override
    public byte code() {
        return code;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int compute(ByteBuffer chunk, int offset, int length) {
        ByteBuffer range = chunk.duplicate().limit(offset + length).position(offset);
        try {
            return function.compute(range.slice().asReadOnlyBuffer());
        } catch (Throwable failure) {
            throw new ChecksumException("checksum function failed: " + this, failure);
        }
    }

    /** Whether the same class brings the same kind, as when an option and a service name it. */
    boolean isSameAs(CustomKind other) {
        return code == other.code
                && name.equals(other.name)
                && function.getClass() == other.function.getClass();
    }

    /**
     * The proof that an engine asks for before it relies on the function.
     *
     * @throws ChecksumException if it fails
     */
    void prove(int pageBytes) {
        prove(SMALLEST_PAGE, 1);
        if (pageBytes > SMALLEST_PAGE) {
            prove(pageBytes, STEP);
        }
    }

    private void prove(int pageBytes, int step) {
        int length = pageBytes - PageHeader.CHECKSUM_KIND_OFFSET;
        ByteBuffer chunk = ByteBuffer.allocateDirect(2 * length + SHIFT);
        int second = length + SHIFT;
        for (int i = 0; i < length; i++) {
            byte value = (byte) (i * 31 + (i >>> 8));
            chunk.put(i, value).put(second + i, value);
        }
        int sum = compute(chunk, 0, length);
        if (sum != compute(chunk, second, length) || sum != compute(chunk, 0, length)) {
            throw new ChecksumException(
                    "checksum function is not the same for the same bytes: " + this, null);
        }
        for (int i = 0; i < length; i += isEdge(i, length) ? 1 : step) {
            byte before = chunk.get(i);
            chunk.put(i, (byte) (before ^ 1 << (i & 7)));
            if (compute(chunk, 0, length) == sum) {
                throw new ChecksumException(
                        "checksum function misses a changed byte: "
                                + this
                                + ", length="
                                + length
                                + ", byte="
                                + i,
                        null);
            }
            chunk.put(i, before);
        }
    }

    private static boolean isEdge(int at, int length) {
        return at < EDGE || at >= length - EDGE - STEP;
    }

    @Override
    public String toString() {
        return "name=" + name + ", code=" + code + ", class=" + function.getClass().getName();
    }
}
