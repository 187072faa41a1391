// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CloseMode;
import dev.holdfast.CorruptionException;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.FormatException;
import dev.holdfast.StorageException;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * If this failed, an open would take what is no store for one, go on over missing or damaged files,
 * or leave something behind when it refuses.
 */
@ExtendWith(VerifyAfterTest.class)
final class EngineOpenFaultTest {
    private static final EngineOptions OPTIONS = TestEngines.small().build();
    private static final EngineOptions FAST = TestEngines.small().closeMode(CloseMode.FAST).build();

    @TempDir Path directory;

    @Test
    void givenNoStore_whenOneMustExist_thenItIsRefused() {
        EngineOptions options = TestEngines.small().createIfMissing(false).build();

        assertThatThrownBy(() -> Engine.open(directory.resolve("none"), options))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("there is no store");
        assertThatThrownBy(() -> Engine.open(directory, options))
                .isInstanceOf(FormatException.class);
        assertThat(directory.resolve("none")).doesNotExist();
    }

    @Test
    void givenFilesOfSomebodyElse_whenOpened_thenTheyAreNotTouched() throws IOException {
        Files.writeString(directory.resolve("letter.txt"), "dear");

        assertThatThrownBy(() -> Engine.open(directory, OPTIONS))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("letter.txt");
        assertThat(Files.readString(directory.resolve("letter.txt"))).isEqualTo("dear");
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left.map(path -> path.getFileName().toString()))
                    .as("to delete the lock could let a third in beside a second")
                    .containsExactlyInAnyOrder("letter.txt", "lock");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"main.hfs", "undo-2.hfs", "space-16.hfs", "redo/001.hfl", "checkpoint"})
    void givenSomethingElseInPlaceOfAFile_whenOpened_thenItIsSaidWhatStandsThere(
            String name, TestEngines engines) throws IOException {
        Engine engine = engines.open(directory, FAST);
        engines.unverified(engine);
        put(engine);
        engine.close();
        Path file = directory.resolve(name);
        Path moved = Files.move(file, directory.resolve("moved"));

        Files.createDirectory(file);
        assertThatThrownBy(() -> Engine.open(directory, FAST))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining(name)
                .hasMessageEndingWith("found=a directory");

        Files.delete(file);
        Files.createSymbolicLink(file, moved);
        assertThatThrownBy(() -> Engine.open(directory, FAST))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining(name)
                .hasMessageEndingWith("found=a symbolic link");

        Files.delete(file);
        Files.move(moved, file);
        try (Engine again = Engine.open(directory, FAST)) {
            assertThat(get(again)).isEqualTo("v");
        }
    }

    @Test
    void givenACreationThatWasCut_whenOpened_thenItBeginsAnew(TestEngines engines)
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        disk.faults().add(Fault.on(Operation.RENAME, "*").sticky().error(Fault.IO_ERROR));
        assertThatThrownBy(() -> EngineAssembly.open(disk.directory(), OPTIONS))
                .isInstanceOf(StorageException.class);
        assertThat(disk.openFiles()).isEmpty();
        assertThat(disk.isLocked()).isFalse();
        disk.faults().clear();

        Engine engine = engines.open(disk, OPTIONS);

        put(engine);
        assertThat(get(engine)).isEqualTo("v");
    }

    @ParameterizedTest
    @ValueSource(strings = {"main.hfs", "undo-2.hfs", "undo-3.hfs", "space-16.hfs", "checkpoint"})
    void givenAFileThatIsMissing_whenOpened_thenItIsNamed(String name, TestEngines engines)
            throws IOException {
        MemoryDirectory memory = store(engines, OPTIONS);
        memory.reopen().delete(name);

        assertThatThrownBy(() -> EngineAssembly.open(memory.reopen(), OPTIONS))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining(name);
        assertThat(VerifyAfterTest.threads()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 6})
    void givenAFurtherUndoSpaceThatIsMissing_whenOpened_thenItIsNamed(int lost, TestEngines engines)
            throws IOException {
        EngineOptions options = OPTIONS.toBuilder().undoSpaces(5).build();
        MemoryDirectory memory = store(engines, options);
        String name = "undo-" + lost + ".hfs";
        memory.reopen().delete(name);

        assertThatThrownBy(() -> EngineAssembly.open(memory.reopen(), options))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining(name);
    }

    @Test
    void givenALostIdentity_whenItIsRestored_thenAFurtherUndoSpaceIsStillMissed(TestEngines engines)
            throws IOException {
        EngineOptions options = OPTIONS.toBuilder().undoSpaces(3).build();
        MemoryDirectory memory = store(engines, options);
        try (StorageFile identity = memory.reopen().open("holdfast.id")) {
            ByteBuffer garbage = ByteBuffer.allocateDirect(4096);
            identity.write(0, garbage);
        }
        engines.open(memory, options).close();
        memory.reopen().delete("undo-4.hfs");

        assertThatThrownBy(() -> EngineAssembly.open(memory.reopen(), options))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("undo-4.hfs");
    }

    @Test
    void givenAMissingSegment_whenTheCloseWasNotClean_thenItIsRefused(TestEngines engines)
            throws IOException {
        MemoryDirectory memory = store(engines, FAST);
        memory.reopen().delete("redo/000.hfl");

        assertThatThrownBy(() -> EngineAssembly.open(memory.reopen(), FAST))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("redo/000.hfl");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void givenMissingSegments_whenTheCloseWasClean_thenTheyAreMadeAnew(
            int missing, TestEngines engines) throws IOException {
        MemoryDirectory memory = store(engines, OPTIONS);
        for (int i = 0; i < missing; i++) {
            memory.reopen().delete("redo/00" + i + ".hfl");
        }

        Engine engine = engines.open(memory, OPTIONS);

        assertThat(get(engine)).isEqualTo("v");
    }

    @Test
    void givenADamagedLogBelowAProof_whenOpened_thenItIsRefused(TestEngines engines)
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, FAST);
        for (int i = 0; i < 10; i++) {
            put(engine);
        }
        engine.close();
        disk.flipBit("redo/000.hfl", 4096 * 3 + 200, 3);

        assertThatThrownBy(() -> EngineAssembly.open(disk.directory(), FAST))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("redo/000.hfl");
        assertThat(disk.openFiles()).isEmpty();
        engines.unverified(engine);
    }

    @Test
    void givenADamagedCheckpointBlock_whenOpened_thenTheOtherOneServes(TestEngines engines)
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, FAST);
        put(engine);
        engine.close();
        disk.flipBit("checkpoint", 100, 1);

        Engine again = engines.open(disk, FAST);
        assertThat(get(again)).isEqualTo("v");
        again.close();
        disk.flipBit("checkpoint", 4096 + 100, 1);

        assertThat(get(engines.open(disk, FAST))).isEqualTo("v");
    }

    @Test
    void givenBothCheckpointBlocksDamaged_whenOpened_thenItIsRefused(TestEngines engines)
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, OPTIONS);
        engine.close();
        engines.unverified(engine);
        disk.flipBit("checkpoint", 100, 1);
        disk.flipBit("checkpoint", 4096 + 100, 1);

        assertThatThrownBy(() -> EngineAssembly.open(disk.directory(), OPTIONS))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("checkpoint");
    }

    @Test
    void givenADamagedIdentity_whenOpened_thenItIsRestored(TestEngines engines) throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, OPTIONS);
        put(engine);
        engine.close();
        byte[] before = disk.contents("holdfast.id");
        disk.flipBit("holdfast.id", 20, 1);

        Engine again = engines.open(disk, OPTIONS);

        assertThat(get(again)).isEqualTo("v");
        assertThat(disk.contents("holdfast.id")).isEqualTo(before);
    }

    @Test
    void givenAFileOfAnotherStore_whenOpened_thenItIsRefused(TestEngines engines)
            throws IOException {
        MemoryDirectory memory = store(engines, OPTIONS);
        MemoryDirectory other = store(engines, OPTIONS);
        copy(other, memory, "space-16.hfs");

        assertThatThrownBy(() -> EngineAssembly.open(memory.reopen(), OPTIONS))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("space-16.hfs")
                .hasMessageContaining("another store");
    }

    @Test
    void givenACutDataFile_whenOpened_thenItIsRefused(TestEngines engines) throws IOException {
        MemoryDirectory memory = store(engines, OPTIONS);
        try (StorageFile file = memory.reopen().open("space-16.hfs")) {
            file.truncate(file.length() - 4096);
        }

        assertThatThrownBy(() -> EngineAssembly.open(memory.reopen(), OPTIONS))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("space-16.hfs");
    }

    @Test
    void givenAFileThatNoTableNames_whenOpened_thenItIsDeleted(TestEngines engines)
            throws IOException {
        MemoryDirectory memory = store(engines, OPTIONS);
        try (StorageFile file = memory.reopen().create("space-99.hfs")) {
            file.zeroFill(0, 4096 * 4);
        }

        Engine engine = engines.open(memory, OPTIONS);

        assertThat(memory.reopen().list("")).doesNotContain("space-99.hfs");
        assertThat(get(engine)).isEqualTo("v");
    }

    @Test
    void givenAPageAboveTheLogsEnd_whenOpened_thenItIsRefused(TestEngines engines)
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, OPTIONS);
        SimulatedDisk early = disk.crash(CrashMode.PROCESS_KILLED, 0).disk();
        for (int i = 0; i < 50; i++) {
            put(engine);
        }
        engine.close();
        engines.unverified(engine);
        byte[] newer = disk.contents("main.hfs");
        early.damage("main.hfs", 0, newer);

        assertThatThrownBy(
                        () -> {
                            try (Engine mixed = EngineAssembly.open(early.directory(), OPTIONS)) {
                                put(mixed);
                            }
                        })
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("main.hfs")
                .hasMessageContaining("pageLsn");
    }

    @Test
    void givenAReadThatFailsOnce_whenOpened_thenItIsTriedAgain(TestEngines engines)
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, FAST);
        put(engine);
        engine.checkpoint(); // leaves copies: the third read is that of a repair
        engine.close();
        disk.faults().add(Fault.on(Operation.READ, "main.hfs").nth(3).error(Fault.IO_ERROR));

        assertThat(get(engines.open(disk, FAST))).isEqualTo("v");
    }

    @ParameterizedTest
    @ValueSource(strings = {"checkpoint", "redo/*", "doublewrite/*", "main.hfs", "undo-2.hfs"})
    void givenASyncThatFails_whenOpening_thenNothingIsLeftOpen(String name, TestEngines engines)
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, FAST);
        put(engine);
        engine.close();
        disk.faults().add(Fault.on(Operation.SYNC, name).nth(1).error(Fault.IO_ERROR));

        assertThatThrownBy(() -> EngineAssembly.open(disk.directory(), FAST))
                .isInstanceOf(StorageException.class);
        assertThat(disk.openFiles()).isEmpty();
        assertThat(disk.isLocked()).isFalse();
        assertThat(VerifyAfterTest.threads()).isEmpty();

        assertThat(get(engines.open(disk, FAST))).isEqualTo("v");
    }

    private static MemoryDirectory store(TestEngines engines, EngineOptions options) {
        MemoryDirectory memory = MemoryDirectory.create();
        Engine engine = engines.open(memory, options);
        put(engine);
        engine.close();
        engines.unverified(engine);
        return memory;
    }

    private static void copy(MemoryDirectory from, MemoryDirectory to, String name)
            throws IOException {
        try (StorageFile source = from.reopen().open(name);
                StorageFile target = to.reopen().open(name)) {
            ByteBuffer bytes = ByteBuffer.allocateDirect((int) source.length());
            source.read(0, bytes);
            target.write(0, bytes.flip());
        }
    }

    private static void put(Engine engine) {
        Table shared = engine.table("t");
        Table own = engine.table("own", TableOptions.ownSpace());
        engine.write(
                transaction -> {
                    for (Table table : List.of(shared, own)) {
                        transaction.put(table, "k".getBytes(UTF_8), "v".getBytes(UTF_8));
                    }
                    return null;
                });
    }

    private static String get(Engine engine) {
        Table table = engine.table("own", TableOptions.ownSpace());
        byte[] value = engine.read(snapshot -> snapshot.get(table, "k".getBytes(UTF_8)));
        return value == null ? null : new String(value, UTF_8);
    }
}
