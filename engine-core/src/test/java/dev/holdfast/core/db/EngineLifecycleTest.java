// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.Table;
import dev.holdfast.Transaction;
import dev.holdfast.io.file.MemoryDirectory;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** If this failed, a store could not be opened, used, closed and opened again. */
final class EngineLifecycleTest {
    private static final EngineOptions SMALL =
            EngineOptions.builder()
                    .pageBytes(4096)
                    .poolBytes(64 * 4096)
                    .redoCapacityBytes(1 << 20)
                    .redoSelfCheck(true)
                    .build();

    @TempDir Path directory;

    @Test
    void givenFiles_whenClosedAndOpenedAgain_thenWhatWasCommittedIsThere() {
        try (Engine engine = Engine.open(directory, SMALL)) {
            put(engine, "k", "v");
        }

        try (Engine engine = Engine.open(directory, SMALL)) {
            assertThat(get(engine, "k")).isEqualTo("v");
            assertThat(engine.verify().toText()).contains("findings=0");
        }
    }

    @Test
    void givenMemory_whenClosedAndOpenedAgain_thenWhatWasCommittedIsThere() {
        MemoryDirectory memory = MemoryDirectory.create();
        try (Engine engine = EngineAssembly.open(memory, SMALL)) {
            put(engine, "k", "v");
        }

        try (Engine engine = EngineAssembly.open(memory.reopen(), SMALL)) {
            assertThat(get(engine, "k")).isEqualTo("v");
            assertThat(engine.verify().isSound()).isTrue();
        }
    }

    private static void put(Engine engine, String key, String value) {
        Table table = engine.table("t");
        try (Transaction transaction = engine.begin()) {
            transaction.put(table, key.getBytes(UTF_8), value.getBytes(UTF_8));
            transaction.commit();
        }
    }

    private static String get(Engine engine, String key) {
        Table table = engine.table("t");
        byte[] value = engine.read(snapshot -> snapshot.get(table, key.getBytes(UTF_8)));
        return value == null ? null : new String(value, UTF_8);
    }
}
