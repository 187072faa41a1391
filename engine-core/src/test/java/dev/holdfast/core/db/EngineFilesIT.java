// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.CorruptionException;
import dev.holdfast.Engine;
import dev.holdfast.EngineException;
import dev.holdfast.EngineOptions;
import dev.holdfast.EngineState;
import dev.holdfast.FormatException;
import dev.holdfast.StorageException;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Real files that somebody has put, moved or taken away. If this failed, the engine would follow a
 * link out of its directory, take a directory for a file, or make of that an error without a name.
 */
@ExtendWith(VerifyAfterTest.class)
final class EngineFilesIT {
    private static final EngineOptions OPTIONS = TestEngines.small().build();

    @TempDir Path directory;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "main.hfs",
                "undo-2.hfs",
                "space-16.hfs",
                "checkpoint",
                "holdfast.id",
                "redo/000.hfl",
                "doublewrite/0.hfd"
            })
    void givenADirectoryInPlaceOfAFile_whenOpened_thenItIsRefusedByNameAndNothingIsHarmed(
            String name, TestEngines engines) throws IOException {
        Path store = makeStore(engines);
        Path file = store.resolve(name);
        Path aside = directory.resolve("aside");
        Files.move(file, aside);
        Files.createDirectory(file);

        Throwable thrown = catchThrowable(() -> Engine.open(store, OPTIONS));

        if (thrown == null) {
            throw new AssertionError("opened with a directory in place of " + name);
        }
        assertThat(thrown).isInstanceOf(EngineException.class);
        Files.delete(file);
        Files.move(aside, file);
        check(engines.open(store, OPTIONS));
    }

    @ParameterizedTest
    @ValueSource(strings = {"main.hfs", "space-16.hfs", "checkpoint", "redo/000.hfl"})
    void givenALinkInPlaceOfAFile_whenOpened_thenItIsNotFollowed(String name, TestEngines engines)
            throws IOException {
        Path store = makeStore(engines);
        Path file = store.resolve(name);
        Path aside = directory.resolve("aside");
        Files.move(file, aside);
        byte[] before = Files.readAllBytes(aside);
        Files.createSymbolicLink(file, aside);

        Throwable thrown = catchThrowable(() -> Engine.open(store, OPTIONS));

        assertThat(thrown).isInstanceOf(EngineException.class);
        assertThat(Files.readAllBytes(aside)).isEqualTo(before);
        Files.delete(file);
        Files.move(aside, file);
        check(engines.open(store, OPTIONS));
    }

    @Test
    void givenPathsThatCannotBe_whenOpened_thenTheErrorSaysSo() throws IOException {
        Path file = Files.writeString(directory.resolve("letter"), "dear");

        assertThatThrownBy(() -> Engine.open(directory.resolve("x".repeat(300)), OPTIONS))
                .isInstanceOf(StorageException.class);
        assertThatThrownBy(() -> Engine.open(file, OPTIONS)).isInstanceOf(FormatException.class);
        assertThatThrownBy(() -> Engine.open(file.resolve("below"), OPTIONS))
                .isInstanceOf(EngineException.class);
        assertThat(Files.readString(file)).isEqualTo("dear");
    }

    @ParameterizedTest
    @ValueSource(strings = {"main.hfs", "space-16.hfs", "undo-2.hfs"})
    void givenAFileRenamedUnderTheEngine_whenItGoesOn_thenTheNextOpenMissesItAndNothingIsLost(
            String name, TestEngines engines) throws IOException {
        Path store = makeStore(engines);
        Engine engine = engines.open(store, OPTIONS);
        engines.unverified(engine);
        Path aside = directory.resolve("aside");
        Files.move(store.resolve(name), aside);

        put(engine, "after");
        engine.checkpoint();
        assertThat(engine.state()).isEqualTo(EngineState.OPEN);
        engine.close();

        assertThatThrownBy(() -> Engine.open(store, OPTIONS))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining(name);
        Files.move(aside, store.resolve(name));
        Engine again = engines.open(store, OPTIONS);
        check(again);
        assertThat(get(again, "after")).isEqualTo("v");
    }

    private Path makeStore(TestEngines engines) {
        Path store = directory.resolve("store");
        Engine engine = engines.open(store, OPTIONS);
        put(engine, "before");
        engine.close();
        engines.unverified(engine);
        return store;
    }

    private static void check(Engine engine) {
        assertThat(get(engine, "before")).isEqualTo("v");
        assertThat(engine.verify().isSound()).isTrue();
    }

    private static void put(Engine engine, String key) {
        Table shared = engine.table("shared");
        Table own = engine.table("own", TableOptions.ownSpace());
        engine.write(
                transaction -> {
                    transaction.put(shared, key.getBytes(UTF_8), "v".getBytes(UTF_8));
                    transaction.put(own, key.getBytes(UTF_8), "v".getBytes(UTF_8));
                    return null;
                });
    }

    private static String get(Engine engine, String key) {
        Table own = engine.table("own", TableOptions.ownSpace());
        byte[] value = engine.read(snapshot -> snapshot.get(own, key.getBytes(UTF_8)));
        return value == null ? null : new String(value, UTF_8);
    }
}
