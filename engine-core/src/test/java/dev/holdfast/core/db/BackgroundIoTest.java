// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.core.space.StoreFiles;
import dev.holdfast.core.space.StoreIdentity;
import dev.holdfast.io.file.FileMode;
import dev.holdfast.io.file.FileSystemDirectory;
import dev.holdfast.io.sim.SimulatedDisk;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** If this failed, background work would go by another number than the user or the device says. */
@ExtendWith(VerifyAfterTest.class)
final class BackgroundIoTest {
    private static final Pattern CAPACITY = Pattern.compile("ioCapacity=(\\d+), .*, origin=(\\w+)");

    @TempDir private Path directory;

    @Test
    void givenANewStoreOnADevice_whenOpenedTwice_thenItWasMeasuredOnceAndTheNumberIsKept(
            TestEngines engines) throws Exception {
        Engine first = engines.open(directory, TestEngines.small().build());
        String capacity = capacity(first);
        first.close();
        String identity = Files.readString(directory.resolve(StoreFiles.IDENTITY));
        Engine second = engines.open(directory, TestEngines.small().build());

        assertThat(capacity).endsWith(" measured");
        assertThat(identity).contains("\nioCapacity = " + capacity.split(" ", -1)[0] + "\n");
        assertThat(capacity(second)).isEqualTo(capacity);
        assertThat(directory.resolve(StoreFiles.PROBE)).doesNotExist();
    }

    @Test
    void givenANumber_whenAStoreIsCreated_thenItCountsAndNothingIsMeasured(TestEngines engines)
            throws Exception {
        EngineOptions options =
                TestEngines.small().ioCapacity(6000).ioReadThreads(2).ioWriteThreads(5).build();
        Engine engine = engines.open(directory, options);
        String capacity = capacity(engine);
        String status = engine.status();
        engine.close();
        Engine again = engines.open(directory, TestEngines.small().build());

        assertThat(capacity).isEqualTo("6000 given");
        assertThat(status).containsPattern("write: threads=\\d of 5").contains("of 2");
        assertThat(Files.readString(directory.resolve(StoreFiles.IDENTITY)))
                .doesNotContain("ioCapacity");
        assertThat(capacity(again)).isEqualTo("2000 assumed");
    }

    @Test
    void givenFilesInMemoryOrOnNoRealDisk_whenOpened_thenNothingIsMeasured(TestEngines engines) {
        Engine inMemory = engines.open();
        Engine simulated = engines.open(SimulatedDisk.create(), TestEngines.small().build());

        assertThat(capacity(inMemory)).isEqualTo("100000 memory");
        assertThat(capacity(simulated)).isEqualTo("2000 assumed");
    }

    @Test
    void givenADeviceThatCannotBeMeasured_whenCreated_thenTheStoreIsCreatedAllTheSame()
            throws Exception {
        StoreIdentity identity = StoreIdentity.create(new UUID(1, 2), 4096);
        try (FileSystemDirectory files = FileSystemDirectory.open(directory, FileMode.BUFFERED)) {
            files.create(StoreFiles.PROBE).close();

            StoreIdentity measured =
                    BackgroundIo.measured(files, identity, TestEngines.small().build());

            assertThat(measured).isEqualTo(identity);
        }
    }

    private static String capacity(Engine engine) {
        Matcher matcher = CAPACITY.matcher(engine.status());
        assertThat(matcher.find()).isTrue();
        return matcher.group(1) + ' ' + matcher.group(2);
    }
}
