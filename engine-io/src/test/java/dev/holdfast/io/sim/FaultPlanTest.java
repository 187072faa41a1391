// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import static dev.holdfast.io.sim.TestBytes.createSynced;
import static dev.holdfast.io.sim.TestBytes.filled;
import static dev.holdfast.io.sim.TestBytes.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageErrors;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.sim.Fault.Arrival;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Planned faults: were one not to happen, the engine's tests of it would prove nothing. */
final class FaultPlanTest {
    private static final int PAGE = 4096;

    private final SimulatedDisk disk = SimulatedDisk.create();
    private final StorageDirectory directory = disk.directory();
    private final FaultPlan faults = disk.faults();
    private StorageFile file;

    @BeforeEach
    void createFile() throws IOException {
        file = createSynced(directory, "a", 2 * PAGE, 1);
    }

    @AfterEach
    void requirePlannedFaultsToHaveHappened() {
        faults.requireActed();
    }

    @Test
    void givenAFaultOfTheSecondWrite_whenWritten_thenThatOneFailsAndNoOther() throws IOException {
        Fault fault = faults.add(Fault.on(Operation.WRITE, "a").nth(2).error(Fault.IO_ERROR));
        StorageFile other = directory.create("b");

        file.write(0, filled(PAGE, 2));
        other.write(0, filled(PAGE, 2));
        assertThatThrownBy(() -> file.write(PAGE, filled(PAGE, 2)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("write failed: file=a, position=4096, bytes=4096")
                .hasMessageContaining(Fault.IO_ERROR);
        file.write(0, filled(PAGE, 3));

        assertThat(fault.hits()).isEqualTo(1);
        assertThat(read(file, 0, PAGE)).containsOnly(3);
        assertThat(read(file, PAGE, PAGE)).containsOnly(1);
    }

    @Test
    void givenAStickyFaultOfARange_whenRead_thenThatRangeAloneFailsEachTime() throws IOException {
        faults.add(Fault.on(Operation.READ, "*").range(5000, 5001).sticky().error(Fault.IO_ERROR));

        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> read(file, PAGE, PAGE)).hasMessageContaining("read failed");
        }

        assertThat(read(file, 0, PAGE)).containsOnly(1);
        assertThat(read(file, PAGE, 904)).containsOnly(1);
    }

    @ParameterizedTest
    @EnumSource(Arrival.class)
    void givenAFailingWrite_whenReadAfterwards_thenTheStatedPartHasArrived(Arrival arrival)
            throws IOException {
        Set<Integer> arrived = new HashSet<>();
        faults.add(Fault.on(Operation.WRITE, "a").sticky().error(Fault.IO_ERROR, arrival));

        for (int i = 0; i < 50; i++) {
            int fill = 2 + i;
            assertThatThrownBy(() -> file.write(0, filled(PAGE, fill)));
            byte[] bytes = read(file, 0, PAGE);
            int length = 0;
            while (length < PAGE && bytes[length] == fill) {
                length++;
            }
            arrived.add(length);
        }

        switch (arrival) {
            case NONE -> assertThat(arrived).containsExactly(0);
            case SOME -> assertThat(arrived.size()).isGreaterThan(20);
            case ALL -> assertThat(arrived).containsExactly(PAGE);
        }
    }

    @Test
    void givenAFailedSync_whenLaterSyncsSucceed_thenWhatItShouldHaveSavedIsNeverDurable()
            throws IOException {
        faults.add(Fault.on(Operation.SYNC, "a").sync(SyncOutcome.NEVER_DURABLE));
        file.write(0, filled(PAGE, 2));

        assertThatThrownBy(() -> file.sync(true)).hasMessageContaining("sync failed: file=a");
        file.write(PAGE, filled(PAGE, 3));
        file.sync(true);

        assertThat(read(file, 0, PAGE)).containsOnly(2);
        for (int seed = 0; seed < 20; seed++) {
            SimulatedDisk after = disk.crash(CrashMode.ALL_PENDING, seed).disk();
            assertThat(after.contents("a", 0, PAGE)).containsOnly(1);
            assertThat(after.contents("a", PAGE, PAGE)).containsOnly(3);
        }
        SimulatedDisk killed = disk.crash(CrashMode.PROCESS_KILLED, 0).disk();
        assertThat(killed.contents("a", 0, PAGE)).containsOnly(2);
        killed.directory().open("a").sync(true);
        SimulatedDisk after = killed.crash(CrashMode.ALL_PENDING, 0).disk();
        assertThat(after.contents("a", 0, PAGE)).containsOnly(1);
    }

