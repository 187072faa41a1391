// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.DiskFullException;
import dev.holdfast.EngineClosedException;
import dev.holdfast.FormatException;
import dev.holdfast.StorageException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import org.junit.jupiter.api.Test;

/** If this failed, who cannot open a store would be told a path and not what is wrong with it. */
final class OpenErrorsTest {
    @Test
    void givenAFileThatMayNotBeRead_whenOpened_thenTheKindIsNamed() {
        RuntimeException error = OpenErrors.of("/d", new AccessDeniedException("/d/main.hfs"));

        assertThat(error)
                .isInstanceOf(StorageException.class)
                .hasMessage("opening failed: directory=/d, reason=access denied, file=/d/main.hfs");
    }

    @Test
    void givenOtherRefusals_whenTheirMessageIsThePathAlone_thenTheKindIsNamed() {
        assertThat(OpenErrors.of("/d", new FileAlreadyExistsException("/d/lock")))
                .isInstanceOf(StorageException.class)
                .hasMessageContaining("FileAlreadyExistsException: /d/lock");
        assertThat(OpenErrors.of("/d", new FileSystemException("/d/f", null, "Is a directory")))
                .hasMessageEndingWith("reason=/d/f: Is a directory");
        assertThat(OpenErrors.of("/d", new IOException()))
                .hasMessageEndingWith("reason=java.io.IOException");
    }

    @Test
    void givenAFileThatIsMissing_whenOpened_thenTheStoreIsDamaged() {
        NoSuchFileException missing = new NoSuchFileException("checkpoint");

        assertThat(OpenErrors.of("/d", missing))
                .isInstanceOf(CorruptionException.class)
                .hasMessage("file is missing: file=checkpoint, expected=a file, found=none")
                .hasCause(missing);
        assertThat(OpenErrors.ofDirectory("/d", new NoSuchFileException("/d")))
                .isInstanceOf(FormatException.class);
    }

    @Test
    void givenADiskThatIsFull_whenAStoreIsCreated_thenThatIsSaid() {
        IOException full = new IOException("No space left on device");

        assertThat(OpenErrors.of("/d", full)).isInstanceOf(DiskFullException.class).hasCause(full);
    }

    @Test
    void givenErrorsOfTheEngine_whenOpened_thenTheyAreThrownOnAsTheyAre() {
        EngineClosedException own = new EngineClosedException("s");
        OutOfMemoryError error = new OutOfMemoryError("test");

        assertThat(OpenErrors.of("/d", own)).isSameAs(own);
        assertThatThrownBy(() -> OpenErrors.of("/d", error)).isSameAs(error);
    }
}
