// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Transfers that the system cuts short. If they were not resumed, a page would be half read or half
 * written without an error; no file system here does it on its own, so a fake does.
 */
@ExtendWith(SeedExtension.class)
final class ShortTransferPropertyTest {
    private static final int PAGE_BYTES = 4096;

    private final BlockingExecutor executor = new BlockingExecutor(1);

    @ParameterizedTest
    @EnumSource(FileMode.class)
    void givenShortTransfers_whenWrittenAndRead_thenAllBytesArriveInPlace(
            FileMode mode, SeededRandom random) throws IOException {
        ShortFile raw = new ShortFile(mode, random);
        StorageFile file = new FileSystemFile("a.hfs", raw, mode, executor);
        for (int i = 0; i < 300; i++) {
            int pages = random.between(1, 5);
            int page = random.nextInt(20);
            byte[] bytes = random.bytes(pages * PAGE_BYTES);
            ByteBuffer source = StorageContract.pages(pages, 0).put(bytes).flip();
            ByteBuffer target = StorageContract.pages(pages, 0);

            file.write((long) page * PAGE_BYTES, source);
            file.read((long) page * PAGE_BYTES, target);

            assertThat(source.hasRemaining()).isFalse();
            assertThat(target.hasRemaining()).isFalse();
            assertThat(
                            Arrays.copyOfRange(
                                    raw.bytes, page * PAGE_BYTES, (page + pages) * PAGE_BYTES))
                    .isEqualTo(bytes);
            assertThat(target.flip()).isEqualTo(ByteBuffer.wrap(bytes));
        }
        assertThat(raw.shortTransfers).as("the fake did what it is for").isGreaterThan(300);
        assertThat(file.statistics().reads()).as("a request is one, resumed or not").isEqualTo(300);
    }

    @ParameterizedTest
    @EnumSource(FileMode.class)
    void givenAFileThatEndsWithinTheRange_whenRead_thenTheEndIsAnError(FileMode mode) {
        ShortFile raw = new ShortFile(mode, new SeededRandom(7));
        raw.length = PAGE_BYTES + 904;
        StorageFile file = new FileSystemFile("a.hfs", raw, mode, executor);

        assertThatThrownBy(() -> file.read(0, StorageContract.pages(2, 0)))
                .isInstanceOf(EOFException.class)
                .hasMessageContaining("position=0, bytes=8192, length=5000");

        assertThat(file.statistics().reads()).isZero();
    }

    @Test
    void givenASystemThatWritesNothing_whenWritten_thenItFailsInsteadOfTurningForEver() {
        ShortFile raw = new ShortFile(FileMode.BUFFERED, new SeededRandom(7));
        raw.writesNothing = true;
        StorageFile file = new FileSystemFile("a.hfs", raw, FileMode.BUFFERED, executor);

        assertThatThrownBy(() -> file.write(PAGE_BYTES, StorageContract.pages(1, 0)))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "write failed: file=a.hfs, position=4096, bytes=4096, "
                                + "reason=the system wrote nothing");
    }

    @Test
    void givenAFullDisk_whenWritten_thenTheErrorNamesThePlaceAndIsKnownAsSuch() {
        ShortFile raw = new ShortFile(FileMode.BUFFERED, new SeededRandom(7));
        raw.failure = new IOException("No space left on device");
        StorageFile file = new FileSystemFile("a.hfs", raw, FileMode.BUFFERED, executor);

        assertThatThrownBy(() -> file.write(0, StorageContract.pages(1, 0)))
                .isInstanceOfSatisfying(
                        IOException.class,
                        e -> assertThat(StorageErrors.isSpaceExhausted(e)).isTrue())
                .hasMessageContaining("file=a.hfs, position=0, bytes=4096")
                .hasCause(raw.failure);
        assertThatThrownBy(() -> file.sync(true))
                .isInstanceOf(IOException.class)
                .hasMessage("sync failed: file=a.hfs, reason=No space left on device")
                .hasCause(raw.failure);

        assertThat(file.statistics().syncs()).as("a failed sync is none").isZero();
        assertThat(StorageErrors.isSpaceExhausted(new IOException("Input/output error"))).isFalse();
        assertThat(StorageErrors.isSpaceExhausted(new IOException())).isFalse();
    }

    /** A file in memory that transfers as little as it likes, but aligned if it must. */
    private static final class ShortFile implements RawFile {
        private final byte[] bytes = new byte[32 * PAGE_BYTES];
        private final FileMode mode;
        private final SeededRandom random;
        private int length = bytes.length;
        private int shortTransfers;
        private boolean writesNothing;
        private IOException failure;

        ShortFile(FileMode mode, SeededRandom random) {
            this.mode = mode;
            this.random = random;
        }

        @Override
        public int read(long position, ByteBuffer target) throws IOException {
            check(position, target);
            if (position >= length) {
                return -1;
            }
            int count = count(Math.min(target.remaining(), length - (int) position));
            target.put(bytes, (int) position, count);
            return count;
        }

        @Override
        public int write(long position, ByteBuffer source) throws IOException {
            check(position, source);
            if (writesNothing) {
                return 0;
            }
            int count = count(source.remaining());
            source.get(bytes, (int) position, count);
            return count;
        }

        private int count(int most) {
            // The least a direct transfer moves is a block, or it would never get on.
            int least = mode == FileMode.DIRECT ? Math.min(most, PAGE_BYTES) : 1;
            int count = random.oneIn(3) ? most : random.between(least, most);
            if (count < most) {
                shortTransfers++;
            }
            return count;
        }

        private void check(long position, ByteBuffer buffer) throws IOException {
            if (failure != null) {
                throw failure;
            }
            if (mode == FileMode.DIRECT) {
                assertThat(position % PAGE_BYTES).isZero();
                assertThat(buffer.remaining() % PAGE_BYTES).isZero();
                assertThat(buffer.alignmentOffset(buffer.position(), PAGE_BYTES)).isZero();
            }
        }

        @Override
        public void force(boolean metadata) throws IOException {
            if (failure != null) {
                throw failure;
            }
        }

        @Override
        public long length() {
            return length;
        }

        @Override
        public void truncate(long newLength) {
            length = (int) newLength;
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }
}
