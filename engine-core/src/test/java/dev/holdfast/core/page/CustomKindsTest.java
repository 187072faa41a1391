// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ChecksumException;
import dev.holdfast.Crc32Checksum;
import dev.holdfast.CustomChecksum;
import dev.holdfast.core.page.PageHeader.Fault;
import dev.holdfast.io.checksum.ChecksumKinds;
import dev.holdfast.io.checksum.PageChecksum;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is asked of checksums of the host before and while they are relied on. */
final class CustomKindsTest {
    private static final int PAGE_BYTES = 16384;
    private static final long PAGE_ID = PageId.of(16, 3);

    private final ByteBuffer chunk = ByteBuffer.allocateDirect(2 * PAGE_BYTES);

    @Test
    void givenAChecksum_whenFound_thenPagesAreSealedAndVerifiedByIt() {
        ChecksumKinds kinds = CustomKinds.find(List.of(Crc32Checksum.standard()), PAGE_BYTES);
        PageChecksum kind = kinds.byName("CRC32");
        page();

        PageSeal.seal(chunk, PAGE_BYTES, PAGE_BYTES, kind);

        int mask = PageSeal.kindBit(kind);
        assertThat(verify(mask, kinds)).isEqualTo(Fault.NONE);
        assertThat(verify(mask, ChecksumKinds.BUILT_IN)).isEqualTo(Fault.KIND_NOT_ALLOWED);
        assertThat(verify(0b1111, kinds)).isEqualTo(Fault.KIND_NOT_ALLOWED);
        chunk.put(PAGE_BYTES + 5000, (byte) 1);
        assertThat(verify(mask, kinds)).isEqualTo(Fault.CHECKSUM);
        assertThat(
                        PageSeal.describe(
                                Fault.CHECKSUM,
                                chunk,
                                PAGE_BYTES,
                                PAGE_BYTES,
                                PAGE_ID,
                                mask,
                                kinds,
                                "space-16.hfs"))
                .hasMessageContaining("CRC32 checksum=");
    }

    @Test
    void givenOneClassByOptionAndService_whenFound_thenItCountsOnce() {
        Crc32Checksum one = Crc32Checksum.standard();

        ChecksumKinds kinds = CustomKinds.find(List.of(one, Crc32Checksum.standard()), PAGE_BYTES);

        assertThat(Integer.bitCount(kinds.mask())).isEqualTo(5);
    }

