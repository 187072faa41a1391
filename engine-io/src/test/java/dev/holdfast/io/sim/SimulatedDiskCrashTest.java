// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import static dev.holdfast.io.sim.TestBytes.createSynced;
import static dev.holdfast.io.sim.TestBytes.filled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * The disk's own honesty: were it to lose too little, crash tests of the engine would pass that
 * should not; were it to lose what was synced, they would fail for nothing.
 */
final class SimulatedDiskCrashTest {
    private static final int SEEDS = 200;
    private static final int SECTOR = 512;

    private final SimulatedDisk disk = SimulatedDisk.create();
    private final StorageDirectory directory = disk.directory();

    @ParameterizedTest
    @EnumSource(CrashMode.class)
    void givenSyncedBytesAndNames_whenTheDiskCrashes_thenNothingIsLost(CrashMode mode)
            throws IOException {
        directory.createDirectory("redo");
        directory.syncDirectory("");
        createSynced(directory, "redo/1", 3000, 7).close();
        createSynced(directory, "a", 9000, 8).close();
        directory.rename("a", "b");
        directory.syncDirectory("");

        for (int seed = 0; seed < 20; seed++) {
            CrashImage image = disk.crash(mode, seed);

            assertThat(image.disk().contentHash()).isEqualTo(disk.contentHash());
            assertThat(image.disk().contents("redo/1")).hasSize(3000).containsOnly(7);
            assertThat(image.disk().contents("b")).hasSize(9000).containsOnly(8);
            assertThat(image.isLossy()).isFalse();
        }
    }