    @Test
    void givenGrowthLostByAFailedSync_whenALaterWriteIsSynced_thenThatOneIsDurable()
            throws IOException {
        faults.add(Fault.on(Operation.SYNC, "a").sync(SyncOutcome.NEVER_DURABLE));
        file.write(2 * PAGE, filled(2 * PAGE, 2));
        assertThatThrownBy(() -> file.sync(true)).isInstanceOf(IOException.class);

        file.write(3 * PAGE, filled(100, 3));
        file.sync(true);

        SimulatedDisk after = disk.crash(CrashMode.NOTHING_PENDING, 0).disk();
        assertThat(after.contents("a", 2 * PAGE, PAGE)).containsOnly(0);
        assertThat(after.contents("a", 3 * PAGE, 100)).containsOnly(3);
        assertThat(after.contents("a")).hasSize(3 * PAGE + 100);
    }

    @Test
    void givenAFailedSyncThatReverts_whenRead_thenTheOldBytesAreBack() throws IOException {
        faults.add(Fault.on(Operation.SYNC, "a").sync(SyncOutcome.REVERTED, Fault.NO_SPACE));
        file.write(0, filled(3 * PAGE, 2));

        assertThatThrownBy(() -> file.sync(true))
                .isInstanceOfSatisfying(
                        IOException.class,
                        e -> assertThat(StorageErrors.isSpaceExhausted(e)).isTrue());

        assertThat(file.length()).isEqualTo(2 * PAGE);
        assertThat(read(file, 0, 2 * PAGE)).containsOnly(1);
    }

    @Test
    void givenAFailedSyncThatSavedPart_whenPowerIsLost_thenThatPartIsDurable() throws IOException {
        faults.add(Fault.on(Operation.SYNC, "a").sync(SyncOutcome.PARTLY_DURABLE));
        for (int i = 0; i < 20; i++) {
            file.write(i * 100L, filled(100, 2));
        }

        assertThatThrownBy(() -> file.sync(true));

        byte[] bytes = disk.crash(CrashMode.ALL_PENDING, 0).disk().contents("a", 0, 2000);
        assertThat(bytes).contains(1).contains(2);
        assertThat(read(file, 0, 2000)).containsOnly(2);
    }

    @Test
    void givenALyingSync_whenPowerIsLost_thenOnlyTheNextHonestOneHelps() throws IOException {
        faults.add(Fault.on(Operation.SYNC, "a").sync(SyncOutcome.LIED));
        file.write(0, filled(PAGE, 2));

        file.sync(true);

        byte[] lied = disk.crash(CrashMode.NOTHING_PENDING, 0).disk().contents("a", 0, PAGE);
        assertThat(lied).containsOnly(1);
        file.sync(true);
        byte[] saved = disk.crash(CrashMode.NOTHING_PENDING, 0).disk().contents("a", 0, PAGE);
        assertThat(saved).containsOnly(2);
    }

    @Test
    void givenDirectorySyncsThatFailOrLie_whenPowerIsLost_thenTheNameCanBeGone()
            throws IOException {
        faults.add(Fault.on(Operation.SYNC_DIRECTORY, "").sync(SyncOutcome.LIED));
        faults.add(Fault.on(Operation.SYNC_DIRECTORY, "").nth(2).error(Fault.IO_ERROR));
        directory.create("b").close();

        directory.syncDirectory("");
        assertThatThrownBy(() -> directory.syncDirectory("")).isInstanceOf(IOException.class);

        SimulatedDisk after = disk.crash(CrashMode.NOTHING_PENDING, 0).disk();
        assertThat(after.directory().exists("b")).isFalse();
    }

