// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The lock among processes and class loaders. Were it broken, two engines would write one store,
 * and the first sign would be a store that no longer opens.
 */
@Timeout(60)
final class DirectoryLockIT {

    @TempDir private Path path;

    private FileSystemDirectory directory;

    @BeforeEach
    void openDirectory() throws IOException {
        directory = FileSystemDirectory.open(path, FileMode.BUFFERED);
    }

    @AfterEach
    void closeDirectory() throws IOException {
        directory.close();
    }

    @Test
    void givenAnotherProcessHoldsIt_whenLocked_thenItIsNamedAndItsDeathFreesTheLock()
            throws Exception {
        Process child = start("hold");
        try {
            awaitHeld(child);

            assertThatThrownBy(directory::lock)
                    .isInstanceOf(DirectoryLockedException.class)
                    .hasMessageContaining("pid=" + child.pid())
                    .hasMessageContaining("host=")
                    .hasMessageContaining("started=");
            assertThatThrownBy(directory::lock)
                    .as("the first refusal left nothing behind")
                    .isInstanceOf(DirectoryLockedException.class)
                    .hasMessageContaining("pid=" + child.pid());
        } finally {
            child.destroyForcibly();
            child.waitFor();
        }

        DirectoryLock lock = directory.lock();
        assertThat(Files.readString(path.resolve("lock"))).isEqualTo(lock.holder() + "\n");
        lock.close();
    }

    @Test
    void givenAHolderHere_whenRefusedHereAgain_thenOtherProcessesAreStillKeptOut()
            throws Exception {
        DirectoryLock lock = directory.lock();
        assertThatThrownBy(directory::lock).isInstanceOf(DirectoryLockedException.class);

        int whileHeld = start().waitFor();
        lock.close();
        int afterwards = start().waitFor();

        assertThat(whileHeld).isEqualTo(LockHolder.REFUSED);
        assertThat(afterwards).isEqualTo(LockHolder.LOCKED);
    }

    @Test
    void givenASymbolicLinkToTheDirectory_whenLockedThroughIt_thenItIsTheSameDirectory()
            throws IOException {
        Path link = Files.createSymbolicLink(path.resolveSibling(path.getFileName() + "-l"), path);
        try (DirectoryLock lock = directory.lock();
                FileSystemDirectory other = FileSystemDirectory.open(link, FileMode.BUFFERED)) {

            assertThatThrownBy(other::lock)
                    .isInstanceOf(DirectoryLockedException.class)
                    .hasMessageContaining(lock.holder())
                    .hasMessageContaining("sameJvm=true");
        } finally {
            Files.delete(link);
        }
    }

    @Test
    void givenAnotherClassLoader_whenItLocks_thenItIsRefusedAndOtherProcessesToo()
            throws Exception {
        try (DirectoryLock lock = directory.lock();
                URLClassLoader loader = new URLClassLoader(classPath(), null)) {
            assertThat(lock.holder()).contains("pid=");

            assertThat(lockIn(loader)).contains("DirectoryLockedException", "sameJvm=true");
            int otherProcess = start().waitFor();

            assertThat(otherProcess).isEqualTo(LockHolder.REFUSED);
        }
    }

    @Test
    void givenAHolderHere_whenOthersHereLock_thenTheyAreRefusedWithoutOpeningTheFile()
            throws Exception {
        try (DirectoryLock lock = directory.lock();
                URLClassLoader loader = new URLClassLoader(classPath(), null)) {
            Files.delete(path.resolve("lock"));

            assertThatThrownBy(directory::lock)
                    .isInstanceOf(DirectoryLockedException.class)
                    .hasMessageContaining(lock.holder());
            assertThat(lockIn(loader)).contains("DirectoryLockedException", lock.holder());

            assertThat(path.resolve("lock")).doesNotExist();
        }
    }

    @Test
    void givenPropertiesReplacedByTheHost_whenAnotherLoaderLocks_thenTheLockIsNotLost()
            throws Exception {
        Properties kept = System.getProperties();
        Properties replaced = new Properties();
        kept.stringPropertyNames().stream()
                .filter(name -> !name.startsWith("dev.holdfast.lock."))
                .forEach(name -> replaced.setProperty(name, kept.getProperty(name)));
        try (DirectoryLock lock = directory.lock();
                URLClassLoader loader = new URLClassLoader(classPath(), null)) {
            System.setProperties(replaced);

            String outcome = lockIn(loader);
            int otherProcess = start().waitFor();

            assertThat(outcome).contains("DirectoryLockedException", "sameJvm=true");
            assertThat(otherProcess).isEqualTo(LockHolder.REFUSED);
            assertThat(lock.holder()).contains("pid=");
        } finally {
            System.setProperties(kept);
        }
    }

    @Test
    void givenALockReleased_whenTheRegistryIsRead_thenNothingIsLeftInTheJvm() throws IOException {
        DirectoryLock lock = directory.lock();
        assertThat(lockProperties()).isNotEmpty();

        lock.close();

        assertThat(lockProperties()).isEmpty();
    }

    private List<String> lockProperties() throws IOException {
        String path = this.path.toRealPath().toString();
        return System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith("dev.holdfast.lock.") && name.endsWith(path))
                .toList();
    }

    /** Locks through classes of another loader and returns what it threw, or empty. */
    private String lockIn(ClassLoader loader) throws Exception {
        Class<?> directoryClass = loader.loadClass(FileSystemDirectory.class.getName());
        Class<?> modeClass = loader.loadClass(FileMode.class.getName());
        Object mode = modeClass.getMethod("valueOf", String.class).invoke(null, "BUFFERED");
        Object other =
                directoryClass.getMethod("open", Path.class, modeClass).invoke(null, path, mode);
        try {
            directoryClass.getMethod("lock").invoke(other);
            return "";
        } catch (InvocationTargetException e) {
            return e.getCause().toString();
        } finally {
            directoryClass.getMethod("close").invoke(other);
        }
    }

    private static URL[] classPath() throws IOException {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(new URL[0]);
    }

    private Process start(String... more) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(LockHolder.class.getName());
        command.add(path.toString());
        command.addAll(List.of(more));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private void awaitHeld(Process child) throws Exception {
        while (!directory.exists("held")) {
            assertThat(child.waitFor(5, TimeUnit.MILLISECONDS)).as("the child ended").isFalse();
        }
    }
}