    @Test
    void givenATraceOfItsGreatestLength_whenWrittenOn_thenOnlyADiskThatRecordsRefuses()
            throws IOException {
        StorageFile file = createSynced(directory, "a", SECTOR, 1);
        disk.limitTrace(4L * SECTOR);
        file.write(0, filled(3 * SECTOR, 2));

        assertThatThrownBy(() -> file.write(0, filled(SECTOR, 3)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("traceBytes=2560, traceBytesMax=2048");
        assertThat(disk.contents("a")).hasSize(3 * SECTOR).containsOnly(2);

        disk.stopRecording();
        for (int i = 0; i < 10; i++) {
            file.write(0, filled(SECTOR, 4));
        }
        assertThat(disk.contents("a", 0, SECTOR)).containsOnly(4);
    }

    @Test
    void givenTwoPendingWrites_whenPowerIsLost_thenEachCombinationOfThemCanSurvive()
            throws IOException {
        StorageFile file = createSynced(directory, "a", 2 * SECTOR, 1);
        file.write(0, filled(SECTOR, 2));
        file.write(SECTOR, filled(SECTOR, 3));
        Set<List<Integer>> seen = new HashSet<>();

        for (int seed = 0; seed < SEEDS; seed++) {
            byte[] bytes = disk.crash(CrashMode.RANDOM_SUBSET, seed).disk().contents("a");
            assertThat(Arrays.copyOf(bytes, SECTOR)).containsOnly(bytes[0]);
            seen.add(List.of((int) bytes[0], (int) bytes[SECTOR]));
        }

        assertThat(seen)
                .containsExactlyInAnyOrder(
                        List.of(1, 1), List.of(1, 3), List.of(2, 1), List.of(2, 3));
    }

    @Test
    void givenPendingWrites_whenTheOrderIsKept_thenALaterOneNeverSurvivesAlone()
            throws IOException {
        StorageFile first = createSynced(directory, "a", SECTOR, 1);
        StorageFile second = createSynced(directory, "b", SECTOR, 1);
        first.write(0, filled(SECTOR, 2));
        second.write(0, filled(SECTOR, 2));
        Set<List<Integer>> seen = new HashSet<>();

        for (int seed = 0; seed < SEEDS; seed++) {
            SimulatedDisk after = disk.crash(CrashMode.PREFIX, seed).disk();
            seen.add(List.of((int) after.contents("a")[0], (int) after.contents("b")[0]));
        }

        assertThat(seen).containsExactlyInAnyOrder(List.of(1, 1), List.of(2, 1), List.of(2, 2));
    }

    @Test
    void givenAPendingWriteOfSomeSectors_whenItTears_thenEachProperPartOfItCanSurvive()
            throws IOException {
        StorageFile file = createSynced(directory, "a", 3 * SECTOR, 1);
        file.write(0, filled(3 * SECTOR, 2));
        Set<List<Integer>> seen = new HashSet<>();

        for (int seed = 0; seed < SEEDS; seed++) {
            byte[] bytes = disk.crash(CrashMode.LAST_TORN, seed).disk().contents("a");
            for (int i = 0; i < bytes.length; i++) {
                assertThat(bytes[i]).isEqualTo(bytes[i / SECTOR * SECTOR]);
            }
            seen.add(List.of((int) bytes[0], (int) bytes[SECTOR], (int) bytes[2 * SECTOR]));
        }

        assertThat(seen).hasSize(6).doesNotContain(List.of(1, 1, 1), List.of(2, 2, 2));
    }

    @Test
    void givenSectorsOf4096_whenAWriteTears_thenNoSectorIsCut() throws IOException {
        SimulatedDisk coarse = SimulatedDisk.create(DiskOptions.DEFAULT.withSectorBytes(4096));
        StorageFile file = createSynced(coarse.directory(), "a", 8192, 1);
        file.write(0, filled(8192, 2));
        boolean isTorn = false;

        for (int seed = 0; seed < SEEDS; seed++) {
            byte[] bytes = coarse.crash(CrashMode.LAST_TORN, seed).disk().contents("a");
            assertThat(Arrays.copyOf(bytes, 4096)).containsOnly(bytes[0]);
            assertThat(Arrays.copyOfRange(bytes, 4096, 8192)).containsOnly(bytes[4096]);
            isTorn |= bytes[0] != bytes[4096];
        }

        assertThat(isTorn).isTrue();
    }

    @Test
    void givenAPendingWrite_whenItTurnsToNoise_thenTheBytesBesideItStay() throws IOException {
        StorageFile file = createSynced(directory, "a", 8192, 1);
        file.write(700, filled(1000, 2));
        boolean sawNoise = false;

        for (int seed = 0; seed < SEEDS; seed++) {
            byte[] bytes = disk.crash(CrashMode.GARBAGE_SECTORS, seed).disk().contents("a");
            assertThat(Arrays.copyOf(bytes, 700)).containsOnly(1);
            assertThat(Arrays.copyOfRange(bytes, 1700, 8192)).containsOnly(1);
            for (int i = 700; i < 1700; i++) {
                sawNoise |= bytes[i] != 1 && bytes[i] != 2;
            }
        }

        assertThat(sawNoise).isTrue();
    }

    @Test
    void givenAWriteWhileASyncRuns_whenPowerIsLost_thenTheSyncHasNotSavedIt() throws IOException {
        StorageFile file = createSynced(directory, "a", SECTOR, 1);
        file.write(0, filled(SECTOR, 2));
        Runnable write = () -> writeUnchecked(file, SECTOR, 3);
        disk.faults().add(Fault.on(Operation.SYNC, "a").run(write));

        file.sync(true);

        assertThat(disk.contents("a")).hasSize(2 * SECTOR);
        byte[] left = disk.crash(CrashMode.NOTHING_PENDING, 0).disk().contents("a");
        assertThat(left).hasSize(SECTOR).containsOnly(2);
    }

    @Test
    void givenASyncThatRuns_whenPowerIsLostBeforeItEnds_thenItHasSavedNothing() throws IOException {
        StorageFile file = createSynced(directory, "a", SECTOR, 1);
        file.write(0, filled(SECTOR, 2));
        int[] during = new int[1];
        Fault note = Fault.on(Operation.SYNC, "a").run(() -> during[0] = disk.eventCount());
        disk.faults().add(note);

        file.sync(true);

        Trace trace = disk.trace();
        CrashImage image = CrashImage.build(trace, during[0], CrashMode.NOTHING_PENDING, 0);
        assertThat(image.disk().contents("a")).containsOnly(1);
    }

    @Test
    void givenAGrowingWrite_whenPowerIsLost_thenLengthAndContentSurviveApart() throws IOException {
        StorageFile file = createSynced(directory, "a", SECTOR, 1);
        file.write(SECTOR, filled(SECTOR, 2));
        Set<List<Integer>> seen = new HashSet<>();

        for (int seed = 0; seed < SEEDS; seed++) {
            byte[] bytes = disk.crash(CrashMode.RANDOM_SUBSET, seed).disk().contents("a");
            seen.add(List.of(bytes.length, (int) bytes[bytes.length - 1]));
        }

        assertThat(seen)
                .containsExactlyInAnyOrder(
                        List.of(SECTOR, 1), List.of(2 * SECTOR, 0), List.of(2 * SECTOR, 2));
    }

    @Test
    void givenAPendingTruncation_whenPowerIsLost_thenOldBytesCanComeBack() throws IOException {
        StorageFile file = createSynced(directory, "a", 2 * SECTOR, 1);
        file.truncate(SECTOR);
        Set<Integer> lengths = new HashSet<>();

        for (int seed = 0; seed < SEEDS; seed++) {
            byte[] bytes = disk.crash(CrashMode.RANDOM_SUBSET, seed).disk().contents("a");
            assertThat(bytes).containsOnly(1);
            lengths.add(bytes.length);
        }

        assertThat(lengths).containsExactlyInAnyOrder(SECTOR, 2 * SECTOR);
    }

    @Test
    void givenARenameWithoutADirectorySync_whenPowerIsLost_thenTheOldNameCanComeBack()
            throws IOException {
        createSynced(directory, "new", 10, 2).close();
        createSynced(directory, "id", 10, 1).close();
        directory.rename("new", "id");
        Set<List<Object>> seen = new HashSet<>();

        for (int seed = 0; seed < SEEDS; seed++) {
            SimulatedDisk after = disk.crash(CrashMode.ALL_PENDING, seed).disk();
            seen.add(List.of((int) after.contents("id")[0], after.directory().exists("new")));
        }

        assertThat(seen).containsExactlyInAnyOrder(List.of(1, true), List.of(2, false));
    }

    @Test
    void givenAFileSyncedWithoutItsName_whenPowerIsLost_thenItCanBeGone() throws IOException {
        StorageFile file = directory.create("a");
        file.write(0, filled(10, 1));
        file.sync(false);

        SimulatedDisk after = disk.crash(CrashMode.NOTHING_PENDING, 0).disk();

        assertThat(after.directory().list("")).isEmpty();
    }

    @Test
    void givenADeletionWithoutADirectorySync_whenPowerIsLost_thenTheFileComesBackWhole()
            throws IOException {
        createSynced(directory, "a", 10, 1).close();
        directory.delete("a");

        SimulatedDisk after = disk.crash(CrashMode.NOTHING_PENDING, 0).disk();

        assertThat(after.contents("a")).hasSize(10).containsOnly(1);
    }

    @Test
    void givenPendingNamesInTwoDirectories_whenPowerIsLost_thenEachKeepsAPrefixOfItsOwn()
            throws IOException {
        directory.createDirectory("redo");
        directory.syncDirectory("");
        for (String name : List.of("redo/1", "a", "redo/2", "b")) {
            directory.create(name).close();
        }
        Set<List<String>> roots = new HashSet<>();
        Set<List<String>> all = new HashSet<>();

        for (int seed = 0; seed < SEEDS; seed++) {
            StorageDirectory after = disk.crash(CrashMode.RANDOM_SUBSET, seed).disk().directory();
            roots.add(after.list(""));
            List<String> names = new ArrayList<>(after.list(""));
            names.addAll(after.list("redo"));
            all.add(names);
        }

        assertThat(roots).containsExactlyInAnyOrder(List.of(), List.of("a"), List.of("a", "b"));
        assertThat(all).hasSize(9);
    }

    @Test
    void givenALostDirectory_whenItsFilesWereSynced_thenTheyAreGoneToo() throws IOException {
        directory.createDirectory("redo");
        createSynced(directory, "redo/1", 10, 1).close();

        SimulatedDisk after = disk.crash(CrashMode.NOTHING_PENDING, 0).disk();

        after.directory().createDirectory("redo");
        assertThat(after.directory().list("redo")).isEmpty();
    }

    @Test
    void givenARenameBetweenDirectories_whenOneOfThemIsSynced_thenTheNameIsInOnePlaceOnly()
            throws IOException {
        directory.createDirectory("redo");
        directory.syncDirectory("");
        directory.create("a").close();
        directory.rename("a", "redo/a");

        directory.syncDirectory("redo");

        for (CrashMode mode : CrashMode.values()) {
            SimulatedDisk after = disk.crash(mode, 0).disk();
            assertThat(after.directory().list("redo")).containsExactly("redo/a");
            assertThat(after.directory().list("")).isEmpty();
        }
    }

    @Test
    void givenALostRenameBetweenDirectories_whenPowerIsLost_thenWhatCameAfterItIsLostInBoth()
            throws IOException {
        directory.createDirectory("redo");
        directory.create("a").close();
        directory.syncDirectory("");
        directory.rename("a", "redo/b");
        directory.create("c").close();
        directory.create("redo/d").close();
        Set<List<String>> seen = new HashSet<>();

        for (int seed = 0; seed < SEEDS; seed++) {
            StorageDirectory after = disk.crash(CrashMode.RANDOM_SUBSET, seed).disk().directory();
            List<String> names = new ArrayList<>(after.list(""));
            names.addAll(after.list("redo"));
            seen.add(names);
        }

        assertThat(seen)
                .containsExactlyInAnyOrder(
                        List.of("a"),
                        List.of("redo/b"),
                        List.of("c", "redo/b"),
                        List.of("redo/b", "redo/d"),
                        List.of("c", "redo/b", "redo/d"));
    }

    @Test
    void givenExt4Rules_whenAnyFileIsSynced_thenAllNamesBeforeAreDurable() throws IOException {
        SimulatedDisk ext4 =
                SimulatedDisk.create(DiskOptions.DEFAULT.withNameRules(NameRules.EXT4));
        ext4.directory().create("a").close();
        StorageFile file = ext4.directory().create("b");
        file.sync(true);
        ext4.directory().create("c").close();

        SimulatedDisk after = ext4.crash(CrashMode.NOTHING_PENDING, 0).disk();

        assertThat(after.directory().list("")).containsExactly("a", "b");
    }

    @Test
    void givenAnImage_whenItRunsAndCrashesAgain_thenBothCrashesCompose() throws IOException {
        StorageFile file = createSynced(directory, "a", SECTOR, 1);
        disk.mark("outer");
        file.write(0, filled(SECTOR, 2));
        disk.mark("too late");
        CrashImage first =
                CrashImage.build(disk.trace(), disk.eventCount() - 2, CrashMode.PREFIX, 1);
        SimulatedDisk second = first.disk();
        StorageFile again = second.directory().open("a");
        again.write(SECTOR, filled(SECTOR, 3));
        again.sync(true);
        second.mark("inner");
        again.write(2 * SECTOR, filled(SECTOR, 4));

        CrashImage nested = second.crash(CrashMode.NOTHING_PENDING, 0);

        byte[] bytes = nested.disk().contents("a");
        assertThat(bytes).hasSize(2 * SECTOR);
        assertThat(List.of((int) bytes[0], (int) bytes[SECTOR])).isEqualTo(List.of(1, 3));
        assertThat(nested.marks()).containsExactly("outer", "inner");
        assertThat(nested.depth()).isEqualTo(2);
        assertThat(nested.isPowerLoss()).isTrue();
        assertThat(CrashPoint.parse(CrashPoint.format(nested.chain()))).isEqualTo(nested.chain());
    }

    @Test
    void givenAKilledProcess_whenPowerIsLostLater_thenWhatItWroteCanStillGo() throws IOException {
        createSynced(directory, "a", SECTOR, 1).write(0, filled(SECTOR, 2));
        directory.create("b").close();

        CrashImage killed = disk.crash(CrashMode.PROCESS_KILLED, 0);

        assertThat(killed.disk().contents("a")).containsOnly(2);
        assertThat(killed.disk().directory().exists("b")).isTrue();
        assertThat(killed.isPowerLoss()).isFalse();
        CrashImage lost = killed.disk().crash(CrashMode.NOTHING_PENDING, 0);
        assertThat(lost.disk().contents("a")).containsOnly(1);
        assertThat(lost.disk().directory().exists("b")).isFalse();
        assertThat(lost.isPowerLoss()).isTrue();
    }

    @Test
    void givenAKilledProcess_whenItsSuccessorSyncs_thenWhatItWroteStays() throws IOException {
        createSynced(directory, "a", SECTOR, 1).write(0, filled(SECTOR, 2));
        directory.create("b").close();
        SimulatedDisk killed = disk.crash(CrashMode.PROCESS_KILLED, 0).disk();

        killed.directory().open("a").sync(true);
        killed.directory().syncDirectory("");

        SimulatedDisk after = killed.crash(CrashMode.NOTHING_PENDING, 0).disk();
        assertThat(after.contents("a")).containsOnly(2);
        assertThat(after.directory().exists("b")).isTrue();
    }

    @Test
    void givenAWriteInFlight_whenTheProcessIsKilled_thenWholePagesOfItCanBeThere()
            throws IOException {
        StorageFile file = createSynced(directory, "a", 3 * 4096, 1);
        int point = disk.eventCount();
        file.write(0, filled(3 * 4096, 2));
        Set<Integer> arrived = new HashSet<>();

        for (int seed = 0; seed < SEEDS; seed++) {
            CrashImage image =
                    CrashImage.build(disk.trace(), point, CrashMode.PROCESS_KILLED, seed);
            byte[] bytes = image.disk().contents("a");
            int length = 0;
            while (length < bytes.length && bytes[length] == 2) {
                length++;
            }
            arrived.add(length);
        }

        assertThat(arrived).containsExactlyInAnyOrder(0, 4096, 8192);
    }

    @Test
    void givenTheSameCrash_whenBuiltAgain_thenTheImageIsTheSameWhateverBecameOfTheFirst()
            throws IOException {
        StorageFile file = createSynced(directory, "a", 8 * SECTOR, 1);
        file.write(0, filled(4 * SECTOR, 2));
        file.write(6 * SECTOR, filled(4 * SECTOR, 3));
        Trace trace = disk.trace();

        for (CrashMode mode : CrashMode.values()) {
            CrashImage first = CrashImage.build(trace, trace.eventCount(), mode, 5);
            long hash = first.contentHash();
            first.disk().directory().open("a").write(0, filled(8 * SECTOR, 9));
            file.write(0, filled(8 * SECTOR, 8));

            CrashImage again = CrashImage.build(trace, trace.eventCount(), mode, 5);

            assertThat(again.contentHash()).isEqualTo(hash).isEqualTo(first.contentHash());
            assertThat(first.disk().contentHash()).isNotEqualTo(hash);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NOTHING_PENDING")
    void givenPendingWrites_whenModesDiffer_thenImagesDifferFromOneWithoutThem(CrashMode mode)
            throws IOException {
        StorageFile file = createSynced(directory, "a", 8 * SECTOR, 1);
        file.write(0, filled(4 * SECTOR, 2));
        file.write(6 * SECTOR, filled(4 * SECTOR, 3));
        Set<Long> hashes = new HashSet<>();

        for (int seed = 0; seed < SEEDS; seed++) {
            hashes.add(disk.crash(mode, seed).contentHash());
        }

        long nothing = disk.crash(CrashMode.NOTHING_PENDING, 0).contentHash();
        assertThat(hashes).anyMatch(hash -> hash != nothing);
        if (mode.isRandom()) {
            assertThat(hashes.size()).isGreaterThan(2);
        }
    }

    @Test
    void givenADeletedFileStillOpen_whenItIsUsed_thenItLivesUntilItIsClosed() throws IOException {
        StorageFile file = createSynced(directory, "a", 100, 1);
        directory.delete("a");
        directory.syncDirectory("");

        file.write(100, filled(100, 2));

        assertThat(file.length()).isEqualTo(200);
        assertThat(disk.openFiles()).containsExactly("a");
        file.close();
        assertThat(disk.openFiles()).isEmpty();
        assertThat(disk.usedBytes()).isZero();
    }

    private static void writeUnchecked(StorageFile file, long position, int fill) {
        try {
            file.write(position, filled(SECTOR, fill));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
