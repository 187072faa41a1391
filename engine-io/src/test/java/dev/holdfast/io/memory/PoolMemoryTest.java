// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Memory from each source: size, alignment, zeros, interrupts, and what is left behind. */
final class PoolMemoryTest {
    private static final int ALIGNMENT = 4096;
    private static final int CHUNK_BYTES = 1 << 20;

    static List<MemorySource> sources() {
        List<MemorySource> sources = new ArrayList<>();
        sources.add(new DirectSource());
        sources.add(new MappedSource());
        if (ArenaSource.isAvailable()) {
            sources.add(new ArenaSource());
        }
        return sources;
    }

    @Test
    void givenTheRunningJdk_whenAllocated_thenTheSourceIsTheOneForIt() {
        try (PoolMemory memory = PoolMemory.allocate(256 * 1024, ALIGNMENT)) {

            String expected = Runtime.version().feature() >= 22 ? "arena" : "direct";
            assertThat(memory.sourceName()).isEqualTo(expected);
        }
    }

    @Test
    void givenAPoolLargeAgainstTheHeap_whenAsked_thenDirectBuffersDoNotFit() {
        long heap = Runtime.getRuntime().maxMemory();

        assertThat(DirectSource.fits(heap / 8)).isTrue();
        assertThat(DirectSource.fits(heap)).isFalse();
    }

    @ParameterizedTest
    @MethodSource("sources")
    void givenSeveralChunks_whenAllocated_thenEachIsZeroedAlignedAndUsable(MemorySource source) {
        try (PoolMemory memory =
                PoolMemory.allocate(source, 2L * CHUNK_BYTES + 5000, ALIGNMENT, CHUNK_BYTES)) {

            assertThat(memory.bytes()).isEqualTo(2L * CHUNK_BYTES + 8192);
            assertThat(memory.chunkCount()).isEqualTo(3);
            assertThat(memory.chunkBytes()).isEqualTo(CHUNK_BYTES);
            for (int i = 0; i < memory.chunkCount(); i++) {
                ByteBuffer chunk = memory.chunk(i);
                assertThat(chunk.isDirect()).isTrue();
                assertThat(chunk.capacity()).isEqualTo(i < 2 ? CHUNK_BYTES : 8192);
                assertThat(chunk.alignmentOffset(0, ALIGNMENT)).isZero();
                for (int offset = 0; offset < chunk.capacity(); offset += 8) {
                    assertThat(PageMemory.getLong(chunk, offset)).isZero();
                }
                PageMemory.putLong(chunk, chunk.capacity() - 8, i + 1);
                assertThat(PageMemory.compareAndSetLong(chunk, 64, 0, 5)).isTrue();
            }
            assertThat(PageMemory.getLong(memory.chunk(0), CHUNK_BYTES - 8)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("sources")
    void givenAPendingInterrupt_whenAllocated_thenItWorksAndTheFlagStays(MemorySource source) {
        Thread.currentThread().interrupt();

        PoolMemory memory = PoolMemory.allocate(source, CHUNK_BYTES, ALIGNMENT, CHUNK_BYTES);
        boolean flagKept = Thread.interrupted();

        assertThat(flagKept).isTrue();
        PageMemory.putLong(memory.chunk(0), 0, 1);
        memory.close();
    }

    @ParameterizedTest
    @MethodSource("sources")
    void givenClosedMemory_whenClosedAgain_thenNothingHappens(MemorySource source) {
        PoolMemory memory = PoolMemory.allocate(source, CHUNK_BYTES, ALIGNMENT, CHUNK_BYTES);
        memory.close();

        assertThatCode(memory::close).doesNotThrowAnyException();
    }

    @Test
    void givenAMappedChunk_whenItIsThere_thenItsFileHasNoNameAnyMore(@TempDir Path directory)
            throws IOException {
        MappedSource source = new MappedSource(directory);

        ByteBuffer chunk = source.allocate(CHUNK_BYTES, ALIGNMENT);

        PageMemory.putInt(chunk, 0, 1);
        try (Stream<Path> files = Files.list(directory)) {
            assertThat(files).isEmpty();
        }
    }

    @Test
    void givenNoPlaceForTheFile_whenMapped_thenTheErrorSaysWhere(@TempDir Path directory) {
        Path absent = directory.resolve("absent");
        MappedSource source = new MappedSource(absent);

        assertThatThrownBy(() -> source.allocate(CHUNK_BYTES, ALIGNMENT))
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessageContaining("bytes=1048576")
                .hasMessageContaining("directory=" + absent)
                .hasCauseInstanceOf(IOException.class);
    }

    @Test
    void givenASourceThatRunsOut_whenAllocated_thenWhatItGaveIsGivenBack() {
        ShortSource source = new ShortSource();

        assertThatThrownBy(
                        () -> PoolMemory.allocate(source, 3L * CHUNK_BYTES, ALIGNMENT, CHUNK_BYTES))
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessage("planned");

        assertThat(source.isClosed).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"0, 4096", "-1, 4096", "4096, 4", "4096, 24", "4096, 131072"})
    void givenABadSize_whenAllocated_thenItIsRefused(long bytes, int alignment) {
        assertThatThrownBy(() -> PoolMemory.allocate(bytes, alignment))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("alignment=" + alignment);
    }

    /** Gives one chunk and no more. */
    private static final class ShortSource implements MemorySource {
        private boolean gave;
        private boolean isClosed;

        @Override
        public String name() {
            return "short";
        }

        @Override
        public boolean isTouched() {
            return true;
        }

        @Override
        public ByteBuffer allocate(int bytes, int alignment) {
            if (gave) {
                throw new OutOfMemoryError("planned");
            }
            gave = true;
            return ByteBuffer.allocateDirect(bytes);
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }
}
