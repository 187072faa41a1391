// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.io.file.FileMode;
import dev.holdfast.io.file.FileSystemDirectory;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SimulatedDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a new store is told of its device; wrong, its cleaner would be too lazy or flood it. */
final class DeviceProbeTest {
    private static final int PAGE = 8192;
    private static final String NAME = "probe";

    private final SimulatedDisk disk = SimulatedDisk.create();

    @Test
    void givenADeviceOfKnownSpeed_whenMeasured_thenItIsHalfOfThat() throws IOException {
        int pages =
                DeviceProbe.pagesPerSecond(
                        disk.directory(), NAME, PAGE, roundsOf(TimeUnit.MILLISECONDS.toNanos(4)));

        assertThat(pages).isEqualTo(250 * DeviceProbe.ROUND_PAGES / 2);
        assertThat(disk.directory().list("")).isEmpty();
        assertThat(disk.openFiles()).isEmpty();
    }

    @Test
    void givenVeryFastAndVerySlowDevices_whenMeasured_thenTheBoundsHold() throws IOException {
        int most = DeviceProbe.pagesPerSecond(disk.directory(), NAME, PAGE, roundsOf(1000));
        int least =
                DeviceProbe.pagesPerSecond(
                        disk.directory(), NAME, PAGE, roundsOf(TimeUnit.SECONDS.toNanos(1)));

        assertThat(most).isEqualTo(DeviceProbe.MOST);
        assertThat(least).isEqualTo(DeviceProbe.LEAST);
    }

    @Test
    void givenADeviceThatRefuses_whenMeasured_thenItSaysSoAndNoFileIsLeft() {
        disk.faults().add(Fault.on(Operation.SYNC, NAME).sticky().error(Fault.IO_ERROR));

        assertThatThrownBy(
                        () ->
                                DeviceProbe.pagesPerSecond(
                                        disk.directory(), NAME, PAGE, roundsOf(1000)))
                .isInstanceOf(IOException.class);

        assertThat(disk.openFiles()).isEmpty();
    }

    @Test
    void givenARealDevice_whenMeasured_thenItIsANumberWithinBounds(@TempDir Path temporary)
            throws IOException {
        try (StorageDirectory directory = FileSystemDirectory.open(temporary, FileMode.BUFFERED)) {
            int pages = DeviceProbe.pagesPerSecond(directory, NAME, PAGE);

            assertThat(pages).isBetween(DeviceProbe.LEAST, DeviceProbe.MOST);
            assertThat(directory.list("")).isEmpty();
        }
    }

    /** A clock for which each round takes so long. */
    private static LongSupplier roundsOf(long nanos) {
        AtomicLong now = new AtomicLong(-nanos);
        return () -> now.addAndGet(nanos);
    }
}