    @Test
    void givenALostWrite_whenRead_thenTheOldBytesAreThereThoughItSucceeded() throws IOException {
        Fault fault = faults.add(Fault.on(Operation.WRITE, "a").lost());

        file.write(0, filled(PAGE, 2));
        file.sync(true);

        assertThat(fault.hits()).isEqualTo(1);
        assertThat(read(file, 0, PAGE)).containsOnly(1);
    }

    @Test
    void givenAMisdirectedWrite_whenRead_thenAnotherPageHasItsBytes() throws IOException {
        faults.add(Fault.on(Operation.WRITE, "a").misdirected(PAGE));

        file.write(0, filled(PAGE, 2));

        assertThat(read(file, 0, PAGE)).containsOnly(1);
        assertThat(read(file, PAGE, PAGE)).containsOnly(2);
    }

    @Test
    void givenABitFlippedInOneRead_whenReadAgain_thenTheBytesAreSound() throws IOException {
        faults.add(Fault.on(Operation.READ, "a").flipBit(5000, 3));

        byte[] flipped = read(file, PAGE, PAGE);
        byte[] sound = read(file, PAGE, PAGE);

        assertThat(flipped[5000 - PAGE]).isEqualTo((byte) (1 ^ 8));
        assertThat(sound).containsOnly(1);
    }

    @Test
    void givenABitFlippedAtRest_whenPowerIsLost_thenItStaysFlipped() throws IOException {
        disk.flipBit("a", 5000, 3);

        SimulatedDisk after = disk.crash(CrashMode.NOTHING_PENDING, 0).disk();

        assertThat(read(file, 5000, 1)).containsOnly(1 ^ 8);
        assertThat(after.contents("a")[5000]).isEqualTo((byte) (1 ^ 8));
        assertThat(after.contents("a")[5001]).isEqualTo((byte) 1);
    }

    @Test
    void givenAFullDisk_whenGrown_thenItFailsUntilThereIsRoomAndOverwritesWork()
            throws IOException {
        disk.limitCapacity(4 * PAGE);
        file.write(0, filled(2 * PAGE, 2));

        assertThatThrownBy(() -> file.zeroFill(2 * PAGE, 9 * PAGE))
                .isInstanceOfSatisfying(
                        IOException.class,
                        e -> assertThat(StorageErrors.isSpaceExhausted(e)).isTrue());
        file.write(0, filled(4 * PAGE, 3));

        assertThat(file.length()).isEqualTo(4 * PAGE);
        assertThat(disk.usedBytes()).isEqualTo(4 * PAGE);
        disk.limitCapacity(6 * PAGE);
        file.write(5L * PAGE, filled(PAGE, 4));
        StorageFile other = directory.create("b");
        other.write(0, filled(PAGE, 4));
        assertThatThrownBy(() -> other.write(PAGE, filled(PAGE, 4)));
        file.close();
        directory.delete("a");
        other.write(PAGE, filled(PAGE, 4));
    }

    @Test
    void givenAFullDirectory_whenFilesGrow_thenOnlyThoseInItFail() throws IOException {
        directory.createDirectory("redo");
        StorageFile redo = directory.create("redo/1");
        redo.write(0, filled(PAGE, 1));
        disk.limitCapacity("redo", 2 * PAGE);

        redo.write(PAGE, filled(PAGE, 2));
        assertThatThrownBy(() -> redo.write(2 * PAGE, filled(PAGE, 2)))
                .hasMessageContaining("write failed: file=redo/1, position=8192")
                .hasMessageContaining(Fault.NO_SPACE);
        file.write(2 * PAGE, filled(9 * PAGE, 2));

        assertThat(disk.count(Injection.NO_ROOM)).isEqualTo(1);
        disk.unlimitCapacity();
        redo.write(2 * PAGE, filled(PAGE, 2));
    }

    @Test
    void givenSplitTransfers_whenPowerIsLostBetween_thenPartOfAWriteCanBeThere()
            throws IOException {
        faults.splitTransfers(new SeededRandom(1));
        int before = disk.eventCount();

        file.write(0, filled(2 * PAGE, 2));

        assertThat(disk.eventCount() - before).isGreaterThan(1);
        CrashImage image = CrashImage.build(disk.trace(), before + 1, CrashMode.ALL_PENDING, 0);
        assertThat(image.disk().contents("a")).contains(1).contains(2);
    }

