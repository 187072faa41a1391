// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.AlreadyOpenException;
import dev.holdfast.ChecksumKind;
import dev.holdfast.CloseMode;
import dev.holdfast.DoublewriteMode;
import dev.holdfast.Durability;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.EngineState;
import dev.holdfast.FileMode;
import dev.holdfast.Limits;
import dev.holdfast.OptionMismatchException;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import dev.holdfast.Transaction;
import dev.holdfast.core.buffer.PoolOptions;
import dev.holdfast.io.file.MemoryDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** If this failed, a store could not be opened, used, closed and opened again. */
@ExtendWith(VerifyAfterTest.class)
final class EngineLifecycleTest {
    @TempDir Path directory;

    @ParameterizedTest
    @EnumSource(FileMode.class)
    void givenFiles_whenClosedAndOpenedAgain_thenWhatWasCommittedIsThere(
            FileMode mode, TestEngines engines) {
        Engine engine = engines.open(directory, TestEngines.small().fileMode(mode).build());
        put(engine, "k", "v");

        Engine again = engines.reopen(engine);

        assertThat(get(again, "k")).isEqualTo("v");
        assertThat(again.status()).contains("closedCleanly=true");
    }

    @ParameterizedTest
    @ValueSource(ints = {4096, 8192, 16384, 32768, 65536})
    void givenAnyPageSize_whenClosedAndOpenedAgain_thenWhatWasCommittedIsThere(
            int pageBytes, TestEngines engines) {
        EngineOptions options =
                EngineOptions.builder()
                        .pageBytes(pageBytes)
                        .poolBytes(64L * pageBytes)
                        .redoCapacityBytes(8 << 20)
                        .build();
        Engine engine = engines.open(options);
        fill(engine, 500);

        Engine again = engines.reopen(engine);

        assertThat(get(again, "k499")).isEqualTo("v499");
    }

    @ParameterizedTest
    @EnumSource(ChecksumKind.class)
    void givenAnyChecksum_whenOpenedWithAnother_thenThePagesKeepTheirOwn(
            ChecksumKind kind, TestEngines engines) {
        MemoryDirectory memory = MemoryDirectory.create();
        Engine engine = engines.open(memory, TestEngines.small().checksum(kind).build());
        fill(engine, 300);
        engine.close();

        Engine again = engines.open(memory, TestEngines.small().build());

        assertThat(get(again, "k299")).isEqualTo("v299");
        fill(again, 310);
        assertThat(get(again, "k309")).isEqualTo("v309");
    }

    @Test
    void givenAFastClose_whenOpenedAgain_thenItRecovers(TestEngines engines) {
        Engine engine = engines.open(TestEngines.small().closeMode(CloseMode.FAST).build());
        fill(engine, 200);

        Engine again = engines.reopen(engine);

        assertThat(get(again, "k199")).isEqualTo("v199");
        assertThat(again.status()).contains("closedCleanly=false");
    }

    @Test
    void givenALazyCommit_whenClosed_thenItIsDurable(TestEngines engines) {
        Engine engine =
                engines.open(
                        TestEngines.small()
                                .durability(Durability.LAZY)
                                .closeMode(CloseMode.FAST)
                                .build());
        put(engine, "k", "v");

        Engine again = engines.reopen(engine);

        assertThat(get(again, "k")).isEqualTo("v");
    }

    @Test
    void givenAnOpenStore_whenOpenedAgain_thenItsHolderIsNamed(TestEngines engines)
            throws Exception {
        EngineOptions options = TestEngines.small().build();
        Engine engine = engines.open(directory, options);

        AlreadyOpenException refused =
                catchThrowableOfType(
                        AlreadyOpenException.class, () -> Engine.open(directory, options));

        assertThat(refused)
                .hasMessageContaining("directory=" + directory.toRealPath() + ", holder=");
        assertThat(refused.holder()).contains(Long.toString(ProcessHandle.current().pid()));
        put(engine, "k", "v");
        assertThat(get(engine, "k")).isEqualTo("v");
    }

    @Test
    void givenAStore_whenOpenedWithAnotherPageSize_thenBothAreNamedAndNothingIsTouched(
            TestEngines engines) throws Exception {
        Engine engine = engines.open(directory, TestEngines.small().build());
        engine.close();
        List<String> before = files();

        OptionMismatchException refused =
                catchThrowableOfType(
                        OptionMismatchException.class,
                        () ->
                                Engine.open(
                                        directory,
                                        EngineOptions.builder().pageBytes(8192).build()));

        assertThat(refused.option()).isEqualTo("pageBytes");
        assertThat(refused.stored()).isEqualTo("4096");
        assertThat(refused.asked()).isEqualTo("8192");
        assertThat(files()).isEqualTo(before);
    }

