// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** If this failed, a crash that was seen once could not be seen again. */
final class TraceFileTest {
    @Test
    void givenATraceOfAllKindsOfEvents_whenWrittenAndRead_thenEachCrashIsTheSame(
            @TempDir Path temporary) throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        disk.directory().createDirectory("d");
        try (StorageFile file = disk.directory().create("d/a")) {
            disk.directory().syncDirectory("d");
            file.write(100, TestBytes.filled(9000, 7));
            file.sync(true);
            disk.mark("one");
            file.write(5000, TestBytes.filled(5000, 8));
            file.truncate(7000);
        }
        disk.directory().rename("d/a", "d/b");
        disk.damage("d/b", 300, new byte[] {1, 2, 3});
        disk.mark("two");
        disk.directory().delete("d/b");
        Path file = temporary.resolve("sub/trace");

        TraceFile.write(disk.trace(), file, Object::toString);
        Trace read = TraceFile.read(file, text -> text);

        assertThat(read.fingerprint()).isEqualTo(disk.trace().fingerprint());
        assertThat(read.marksBefore(read.eventCount())).containsExactly("one", "two");
        for (int point = 0; point <= read.eventCount(); point++) {
            for (CrashMode mode : CrashMode.values()) {
                assertThat(CrashImage.build(read, point, mode, 5).contentHash())
                        .isEqualTo(CrashImage.build(disk.trace(), point, mode, 5).contentHash());
            }
        }
    }
}
