// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.redo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DiskFullException;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SimulatedDisk;
import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** If this failed, a record that a failed sync lost could be called durable by who writes next. */
final class CheckpointFileTest {
    private static final UUID STORE = new UUID(3, 4);

    private final SimulatedDisk disk = SimulatedDisk.create();
    private CheckpointFile file;

    @BeforeEach
    void create() throws IOException {
        CheckpointRecord first =
                CheckpointRecord.first(1, 16, 16, 4096, new RedoLayout(4, 1 << 17));
        file = CheckpointFile.create(disk.directory(), STORE, first);
        disk.directory().syncDirectory("");
    }

    @AfterEach
    void close() throws IOException {
        file.close();
    }

    @Test
    void givenAnUpdate_whenThePowerFails_thenItIsThere() throws IOException {
        CheckpointRecord written = update();

        SimulatedDisk powerless = disk.crash(CrashMode.NOTHING_PENDING, 0).disk();

        try (CheckpointFile again = CheckpointFile.open(powerless.directory(), STORE)) {
            assertThat(again.newest()).isEqualTo(written);
            assertThat(again.oneWasUnreadable()).isFalse();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Operation.class,
            names = {"WRITE", "SYNC"})
    void givenAnUpdateThatFailed_whenUpdatedAgain_thenThatFailsTooAndNothingIsWritten(
            Operation operation) throws IOException {
        CheckpointRecord before = update();
        disk.faults().add(Fault.on(operation, CheckpointFile.NAME).nth(1).error(Fault.IO_ERROR));
        assertThatThrownBy(this::update).isInstanceOf(IOException.class);
        int events = disk.eventCount();

        assertThatThrownBy(this::update)
                .isInstanceOf(IOException.class)
                .hasMessage("an earlier update failed: file=checkpoint")
                .hasRootCauseMessage(Fault.IO_ERROR);

        assertThat(disk.eventCount()).isEqualTo(events);
        assertThat(file.newest()).isEqualTo(before);
    }

    @Test
    void givenAnUpdateThatFoundNoRoom_whenThereIsRoom_thenTheNextOneIsWritten() throws IOException {
        CheckpointRecord before = update();
        disk.faults().add(Fault.on(Operation.WRITE, "checkpoint").nth(1).error(Fault.NO_SPACE));

        assertThatThrownBy(this::update).isInstanceOf(DiskFullException.class);

        assertThat(file.newest()).isEqualTo(before);
        assertThat(update().sequence()).isEqualTo(before.sequence() + 1);
    }

    private CheckpointRecord update() throws IOException {
        return file.update(
                record -> record.withHighWater(record.transactionIdHighWater() + 1, 20, 20));
    }
}
