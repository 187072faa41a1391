// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every {@link StorageDirectory} keeps, real or simulated: were one to differ, tests on it
 * would prove nothing about the others. All positions and lengths are multiples of 4096, so that
 * DIRECT files take part; {@link StorageInterruptContract} is the other half.
 */
@ExtendWith(SeedExtension.class)
public abstract class StorageContract {

    /** The unit of all transfers here. */
    protected static final int PAGE_BYTES = 4096;

    /** The directory under test, empty and open. */
    protected StorageDirectory directory;

    /** Opens the storage of this test; the first time it is empty, later it holds what it held. */
    protected abstract StorageDirectory openStorage() throws IOException;

    @BeforeEach
    void openDirectory() throws IOException {
        directory = openStorage();
    }

    @AfterEach
    void closeDirectory() throws IOException {
        assertThat(Thread.interrupted()).as("no test leaves its interrupt behind").isFalse();
        directory.close();
    }

    @Test
    void givenAFileWritten_whenRead_thenTheBytesComeBackAndPositionsAdvance() throws IOException {
        ByteBuffer source = pages(3, 1);
        ByteBuffer target = pages(3, 0);
        try (StorageFile file = directory.create("a.hfs")) {

            file.write(PAGE_BYTES, source);
            file.read(PAGE_BYTES, target);

            assertThat(source.hasRemaining()).isFalse();
            assertThat(target.hasRemaining()).isFalse();
            assertThat(target.flip()).isEqualTo(pages(3, 1));
            assertThat(file.length()).isEqualTo(4 * PAGE_BYTES);
            assertThat(file.name()).isEqualTo("a.hfs");
        }
    }

    @Test
    void givenPartOfABuffer_whenTransferred_thenTheRestStaysUntouched() throws IOException {
        try (StorageFile file = directory.create("a.hfs")) {
            file.write(0, pages(3, 5).position(PAGE_BYTES).limit(2 * PAGE_BYTES));
            ByteBuffer target = pages(3, 9);

            file.read(0, target.position(PAGE_BYTES).limit(2 * PAGE_BYTES));

            target.clear();
            assertThat(bytes(target, 0, PAGE_BYTES)).containsOnly(pages(1, 9).get(0));
            assertThat(target.get(PAGE_BYTES)).isEqualTo(pages(1, 5).get(0));
            assertThat(bytes(target, 2 * PAGE_BYTES, PAGE_BYTES)).containsOnly(9);
            assertThat(file.length()).isEqualTo(PAGE_BYTES);
        }
    }

    @Test
    void givenAWriteBeyondTheEnd_whenTheGapIsRead_thenItIsZeros() throws IOException {
        try (StorageFile file = directory.create("a.hfs")) {
            file.write(0, pages(1, 7));

            file.write(100L * PAGE_BYTES, pages(1, 7));

            assertThat(file.length()).isEqualTo(101 * PAGE_BYTES);
            assertThat(read(file, 1, 99)).containsOnly(0);
            assertThat(read(file, 0, 1)).containsOnly(7);
            assertThat(read(file, 100, 1)).containsOnly(7);
        }
    }

    @Test
    void givenAReadAcrossTheEnd_whenItFails_thenTheMessageNamesAllItNeeds() throws IOException {
        try (StorageFile file = directory.create("short.hfs")) {
            file.write(0, pages(2, 1));

            assertThatThrownBy(() -> file.read(PAGE_BYTES, pages(2, 0)))
                    .isInstanceOf(EOFException.class)
                    .hasMessageContaining("file=short.hfs")
                    .hasMessageContaining("position=4096")
                    .hasMessageContaining("bytes=8192")
                    .hasMessageContaining("length=8192");
            assertThatThrownBy(() -> file.read(100L * PAGE_BYTES, pages(1, 0)))
                    .isInstanceOf(EOFException.class);

            assertThat(read(file, 1, 1)).containsOnly(1);
        }
    }

    @Test
    void givenAnEmptyBuffer_whenTransferred_thenNothingHappens() throws IOException {
        ByteBuffer empty = pages(1, 1).limit(0);
        try (StorageFile file = directory.create("a.hfs")) {

            file.read(0, empty);
            file.write(10L * PAGE_BYTES, empty);
            file.zeroFill(PAGE_BYTES, PAGE_BYTES);

            assertThat(file.length()).isZero();
        }
    }

