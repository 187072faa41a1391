// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.CloseMode;
import dev.holdfast.DiskFullException;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.Table;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SimulatedDisk;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Closing while work in the background waits for room that does not come. If this failed, the store
 * would stay locked, and the memory in use, until the process ends.
 */
@ExtendWith(VerifyAfterTest.class)
final class CloseWithoutRoomTest {
    private static final int ROWS = 300;
    private static final long LIMIT_NANOS = Duration.ofSeconds(30).toNanos();

    private final SimulatedDisk disk = SimulatedDisk.create();
    private final ExecutorService caller = Executors.newSingleThreadExecutor();

    @AfterEach
    void clear() {
        disk.faults().clear();
        caller.shutdownNow();
    }

    @ParameterizedTest
    @EnumSource(CloseMode.class)
    void givenTheCleanerThatWaitsForRoom_whenClosed_thenTheStoreIsGivenBack(
            CloseMode mode, TestEngines engines) {
        disk.stopRecording();
        EngineOptions options = options().closeMode(mode).build();
        Engine engine = engines.open(disk, options);
        put(engine, 0, ROWS);
        noRoom("main.hfs");
        long tries = EngineProbe.counters(engine).sum(Counter.PAGE_WRITE_FAILURES);
        Throwable refused = null;
        for (int i = 0; refused == null; i = (i + 10) % ROWS) {
            int from = i;
            refused = catchThrowable(() -> put(engine, from, from + 10));
        }
        assertThat(EngineProbe.counters(engine).sum(Counter.PAGE_WRITE_FAILURES))
                .isGreaterThan(tries);

        Throwable told = catchThrowable(engine::close);

        assertGivenBack(told, engines, options);
    }

    @Test
    void givenAConversionThatWaitsForRoom_whenClosed_thenTheStoreIsGivenBack(TestEngines engines)
            throws Exception {
        disk.stopRecording();
        EngineOptions options = options().poolBytes(4 << 20).build();
        Engine engine = engines.open(disk, options);
        put(engine, 0, ROWS);
        noRoom("main.hfs");
        Future<Throwable> call =
                caller.submit(() -> catchThrowable(() -> engine.convertChecksums("WORD")));
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (EngineProbe.counters(engine).sum(Counter.PAGE_WRITE_FAILURES) == 0) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(this, 1_000_000);
        }

        Throwable told = catchThrowable(engine::close);

        assertThat(call.get(10, TimeUnit.SECONDS)).isNotNull();
        assertGivenBack(told, engines, options);
    }

    @Test
    void givenARecoveryWhosePagesFindNoRoom_whenOpened_thenItSaysSoAndALaterOpenSucceeds(
            TestEngines engines) {
        EngineOptions large = options().poolBytes(8 << 20).build();
        Engine engine = engines.open(disk, large);
        put(engine, 0, 4 * ROWS);
        engines.unverified(engine);
        SimulatedDisk crashed = disk.crash(CrashMode.PROCESS_KILLED, 0).disk();
        crashed.faults().add(Fault.on(Operation.WRITE, "main.hfs").sticky().error(Fault.NO_SPACE));
        EngineOptions small = options().build();

        Throwable told =
                catchThrowable(() -> EngineAssembly.open(crashed.directory(), small).close());

        assertThat(told).isInstanceOf(DiskFullException.class);
        assertThat(crashed.openFiles()).isEmpty();
        assertThat(crashed.isLocked()).isFalse();
        crashed.faults().clear();
        Engine again = engines.open(crashed, small);
        Table table = again.table("t");
        byte[] key = key(4 * ROWS - 1);
        assertThat(again.<byte[]>read(snapshot -> snapshot.get(table, key))).isNotNull();
    }

    private void assertGivenBack(Throwable told, TestEngines engines, EngineOptions options) {
        assertThat(disk.openFiles()).as("told=%s", String.valueOf(told)).isEmpty();
        assertThat(disk.isLocked()).as("told=%s", String.valueOf(told)).isFalse();
        disk.faults().clear();
        Engine again = engines.open(disk, options);
        Table table = again.table("t");
        for (int i = 0; i < ROWS; i++) {
            byte[] key = key(i);
            assertThat(again.<byte[]>read(snapshot -> snapshot.get(table, key))).isNotNull();
        }
    }

    private static EngineOptions.Builder options() {
        return TestEngines.small()
                .closeTimeout(Duration.ofMillis(100))
                .logSpaceTimeout(Duration.ofMillis(100));
    }

    private void noRoom(String file) {
        disk.faults().add(Fault.on(Operation.WRITE, file).sticky().error(Fault.NO_SPACE));
    }

    private static void put(Engine engine, int from, int to) {
        Table table = engine.table("t");
        engine.write(
                transaction -> {
                    for (int i = from; i < to; i++) {
                        transaction.put(table, key(i), new byte[300]);
                    }
                    return null;
                });
    }

    private static byte[] key(int number) {
        return String.format("key-%06d", number).getBytes(UTF_8);
    }
}
