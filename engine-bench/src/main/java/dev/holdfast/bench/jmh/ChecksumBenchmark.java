// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jmh;

import dev.holdfast.io.checksum.PageChecksum;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The checksum of a page, from bytes 4 to its end, as a page is sealed and verified. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ChecksumBenchmark {
    /*
     * More pages than the second cache holds, taken in turn: a page that is sealed or verified has
     * just been copied, but one page again and again would stay in the first.
     */
    private static final int MEMORY_BYTES = 8 << 20;

    private static final int COVERED_FROM = 4;

    @Param({"4096", "16384", "65536"})
    private int pageBytes;

    @Param({"LEGACY", "WORD", "CRC32C", "NONE"})
    private String checksum;

    private PageChecksum kind;
    private ByteBuffer chunk;
    private int offset;

    @Setup
    public void fill() {
        kind = PageChecksums.byName(checksum);
        chunk = ByteBuffer.allocateDirect(MEMORY_BYTES);
        SplittableRandom random = new SplittableRandom(1);
        for (int at = 0; at < MEMORY_BYTES; at += Long.BYTES) {
            PageMemory.putLong(chunk, at, random.nextLong());
        }
    }

    /** One page. */
    @Benchmark
    public int checksumPage() {
        int page = offset;
        offset = (page + pageBytes) % MEMORY_BYTES;
        return kind.compute(chunk, page + COVERED_FROM, pageBytes - COVERED_FROM);
    }
}