    @Test
    void givenATruncatedFile_whenItGrowsAgain_thenOldBytesDoNotComeBack() throws IOException {
        try (StorageFile file = directory.create("a.hfs")) {
            file.write(0, pages(9, 1));

            file.truncate(2 * PAGE_BYTES);
            file.truncate(5 * PAGE_BYTES);

            assertThat(file.length()).isEqualTo(2 * PAGE_BYTES);
            file.write(9 * PAGE_BYTES, pages(1, 2));
            assertThat(read(file, 0, 2)).containsOnly(1);
            assertThat(read(file, 2, 7)).containsOnly(0);
        }
    }

    @Test
    void givenAZeroFill_whenItCoversOldAndNewRange_thenBothAreZeros() throws IOException {
        int pages = 700; // more than one transfer of the real file
        try (StorageFile file = directory.create("a.hfs")) {
            file.write(0, pages(9, 1));

            file.zeroFill(2 * PAGE_BYTES, 4 * PAGE_BYTES);
            file.zeroFill(6 * PAGE_BYTES, (long) pages * PAGE_BYTES);

            assertThat(file.length()).isEqualTo((long) pages * PAGE_BYTES);
            assertThat(read(file, 0, 2)).containsOnly(1);
            assertThat(read(file, 2, 2)).containsOnly(0);
            assertThat(read(file, 4, 2)).containsOnly(1);
            assertThat(read(file, 6, pages - 6)).containsOnly(0);
        }
    }

    @Test
    void givenTwoHandles_whenOneWritesAndCloses_thenTheOtherSeesItAndWorksOn() throws IOException {
        try (StorageFile reader = directory.create("a.hfs")) {
            StorageFile writer = directory.open("a.hfs");
            writer.write(0, pages(1, 3));
            writer.close();

            byte[] seen = read(reader, 0, 1);
            reader.write(PAGE_BYTES, pages(1, 4));

            assertThat(seen).containsOnly(3);
            assertThat(reader.length()).isEqualTo(2 * PAGE_BYTES);
        }
    }

    @Test
    void givenAFileSyncedAndClosed_whenTheStorageIsOpenedAgain_thenAllIsThere() throws IOException {
        directory.createDirectory("redo");
        try (StorageFile file = directory.create("redo/1.hfl")) {
            file.write(0, pages(2, 8));
            file.sync(true);
            file.sync(false);
        }
        directory.syncDirectory("redo");
        directory.syncDirectory("");
        directory.close();

        directory = openStorage();

        try (StorageFile file = directory.open("redo/1.hfl")) {
            assertThat(read(file, 0, 2)).containsOnly(8);
        }
    }