    @Test
    void givenAServiceOfTheContextLoader_whenFound_thenItIsAKind(@TempDir Path directory)
            throws IOException {
        Path services = Files.createDirectories(directory.resolve("META-INF/services"));
        Path file = services.resolve(CustomChecksum.class.getName());
        Files.writeString(file, Service.class.getName());
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {directory.toUri().toURL()}, before)) {
            thread.setContextClassLoader(loader);

            ChecksumKinds kinds = CustomKinds.find(List.of(), PAGE_BYTES);
            Files.writeString(file, "no.such.Class");

            assertThat(kinds.byCode(20).name()).isEqualTo("SERVICE");
            assertThatThrownBy(() -> CustomKinds.find(List.of(), PAGE_BYTES))
                    .isInstanceOf(ChecksumException.class)
                    .hasStackTraceContaining("no.such.Class");
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Found by its name. */
    public static final class Service implements CustomChecksum {
        @Override
        public int code() {
            return 20;
        }

        @Override
        public String name() {
            return "SERVICE";
        }

        @Override
        public int compute(ByteBuffer bytes) {
            return Crc32Checksum.standard().compute(bytes);
        }
    }

    @ParameterizedTest
    @CsvSource({"17, A, 17, B", "17, A, 18, A"})
    void givenAClash_whenFound_thenBothClassesAreNamed(int one, String a, int two, String b) {
        CustomChecksum first = new Crc32Checksum(one, a);
        CustomChecksum second = custom(two, b, bytes -> 1);

        assertThatThrownBy(() -> CustomKinds.find(List.of(first, second), PAGE_BYTES))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(Crc32Checksum.class.getName())
                .hasMessageContaining(Given.class.getName());
    }

    @ParameterizedTest
    @CsvSource({
        "15, A",
        "32, A",
        "-1, A",
        "272, A",
        "17, ''",
        "17, a",
        "17, A B",
        "17, CRC32C",
        "17, A234567890123456789012345678901"
    })
    void givenACodeOrNameThatMayNotBe_whenFound_thenItIsRefused(int code, String name) {
        List<CustomChecksum> given = List.of(new Crc32Checksum(code, name));

        assertThatThrownBy(() -> CustomKinds.find(given, PAGE_BYTES))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(name);
    }

    @Test
    void givenOneThatMissesAByte_whenProven_thenTheByteIsNamed() {
        for (int missed : new int[] {0, 100, 4091, PAGE_BYTES - 5}) {
            refuses(
                    "missed=" + missed,
                    "misses a changed byte",
                    bytes -> {
                        RunningSum sum = new RunningSum();
                        for (int i = 0; i < bytes.limit(); i++) {
                            sum.add(i == missed && bytes.limit() > missed ? 0 : bytes.get(i));
                        }
                        return sum.value;
                    });
        }
    }

    @Test
    void givenOneThatDependsOnOtherThings_whenProven_thenItIsRefused() {
        int[] calls = new int[1];

        refuses("calls", "not the same for the same bytes", bytes -> calls[0]++);
    }

    @Test
    void givenOneThatThrows_whenProven_thenTheCauseIsKept() {
        List<CustomChecksum> given =
                List.of(
                        custom(
                                17,
                                "BAD",
                                bytes -> {
                                    throw new StackOverflowError("own");
                                }));

        assertThatThrownBy(() -> CustomKinds.find(given, PAGE_BYTES))
                .isInstanceOf(ChecksumException.class)
                .hasMessageContaining("name=BAD, code=17")
                .hasCauseInstanceOf(StackOverflowError.class);
    }

    @Test
    void givenOneThatWrites_whenProven_thenItCannot() {
        List<CustomChecksum> given =
                List.of(custom(17, "BAD", bytes -> bytes.put(0, (byte) 1).get(0)));

        assertThatThrownBy(() -> CustomKinds.find(given, PAGE_BYTES))
                .hasCauseInstanceOf(ReadOnlyBufferException.class);
    }

    @Test
    void givenOneThatChangesItsMindLater_whenAPageIsSealed_thenItIsNotWritten() {
        int[] drift = new int[1];
        Crc32Checksum sound = Crc32Checksum.standard();
        CustomChecksum later =
                custom(
                        17,
                        "LATER",
                        bytes -> sound.compute(bytes) + (drift[0] == 0 ? 0 : drift[0]++));
        PageChecksum kind = CustomKinds.find(List.of(later), PAGE_BYTES).byCode(17);
        page();
        drift[0] = 1;

        assertThatThrownBy(() -> PageSeal.seal(chunk, PAGE_BYTES, PAGE_BYTES, kind))
                .isInstanceOf(ChecksumException.class)
                .hasMessageContaining("LATER");
    }

    private void refuses(String as, String why, ToIntFunction<ByteBuffer> function) {
        List<CustomChecksum> given = List.of(custom(17, "BAD", function));

        assertThatThrownBy(() -> CustomKinds.find(given, PAGE_BYTES))
                .as(as)
                .isInstanceOf(ChecksumException.class)
                .hasMessageContaining(why)
                .hasMessageContaining("name=BAD, code=17");
    }

    private void page() {
        PageHeader.initialize(chunk, PAGE_BYTES, PAGE_BYTES, PAGE_ID, 16, PageType.LEAF);
    }

    private Fault verify(int mask, ChecksumKinds kinds) {
        return PageSeal.verify(chunk, PAGE_BYTES, PAGE_BYTES, PAGE_ID, mask, kinds);
    }

    private static CustomChecksum custom(int code, String name, ToIntFunction<ByteBuffer> sum) {
        return new Given(code, name, sum);
    }

    private static final class RunningSum {
        private int value;

        void add(int next) {
            value = value * 31 + next;
        }
    }

    private record Given(int code, String name, ToIntFunction<ByteBuffer> function)
            implements CustomChecksum {
        @Override
        public int compute(ByteBuffer bytes) {
            return function.applyAsInt(bytes);
        }
    }
}