    @Test
    void givenTheLimitsOfThePool_whenComparedWithWhatItTakes_thenTheyAgree() {
        int pageBytes = Limits.PAGE_BYTES_MIN;

        assertThat(PoolOptions.of(pageBytes, Limits.POOL_PAGES_MIN).frames()).isEqualTo(64);
        assertThat(PoolOptions.of(pageBytes, Limits.POOL_PAGES_MAX).frames()).isEqualTo(1 << 24);
        assertThatThrownBy(() -> PoolOptions.of(pageBytes, Limits.POOL_PAGES_MIN - 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> PoolOptions.of(pageBytes, Limits.POOL_PAGES_MAX + 1))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void givenAStoreInMemory_whenNoneMayBeCreatedElsewhere_thenItIsCreatedAllTheSame() {
        EngineOptions options = TestEngines.small().createIfMissing(false).build();

        try (Engine engine = Engine.inMemory(options)) {
            put(engine, "k", "v");

            assertThat(get(engine, "k")).isEqualTo("v");
        }
    }

    @Test
    void givenATable_whenOpenedWithOtherOptions_thenItIsRefused(TestEngines engines) {
        Engine engine = engines.open();
        Table own = engine.table("own", TableOptions.ownSpace());

        assertThat(engine.table("own")).isEqualTo(own);
        assertThatThrownBy(() -> engine.table("own", TableOptions.shared()))
                .isInstanceOf(OptionMismatchException.class)
                .hasMessageContaining("ownSpace");
    }

    @Test
    void givenTables_whenRenamedAndDropped_thenSoAfterReopening(TestEngines engines) {
        Engine engine = engines.open(directory, TestEngines.small().build());
        engine.table("a");
        engine.table("b", TableOptions.ownSpace());
        engine.table("c", TableOptions.ownSpace());
        fill(engine, 100);
        engine.renameTable("a", "z");
        engine.dropTable("c");

        Engine again = engines.reopen(engine);

        assertThat(again.tables()).containsExactly("b", "t", "z");
        assertThat(directory.toFile().list((dir, name) -> name.startsWith("space-"))).hasSize(1);
    }

    @Test
    void givenAnUncommittedTransaction_whenClosed_thenItIsRolledBack(TestEngines engines) {
        Engine engine = engines.open();
        put(engine, "k", "old");
        Transaction transaction = engine.begin();
        transaction.put(engine.table("t"), bytes("k"), bytes("new"));

        Engine again = engines.reopen(engine);

        assertThat(get(again, "k")).isEqualTo("old");
    }

    @Test
    void givenAnotherLogSize_whenOpenedAfterACleanClose_thenTheLogIsCutAnew(TestEngines engines) {
        MemoryDirectory memory = MemoryDirectory.create();
        Engine engine = engines.open(memory, TestEngines.small().build());
        fill(engine, 100);
        engine.close();

        Engine larger =
                engines.open(memory, TestEngines.small().redoCapacityBytes(4 << 20).build());
        fill(larger, 200);
        larger.close();
        Engine smaller =
                engines.open(memory, TestEngines.small().redoCapacityBytes(1 << 20).build());

        assertThat(capacity(larger)).isGreaterThan(3 * capacity(smaller));
        assertThat(get(smaller, "k199")).isEqualTo("v199");
    }

    private static long capacity(Engine engine) {
        return ((EngineImpl) engine).storage().log().space().capacity();
    }

    @Test
    void givenOtherSettings_whenOpenedAgain_thenTheStoreIsTheSame(TestEngines engines) {
        MemoryDirectory memory = MemoryDirectory.create();
        Engine engine = engines.open(memory, TestEngines.small().closeMode(CloseMode.FAST).build());
        fill(engine, 400);
        engine.close();

        Engine again =
                engines.open(
                        memory,
                        TestEngines.small()
                                .poolBytes(1 << 20)
                                .poolShards(4)
                                .doublewrite(DoublewriteMode.OFF)
                                .redoSelfCheck(false)
                                .build());

        assertThat(get(again, "k399")).isEqualTo("v399");
    }

    @Test
    void givenAStore_whenOpenedAndClosedManyTimes_thenItStaysTheSame(TestEngines engines) {
        Engine engine = engines.open();
        fill(engine, 50);

        for (int i = 0; i < 20; i++) {
            engine = engines.reopen(engine);
        }

        assertThat(get(engine, "k49")).isEqualTo("v49");
        assertThat(engine.state()).isEqualTo(EngineState.OPEN);
    }

    private List<String> files() throws Exception {
        List<String> files = new ArrayList<>();
        try (Stream<Path> paths = Files.walk(directory)) {
            for (Path path : (Iterable<Path>) paths.sorted()::iterator) {
                if (Files.isRegularFile(path)) {
                    byte[] bytes = Files.readAllBytes(path);
                    files.add(path + " " + Arrays.hashCode(bytes));
                }
            }
        }
        files.removeIf(line -> line.contains("/lock "));
        return files;
    }

    private static void fill(Engine engine, int rows) {
        Table table = engine.table("t");
        engine.write(
                transaction -> {
                    for (int i = 0; i < rows; i++) {
                        transaction.put(table, bytes("k" + i), bytes("v" + i));
                    }
                    return null;
                });
    }

    private static void put(Engine engine, String key, String value) {
        Table table = engine.table("t");
        engine.write(
                transaction -> {
                    transaction.put(table, bytes(key), bytes(value));
                    return null;
                });
    }

    private static String get(Engine engine, String key) {
        Table table = engine.table("t");
        byte[] value = engine.read(snapshot -> snapshot.get(table, bytes(key)));
        return value == null ? null : new String(value, UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