    @Test
    void givenAClosedFile_whenUsed_thenEachCallFailsAndClosingAgainIsQuiet() throws IOException {
        StorageFile file = directory.create("a.hfs");
        file.close();

        assertThatThrownBy(() -> file.read(0, pages(1, 0))).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> file.write(0, pages(1, 0))).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> file.sync(true)).isInstanceOf(IOException.class);
        assertThatThrownBy(file::length).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> file.truncate(0)).isInstanceOf(IOException.class);

        assertThatCode(file::close).doesNotThrowAnyException();
    }

    @Test
    void givenAClosedDirectory_whenUsed_thenEachCallFailsAndClosingAgainIsQuiet()
            throws IOException {
        directory.close();

        assertThatThrownBy(() -> directory.create("a")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> directory.open("a")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> directory.list("")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> directory.syncDirectory("")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> directory.lock()).isInstanceOf(IOException.class);

        assertThatCode(directory::close).doesNotThrowAnyException();
    }

    @Test
    void givenNames_whenCreatedListedRenamedAndDeleted_thenEachIsSeenAtOnce() throws IOException {
        directory.createDirectory("redo");
        directory.createDirectory("redo");
        for (String name : List.of("b.hfs", "a.hfs", "redo/2.hfl", "redo/1.hfl")) {
            directory.create(name).close();
        }

        directory.rename("b.hfs", "c.hfs");
        directory.rename("redo/2.hfl", "redo/3.hfl");
        directory.delete("a.hfs");

        assertThat(directory.list("")).containsExactly("c.hfs");
        assertThat(directory.list("redo")).containsExactly("redo/1.hfl", "redo/3.hfl");
        assertThat(directory.exists("c.hfs")).isTrue();
        assertThat(directory.exists("a.hfs")).isFalse();
        assertThat(directory.exists("b.hfs")).isFalse();
        assertThat(directory.exists("absent/a.hfs")).isFalse();
    }

    @Test
    void givenARenameOntoAFile_whenOpened_thenTheNewContentIsThere() throws IOException {
        try (StorageFile file = directory.create("new")) {
            file.write(0, pages(1, 2));
        }
        try (StorageFile file = directory.create("old")) {
            file.write(0, pages(2, 1));
        }

        directory.rename("new", "old");

        assertThat(directory.list("")).containsExactly("old");
        try (StorageFile file = directory.open("old")) {
            assertThat(file.length()).isEqualTo(PAGE_BYTES);
            assertThat(read(file, 0, 1)).containsOnly(2);
        }
    }

    @Test
    void givenNamesThatAreTakenOrAbsent_whenUsed_thenTheErrorTellsWhich() throws IOException {
        directory.create("a.hfs").close();

        assertThatThrownBy(() -> directory.create("a.hfs"))
                .isInstanceOf(FileAlreadyExistsException.class);
        assertThatThrownBy(() -> directory.create("absent/a.hfs"))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> directory.open("b.hfs")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> directory.delete("b.hfs")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> directory.rename("b.hfs", "c.hfs"))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> directory.list("absent")).isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> directory.syncDirectory("absent"))
                .isInstanceOf(NoSuchFileException.class);

        assertThat(directory.list("")).containsExactly("a.hfs");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", ".", "..", "/a", "a/", "a/b/c", "../a", "a/..", "a\\b", ".a", "lock", "ä"
            })
    void givenABadName_whenUsed_thenItIsRefusedAndNothingIsCreated(String name) throws IOException {
        assertThatThrownBy(() -> directory.create(name))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("name=" + name);
        assertThatThrownBy(() -> directory.open(name)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> directory.delete(name))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> directory.rename(name, "b"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> directory.createDirectory(name))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(directory.list("")).isEmpty();
    }

    @Test
    void givenBadArguments_whenTransferred_thenTheyAreRefused() throws IOException {
        try (StorageFile file = directory.create("a.hfs")) {
            ByteBuffer onHeap = ByteBuffer.allocate(PAGE_BYTES);

            assertThatThrownBy(() -> file.read(0, onHeap))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> file.write(0, onHeap))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> file.read(-PAGE_BYTES, pages(1, 0)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> file.write(-PAGE_BYTES, pages(1, 0)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> file.truncate(-PAGE_BYTES))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> file.zeroFill(2 * PAGE_BYTES, PAGE_BYTES))
                    .isInstanceOf(IllegalArgumentException.class);

            assertThat(file.length()).isZero();
        }
    }

    @Test
    void givenALock_whenTakenAgain_thenTheHolderIsNamedUntilItIsReleased() throws IOException {
        DirectoryLock lock = directory.lock();

        assertThatThrownBy(() -> directory.lock())
                .isInstanceOfSatisfying(
                        DirectoryLockedException.class,
                        e -> assertThat(e.holder()).contains(lock.holder()))
                .hasMessageContaining("pid=" + ProcessHandle.current().pid());

        lock.close();
        DirectoryLock again = directory.lock();
        lock.close();
        assertThatThrownBy(() -> directory.lock()).isInstanceOf(DirectoryLockedException.class);
        again.close();
        assertThat(directory.list("")).as("the lock file is not a file of the store").isEmpty();
    }

    @Test
    void givenRequests_whenCounted_thenTheStatisticsTellThem() throws IOException {
        try (StorageFile file = directory.create("a.hfs")) {

            file.write(0, pages(3, 1));
            file.write(0, pages(1, 1));
            file.read(0, pages(2, 0));
            file.sync(true);
            assertThatThrownBy(() -> file.read(99 * PAGE_BYTES, pages(1, 0)))
                    .isInstanceOf(EOFException.class);

            assertThat(file.statistics().writes()).isEqualTo(2);
            assertThat(file.statistics().writeBytes()).isEqualTo(4 * PAGE_BYTES);
            assertThat(file.statistics().reads()).isEqualTo(1);
            assertThat(file.statistics().readBytes()).isEqualTo(2 * PAGE_BYTES);
            assertThat(file.statistics().syncs()).isEqualTo(1);
        }
    }

    @Test
    void givenZerosGapsAndNothing_whenCounted_thenOnlyBytesThatWereMovedAreTold()
            throws IOException {
        try (StorageFile file = directory.create("a.hfs");
                StorageFile other = directory.open("a.hfs")) {
            ByteBuffer empty = pages(1, 1).limit(0);

            file.zeroFill(0, 3L << 20);
            file.truncate(4 * PAGE_BYTES);
            file.write(9 * PAGE_BYTES, pages(1, 1));
            file.write(0, empty);
            file.read(0, empty);
            file.zeroFill(PAGE_BYTES, PAGE_BYTES);

            assertThat(file.statistics().writeBytes()).isEqualTo((3L << 20) + PAGE_BYTES);
            assertThat(file.statistics().writes()).isBetween(2L, 4L);
            assertThat(file.statistics().reads()).isZero();
            assertThat(file.statistics().writeLatency().count())
                    .isEqualTo(file.statistics().writes());
            assertThat(other.statistics().writes()).as("counted by handle").isZero();
        }
    }

    @Test
    void givenRandomCalls_whenComparedWithAnArray_thenLengthAndBytesAgree(SeededRandom random)
            throws IOException {
        byte[] model = new byte[64 * PAGE_BYTES];
        int length = 0;
        try (StorageFile file = directory.create("a.hfs")) {
            for (int i = 0; i < 300; i++) {
                int from = random.nextInt(60);
                int count = random.between(1, 4);
                int to = from + count;
                int kind = random.nextInt(10);
                if (kind == 0) {
                    file.truncate((long) from * PAGE_BYTES);
                    Arrays.fill(model, from * PAGE_BYTES, model.length, (byte) 0);
                    length = Math.min(length, from);
                } else if (kind == 1) {
                    file.zeroFill((long) from * PAGE_BYTES, (long) to * PAGE_BYTES);
                    Arrays.fill(model, from * PAGE_BYTES, to * PAGE_BYTES, (byte) 0);
                    length = Math.max(length, to);
                } else {
                    byte[] bytes = random.bytes(count * PAGE_BYTES);
                    file.write((long) from * PAGE_BYTES, pages(count, 0).put(bytes).flip());
                    System.arraycopy(bytes, 0, model, from * PAGE_BYTES, bytes.length);
                    length = Math.max(length, to);
                }

                assertThat(file.length()).as("call=%s", i).isEqualTo((long) length * PAGE_BYTES);
                assertThat(read(file, 0, length))
                        .as("call=%s", i)
                        .isEqualTo(Arrays.copyOf(model, length * PAGE_BYTES));
            }
        }
    }

    /** Aligned memory of some pages, each byte as given. */
    protected static ByteBuffer pages(int count, int fill) {
        ByteBuffer buffer =
                ByteBuffer.allocateDirect((count + 1) * PAGE_BYTES).alignedSlice(PAGE_BYTES);
        ByteBuffer pages = buffer.slice(0, count * PAGE_BYTES);
        for (int i = 0; i < pages.capacity(); i++) {
            pages.put(i, (byte) fill);
        }
        return pages;
    }

    /** Some pages of a file. */
    protected static byte[] read(StorageFile file, long page, int count) throws IOException {
        ByteBuffer target = pages(count, -1);
        file.read(page * PAGE_BYTES, target);
        return bytes(target, 0, target.capacity());
    }

    private static byte[] bytes(ByteBuffer buffer, int offset, int length) {
        byte[] bytes = new byte[length];
        buffer.get(offset, bytes);
        return bytes;
    }
}
