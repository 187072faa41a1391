// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.CloseMode;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.core.db.EngineAssembly;
import dev.holdfast.core.db.TestEngines;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.sim.CrashImage;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.SimulatedDisk;
import dev.holdfast.io.sim.Trace;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/**
 * A process dies in an open that makes files, the next open is used, and then the power fails. If
 * this failed, a name that the first open had given and not yet synced would be taken for durable,
 * and rows that were acknowledged would go with it.
 */
final class NamesCrashTest {
    private static final byte[] KEY = "k".getBytes(UTF_8);
    private static final byte[] VALUE = "v".getBytes(UTF_8);
    private static final EngineOptions SMALL =
            TestEngines.small().closeMode(CloseMode.FAST).build();

    @Test
    void givenACreation_whenTheProcessDiesInItAndThePowerLater_thenWhatWasPutIsThere()
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        EngineAssembly.open(disk.directory(), SMALL).close();

        everywhere(disk.trace(), SMALL);
    }

    @Test
    void givenALogThatIsCutAnew_whenTheProcessDiesInItAndThePowerLater_thenWhatWasPutIsThere()
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        EngineOptions clean = TestEngines.small().build();
        EngineAssembly.open(disk.directory(), clean).close();
        SimulatedDisk cut = disk.crash(CrashMode.NOTHING_PENDING, 0).disk();
        EngineOptions longer = clean.toBuilder().redoCapacityBytes(2 << 20).build();
        EngineAssembly.open(cut.directory(), longer).close();

        everywhere(cut.trace(), longer);
    }

    @Test
    void givenMoreSlots_whenTheProcessDiesInTheOpenAndThePowerLater_thenTheirFilesAreThere()
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        EngineAssembly.open(disk.directory(), SMALL).close();
        SimulatedDisk more = disk.crash(CrashMode.NOTHING_PENDING, 0).disk();
        EngineOptions slots = SMALL.toBuilder().doublewriteSlots(4).build();
        EngineAssembly.open(more.directory(), slots).close();

        everywhere(more.trace(), slots);
    }

    private static void everywhere(Trace trace, EngineOptions options) throws IOException {
        for (int point : trace.borders()) {
            SimulatedDisk killed =
                    CrashImage.build(trace, point, CrashMode.PROCESS_KILLED, 0).disk();
            try (Engine engine = EngineAssembly.open(killed.directory(), options)) {
                put(engine);
                engine.checkpoint();
                SimulatedDisk powerless = killed.crash(CrashMode.NOTHING_PENDING, 0).disk();
                assertThat(namesOf(powerless.directory()))
                        .as("names when the process died before event %s", point)
                        .isEqualTo(namesOf(killed.directory()));
                assertThat(get(powerless, options)).as("row, %s", point).isEqualTo(VALUE);
            }
        }
    }

    private static String namesOf(StorageDirectory directory) throws IOException {
        return directory.list("")
                + " "
                + directory.list("redo")
                + " "
                + directory.list("doublewrite");
    }

    private static void put(Engine engine) {
        engine.write(
                transaction -> {
                    transaction.put(engine.table("t"), KEY, VALUE);
                    return null;
                });
    }

    private static byte[] get(SimulatedDisk disk, EngineOptions options) {
        try (Engine engine = EngineAssembly.open(disk.directory(), options)) {
            return engine.read(snapshot -> snapshot.get(engine.table("t"), KEY));
        }
    }
}