    @Test
    void givenAStuckDevice_whenReleased_thenTheRequestGoesOnAndOthersNeverWaited()
            throws Exception {
        Fault stuck = faults.add(Fault.on(Operation.WRITE, "a").stuck());
        CountDownLatch started = new CountDownLatch(1);
        AtomicBoolean isDone = new AtomicBoolean();
        Thread writer =
                new Thread(
                        () -> {
                            started.countDown();
                            writeUnchecked(2);
                            isDone.set(true);
                        });
        writer.start();
        started.await();
        while (stuck.hits() == 0) {
            Thread.onSpinWait();
        }

        writer.interrupt();
        byte[] during = read(file, 0, PAGE);

        assertThat(isDone).isFalse();
        assertThat(during).containsOnly(1);
        stuck.release();
        writer.join();
        assertThat(isDone).isTrue();
        assertThat(read(file, 0, PAGE)).containsOnly(2);
    }

    @Test
    void givenALatency_whenRequestsAreServed_thenTheyTakeThatLongByTheClock() throws IOException {
        long millis = TimeUnit.MILLISECONDS.toNanos(1);
        Latency latency = Latency.of(0, 2 * millis, 0, 1 << 20).withStalls(1, millis);
        TestClock clock = TestClock.jumping();
        StorageFile again = directory.open("a");
        disk.clock(clock);
        disk.shapeLatency(latency, 1, new SeededRandom(1));
        faults.add(Fault.on(Operation.SYNC, "a").slow(5 * millis));

        again.write(0, filled(1 << 12, 2));
        again.sync(true);
        read(again, 0, 1 << 12);

        long transferNanos = TimeUnit.SECONDS.toNanos(1) / 256;
        assertThat(again.statistics().writeNanos()).isEqualTo(3 * millis + transferNanos);
        assertThat(again.statistics().readNanos()).isEqualTo(millis + transferNanos);
        assertThat(again.statistics().syncNanos()).isEqualTo(6 * millis);
        assertThat(clock.nanos()).isEqualTo(10 * millis + 2 * transferNanos);
        assertThat(disk.count(Injection.DELAYED)).as("the planned one too").isEqualTo(4);
    }

    @Test
    void givenTheRealClock_whenRequestsAreServed_thenTheyTakeAtLeastThatLong() throws IOException {
        long millis = TimeUnit.MILLISECONDS.toNanos(1);
        Latency latency = Latency.of(0, 2 * millis, 0, 1 << 20).withTail(0.5);
        disk.shapeLatency(latency, 1, new SeededRandom(1));
        long start = System.nanoTime();

        file.write(0, filled(1 << 12, 2));

        long least = 2 * millis + TimeUnit.SECONDS.toNanos(1) / 256;
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(least);
        assertThat(file.statistics().writeNanos()).isGreaterThanOrEqualTo(least);
    }

