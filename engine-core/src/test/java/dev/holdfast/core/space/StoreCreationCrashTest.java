// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.sim.CrashHarness;
import dev.holdfast.io.sim.CrashImage;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.CrashReport;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.SimulatedDisk;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * If this failed, a crash during the creation of a store could leave a directory that can neither
 * be opened nor be created in, or a store that was acknowledged could be taken for an unborn one.
 */
@ExtendWith(SeedExtension.class)
final class StoreCreationCrashTest {
    private static final String BORN = "born";
    private static final StoreIdentity STORE = StoreIdentity.create(new UUID(3, 4), 4096);

    @AfterEach
    void resetHooks() {
        TestHooks.reset();
    }

    @Test
    void givenACreation_whenCrashedEverywhere_thenTheStoreIsBornOrCanBeCreatedAnew(
            SeededRandom random) throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        create(disk);

        CrashReport report =
                new CrashHarness("creation", disk.trace(), random.seed())
                        .images(SeedExtension.everydayOrSoak(400, 5_000))
                        .nested(3, 0.2, 0.4, 6)
                        .run(StoreCreationCrashTest::recoverAndCheck);

        assertThat(report.recoveryPaths().keySet())
                .as(report.toText())
                .contains("EMPTY", "UNBORN", "BORN");
        assertThat(report.lossyImages()).as(report.toText()).isPositive();
    }

    @Test
    void givenNoDirectorySync_whenCrashed_thenItIsNoticed(SeededRandom random) throws IOException {
        TestHooks.plant(PlantedFault.NO_DIRECTORY_SYNC);
        SimulatedDisk disk = SimulatedDisk.create();
        create(disk);
        TestHooks.unplant(PlantedFault.NO_DIRECTORY_SYNC);

        CrashHarness harness =
                new CrashHarness("creation", disk.trace(), random.seed())
                        .images(300)
                        .shrinkTries(10);
        assertThatThrownBy(() -> harness.run(StoreCreationCrashTest::recoverAndCheck))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void givenEachStepOfACreation_whenThePowerFailsBehindIt_thenWhatTheNextRestsOnIsThere()
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        StorageDirectory directory = disk.directory();

        StoreCreation.begin(directory, STORE);
        assertThat(StoreCreation.inspect(powerless(disk))).isEqualTo(StoreCreation.State.UNBORN);
        createFiles(directory);
        disk.faults().add(Fault.on(Operation.RENAME, "*").error(Fault.IO_ERROR));
        assertThatThrownBy(() -> StoreCreation.finish(directory)).isInstanceOf(IOException.class);
        assertThat(names(powerless(disk))).isEqualTo(names(directory)).hasSize(4);
        disk.faults().clear();
        StoreCreation.finish(directory);

        assertThat(StoreCreation.inspect(powerless(disk))).isEqualTo(StoreCreation.State.BORN);
    }

    @Test
    void givenAnUnbornStoreThatIsRemoved_whenThePowerFails_thenTheUnbornNameWasTheLastToGo()
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        StorageDirectory directory = disk.directory();
        StoreCreation.begin(directory, STORE);
        createFiles(directory);
        StoreCreation.syncNames(directory);

        disk.faults()
                .add(Fault.on(Operation.DELETE, StoreFiles.IDENTITY_NEW).error(Fault.IO_ERROR));
        assertThatThrownBy(() -> StoreCreation.clean(directory)).isInstanceOf(IOException.class);
        assertThat(names(powerless(disk))).containsExactly(StoreFiles.IDENTITY_NEW);
        disk.faults().clear();
        StoreCreation.clean(directory);

        assertThat(StoreCreation.inspect(powerless(disk))).isEqualTo(StoreCreation.State.EMPTY);
    }

    private static void createFiles(StorageDirectory directory) throws IOException {
        for (String name : List.of("main.hfs", "redo/000.hfl", "doublewrite/0.hfd")) {
            directory.create(name).close();
        }
    }

    private static StorageDirectory powerless(SimulatedDisk disk) {
        return disk.crash(CrashMode.NOTHING_PENDING, 0).disk().directory();
    }

    private static List<String> names(StorageDirectory directory) throws IOException {
        List<String> names = new ArrayList<>(directory.list(""));
        names.addAll(directory.list("redo"));
        names.addAll(directory.list("doublewrite"));
        return names;
    }

    private static void create(SimulatedDisk disk) throws IOException {
        StorageDirectory directory = disk.directory();
        StoreCreation.begin(directory, STORE);
        SpaceFiles files = new SpaceFiles(directory, STORE, PageChecksums.CRC32C);
        files.create(1);
        files.create(2);
        directory.create("redo/000.hfl").close();
        directory.create("doublewrite/0.hfd").close();
        files.close();
        StoreCreation.finish(directory);
        disk.mark(BORN);
    }

    private static String recoverAndCheck(CrashImage image) throws IOException {
        StorageDirectory directory = image.disk().directory();
        StoreCreation.State state = StoreCreation.inspect(directory);
        if (state != StoreCreation.State.BORN) {
            assertThat(image.marks()).as("acknowledged, but %s", state).doesNotContain(BORN);
            if (state == StoreCreation.State.UNBORN) {
                StoreCreation.clean(directory);
            }
            create(image.disk());
        }
        assertThat(StoreCreation.inspect(directory)).isEqualTo(StoreCreation.State.BORN);
        assertThat(StoreIdentity.readFile(directory)).contains(STORE);
        assertThat(directory.exists("redo/000.hfl")).isTrue();
        assertThat(directory.exists("doublewrite/0.hfd")).isTrue();
        SpaceFiles files = new SpaceFiles(directory, STORE, PageChecksums.CRC32C);
        files.openAll();
        assertThat(files.spaceIds()).containsExactly(1, 2);
        files.checkHeader(1);
        files.checkHeader(2);
        files.close();
        return state.name();
    }
}
