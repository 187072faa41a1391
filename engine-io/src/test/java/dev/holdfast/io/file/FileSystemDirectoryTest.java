// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What only real directories have: permissions, links, alignment, directories that are absent. */
final class FileSystemDirectoryTest {
    private static final int PAGE_BYTES = 4096;

    @TempDir private Path path;

    @Test
    void givenNewFilesAndDirectories_whenCreated_thenOnlyTheirOwnerMayUseThem() throws IOException {
        Path root = path.resolve("parent").resolve("store");
        try (FileSystemDirectory directory = FileSystemDirectory.create(root, FileMode.BUFFERED)) {

            directory.createDirectory("redo");
            directory.create("redo/1.hfl").close();
            directory.lock().close();

            assertThat(permissions(root.getParent())).isEqualTo("rwx------");
            assertThat(permissions(root)).isEqualTo("rwx------");
            assertThat(permissions(root.resolve("redo"))).isEqualTo("rwx------");
            assertThat(permissions(root.resolve("redo/1.hfl"))).isEqualTo("rw-------");
            assertThat(permissions(root.resolve("lock"))).isEqualTo("rw-------");
        }
    }

    @Test
    void givenADirectoryThatExists_whenCreated_thenItIsOpenedAsItIs() throws IOException {
        Files.createFile(path.resolve("a.hfs"));

        try (FileSystemDirectory directory = FileSystemDirectory.create(path, FileMode.BUFFERED)) {

            assertThat(directory.list("")).containsExactly("a.hfs");
            assertThat(directory.describe()).isEqualTo(path.toRealPath().toString());
        }
    }

    @Test
    void givenNoDirectory_whenOpened_thenNothingIsCreated() throws IOException {
        Path file = Files.createFile(path.resolve("file"));

        assertThatThrownBy(
                        () -> FileSystemDirectory.open(path.resolve("absent"), FileMode.BUFFERED))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> FileSystemDirectory.open(file, FileMode.BUFFERED))
                .isInstanceOf(NotDirectoryException.class);

        assertThat(path.resolve("absent")).doesNotExist();
    }

    @Test
    void givenALinkOrADirectoryInPlaceOfAFile_whenUsed_thenItIsRefused() throws IOException {
        Path outside = Files.writeString(path.resolve("outside"), "not ours");
        Path root = Files.createDirectory(path.resolve("store"));
        Files.createSymbolicLink(root.resolve("link.hfs"), outside);
        Files.createDirectory(root.resolve("directory.hfs"));
        try (FileSystemDirectory directory = FileSystemDirectory.open(root, FileMode.BUFFERED)) {
            for (String name : new String[] {"link.hfs", "directory.hfs"}) {

                assertThatThrownBy(() -> directory.open(name))
                        .isInstanceOf(FileSystemException.class)
                        .isInstanceOf(NotRegularFileException.class)
                        .hasMessageContaining("not a regular file but a ");
                assertThatThrownBy(() -> directory.delete(name))
                        .isInstanceOf(FileSystemException.class);
                assertThatThrownBy(() -> directory.rename(name, "b.hfs"))
                        .isInstanceOf(FileSystemException.class);
                assertThat(directory.exists(name)).isFalse();
            }

            assertThat(directory.list("")).isEmpty();
        }
        assertThat(outside).hasContent("not ours");
    }

    @Test
    void givenTheLockAsALink_whenLocked_thenItIsRefusedAndTheTargetIsWhole() throws IOException {
        Path outside = Files.writeString(path.resolve("outside"), "not ours");
        Path root = Files.createDirectory(path.resolve("store"));
        Files.createSymbolicLink(root.resolve("lock"), outside);
        try (FileSystemDirectory directory = FileSystemDirectory.open(root, FileMode.BUFFERED)) {

            assertThatThrownBy(directory::lock).isInstanceOf(IOException.class);
            Files.delete(root.resolve("lock"));

            directory.lock().close();
        }
        assertThat(outside).hasContent("not ours");
    }

    @Test
    void givenTransfersThatAreNotAligned_whenDirect_thenTheMessageSaysWhichValue()
            throws IOException {
        try (FileSystemDirectory directory = FileSystemDirectory.open(path, FileMode.DIRECT);
                StorageFile file = directory.create("a.hfs")) {
            ByteBuffer askew = StorageContract.pages(2, 0).slice(8, PAGE_BYTES);

            assertThatThrownBy(() -> file.write(512, StorageContract.pages(1, 0)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("position=512");
            assertThatThrownBy(() -> file.write(0, StorageContract.pages(1, 0).limit(512)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("bytes=512");
            assertThatThrownBy(() -> file.write(0, askew))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("addressRest=8");
            assertThatThrownBy(() -> file.zeroFill(0, 512))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("to=512");
            assertThatThrownBy(() -> file.truncate(512))
                    .isInstanceOf(IllegalArgumentException.class);

            assertThat(file.length()).isZero();
        }
    }

    @Test
    void givenAJdkWithoutTheOption_whenDirectIsLookedUp_thenTheErrorSaysWhatIsMissing()
            throws IOException {
        assertThat(DirectOption.find()).isNotNull();

        assertThatThrownBy(() -> DirectOption.find("com.example.Absent", "DIRECT"))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "direct file mode is not available on this JDK: "
                                + "option=com.example.Absent.DIRECT, module=jdk.unsupported");
        assertThatThrownBy(() -> DirectOption.find("java.nio.file.StandardOpenOption", "DIRECT"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("StandardOpenOption.DIRECT");
    }

    private static String permissions(Path file) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
    }
}