    @Test
    void givenADeviceOfTwoPlaces_whenMoreComeAtOnce_thenTheyAreServedInTurns() {
        TestClock clock = TestClock.stopped();
        disk.clock(clock);
        disk.shapeLatency(Latency.of(0, 0, 10, 1), 2, new SeededRandom(1));

        List<Long> ended = DeviceTrial.syncAtOnce(file, clock, 5);

        assertThat(ended).containsExactly(10L, 10L, 20L, 20L, 30L);
        assertThatThrownBy(() -> disk.shapeLatency(Latency.NONE, 0, new SeededRandom(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void givenADistributionOfDelays_whenRequestsAreSlow_thenTheirTimesDiffer() throws IOException {
        TestClock clock = TestClock.jumping();
        disk.clock(clock);
        faults.add(
                Fault.on(Operation.SYNC, "a")
                        .sticky()
                        .slow((operation, bytes, random) -> random.between(1, 1000)));
        Set<Long> times = new HashSet<>();

        for (int i = 0; i < 20; i++) {
            long before = clock.nanos();
            file.sync(true);
            times.add(clock.nanos() - before);
        }

        assertThat(times.size()).isGreaterThan(10);
        assertThat(times).allMatch(nanos -> nanos >= 1 && nanos <= 1000);
    }

    @Test
    void givenAnUnpluggedDisk_whenUsed_thenAllFailsUntilItIsBackAndNothingIsDurable()
            throws IOException {
        file.write(0, filled(PAGE, 2));
        disk.unplug();

        assertThatThrownBy(() -> file.sync(true)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> file.write(0, filled(PAGE, 3))).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> read(file, 0, PAGE)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> directory.create("b")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> directory.syncDirectory("")).isInstanceOf(IOException.class);

        disk.plugIn();
        assertThat(read(file, 0, PAGE)).containsOnly(2);
        byte[] left = disk.crash(CrashMode.NOTHING_PENDING, 0).disk().contents("a", 0, PAGE);
        assertThat(left).containsOnly(1);
    }

    @Test
    void givenOpenFilesOnWindows_whenDeletedOrReplaced_thenItFailsSoManyTimes() throws IOException {
        StorageFile other = directory.create("b");
        faults.sharingViolations(2);

        assertThatThrownBy(() -> directory.delete("a")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> directory.rename("a", "b")).isInstanceOf(IOException.class);

        other.close();
        directory.rename("a", "b");
        assertThat(directory.list("")).containsExactly("b");
    }

    @Test
    void givenFaultsOfNames_whenTheyHit_thenNothingHasHappened() throws IOException {
        faults.add(Fault.on(Operation.CREATE, "b").error(Fault.NO_SPACE));
        faults.add(Fault.on(Operation.RENAME, "a").error(Fault.IO_ERROR));
        faults.add(Fault.on(Operation.DELETE, "*").error(Fault.READ_ONLY));
        faults.add(Fault.on(Operation.TRUNCATE, "a").error(Fault.IO_ERROR));

        assertThatThrownBy(() -> directory.create("b")).hasMessageContaining(Fault.NO_SPACE);
        assertThatThrownBy(() -> directory.rename("a", "c")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> directory.delete("a")).hasMessageContaining(Fault.READ_ONLY);
        assertThatThrownBy(() -> file.truncate(0)).isInstanceOf(IOException.class);

        assertThat(directory.list("")).containsExactly("a");
        assertThat(file.length()).isEqualTo(2 * PAGE);
    }

    @Test
    void givenFaultsOfNamesThatComeAfterTheDeed_whenTheyHit_thenItHasHappened() throws IOException {
        faults.add(Fault.on(Operation.CREATE, "b").error(Fault.IO_ERROR, Arrival.ALL));
        faults.add(Fault.on(Operation.RENAME, "a").error(Fault.IO_ERROR, Arrival.ALL));
        faults.add(Fault.on(Operation.DELETE, "b").error(Fault.IO_ERROR, Arrival.ALL));
        faults.add(Fault.on(Operation.MAKE_DIRECTORY, "d").error(Fault.IO_ERROR, Arrival.ALL));
        faults.add(Fault.on(Operation.TRUNCATE, "a").error(Fault.IO_ERROR, Arrival.ALL));

        assertThatThrownBy(() -> directory.create("b")).isInstanceOf(IOException.class);
        boolean isCreated = directory.exists("b");
        assertThatThrownBy(() -> file.truncate(PAGE)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> directory.rename("a", "c")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> directory.delete("b")).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> directory.createDirectory("d")).isInstanceOf(IOException.class);

        assertThat(isCreated).isTrue();
        assertThat(directory.list("")).containsExactly("c");
        assertThat(directory.list("d")).isEmpty();
        assertThat(file.length()).isEqualTo(PAGE);
        assertThat(disk.openFiles()).as("a failed creation leaves no handle").containsExactly("a");
    }

    @Test
    void givenADirectorySyncThatLosesItsNames_whenSyncedAgain_thenTheyAreNotSaved()
            throws IOException {
        faults.add(Fault.on(Operation.SYNC_DIRECTORY, "").sync(SyncOutcome.NEVER_DURABLE));
        directory.create("b").close();

        assertThatThrownBy(() -> directory.syncDirectory("")).isInstanceOf(IOException.class);
        directory.create("c").close();
        directory.syncDirectory("");

        assertThat(directory.list("")).containsExactly("a", "b", "c");
        SimulatedDisk after = disk.crash(CrashMode.ALL_PENDING, 0).disk();
        assertThat(after.directory().list("")).containsExactly("a", "c");
    }

    @Test
    void givenSplitReads_whenRead_thenTheyComeInPartsAndWhole() throws IOException {
        faults.splitTransfers(new SeededRandom(4));
        Set<Integer> seen = new HashSet<>();

        for (int i = 0; i < 100; i++) {
            read(file, 0, PAGE);
            seen.add((int) disk.count(Injection.TRANSFER_SPLIT));
        }

        assertThat(seen.size()).isGreaterThan(90);
        assertThat(read(file, 0, 2 * PAGE)).containsOnly(1);
    }

    @Test
    void givenAFaultThatNothingMeets_whenRequired_thenItIsNamed() {
        Fault idle = faults.add(Fault.on(Operation.WRITE, "nobody").lost());

        assertThatThrownBy(faults::requireActed)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("operation=WRITE")
                .hasMessageContaining("nobody");

        assertThat(faults.idle()).containsExactly(idle);
        faults.clear();
    }

    @Test
    void givenAllThatADiskCanDoWrong_whenDone_thenEachIsCounted() throws Exception {
        faults.add(Fault.on(Operation.READ, "a").error(Fault.IO_ERROR));
        faults.add(Fault.on(Operation.READ, "a").nth(2).flipBit(0, 0));
        faults.add(Fault.on(Operation.WRITE, "a").lost());
        faults.add(Fault.on(Operation.WRITE, "a").nth(2).misdirected(PAGE));
        faults.add(Fault.on(Operation.WRITE, "a").nth(3).run(() -> {}));
        faults.add(Fault.on(Operation.SYNC, "a").sync(SyncOutcome.LIED));
        faults.add(Fault.on(Operation.SYNC, "a").nth(2).sync(SyncOutcome.NEVER_DURABLE));
        faults.add(Fault.on(Operation.SYNC, "a").nth(3).slow(1));
        Fault stuck = faults.add(Fault.on(Operation.SYNC, "a").nth(4).stuck());
        stuck.release();

        assertThatThrownBy(() -> read(file, 0, PAGE)).isInstanceOf(IOException.class);
        read(file, 0, PAGE);
        for (int i = 0; i < 3; i++) {
            file.write(0, filled(PAGE, 2));
        }
        file.sync(true);
        assertThatThrownBy(() -> file.sync(true)).isInstanceOf(IOException.class);
        file.sync(true);
        file.sync(true);
        disk.flipBit("a", 0, 0);
        faults.sharingViolations(1);
        assertThatThrownBy(() -> directory.delete("a")).isInstanceOf(IOException.class);
        disk.limitCapacity(2 * PAGE);
        assertThatThrownBy(() -> file.write(2 * PAGE, filled(1, 1)))
                .isInstanceOf(IOException.class);
        disk.unplug();
        assertThatThrownBy(() -> directory.list("")).isInstanceOf(IOException.class);

        for (Injection injection : Injection.values()) {
            long expected = injection == Injection.TRANSFER_SPLIT ? 0 : 1;
            assertThat(disk.count(injection)).as(injection.name()).isEqualTo(expected);
        }
    }

    @Test
    void givenAFaultThatNoDiskCanHave_whenAdded_thenItIsRefused() {
        for (Fault impossible :
                List.of(
                        Fault.on(Operation.READ, "a"),
                        Fault.on(Operation.READ, "a").lost(),
                        Fault.on(Operation.SYNC, "a").misdirected(1),
                        Fault.on(Operation.WRITE, "a").flipBit(0, 0),
                        Fault.on(Operation.WRITE, "a").sync(SyncOutcome.LIED),
                        Fault.on(Operation.SYNC_DIRECTORY, "").sync(SyncOutcome.REVERTED),
                        Fault.on(Operation.RENAME, "a").error(Fault.IO_ERROR, Arrival.SOME),
                        Fault.on(Operation.READ, "a").error(Fault.IO_ERROR, Arrival.ALL))) {
            assertThatThrownBy(() -> faults.add(impossible))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("no such fault");
        }
    }

    private void writeUnchecked(int fill) {
        try {
            file.write(0, filled(PAGE, fill));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
