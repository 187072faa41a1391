// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Cursor;
import dev.holdfast.Engine;
import dev.holdfast.EngineClosedException;
import dev.holdfast.EngineOptions;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Table;
import dev.holdfast.core.buffer.TestThread;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Latency;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * If this failed, scans of what is on disk would wait for page by page, or read what nobody wants.
 */
@ExtendWith({VerifyAfterTest.class, SeedExtension.class})
final class ReadAheadTest {
    private static final int ROWS = 8000;
    private static final int VALUE_BYTES = 100;
    private static final int ROUNDS = SeedExtension.everydayOrSoak(6, 200);
    private static final int BUNDLES_PER_SCAN = 100;

    private final SimulatedDisk disk = SimulatedDisk.create();

    private static EngineOptions.Builder options() {
        return TestEngines.small()
                .poolBytes(1024L * 4096)
                .redoCapacityBytes(8 << 20)
                .redoSelfCheck(false)
                .ioCapacity(100_000);
    }

    /** An engine on a slow disk whose table of some hundred leaves was split at random. */
    private Engine cold(TestEngines engines, EngineOptions options, SeededRandom random) {
        disk.stopRecording();
        Engine filled = engines.open(disk, options);
        Table table = filled.table("t");
        List<Integer> keys = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            keys.add(i);
        }
        random.shuffle(keys);
        for (int from = 0; from < ROWS; from += 500) {
            List<Integer> some = keys.subList(from, from + 500);
            filled.write(
                    tx -> {
                        some.forEach(i -> tx.put(table, key(i), value(i)));
                        return null;
                    });
        }
        Engine engine = engines.reopen(filled);
        disk.shapeLatency(
                Latency.of(TimeUnit.MICROSECONDS.toNanos(300), 0, 0, 1L << 40), 16, random);
        return engine;
    }

    private static byte[] key(int i) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(i).array();
    }

    private static byte[] value(int i) {
        return ByteBuffer.allocate(VALUE_BYTES).putInt(i).array();
    }

    private static int scan(Engine engine, Range range, int limit) {
        Table table = engine.table("t");
        try (Snapshot snapshot = engine.snapshot();
                Cursor cursor = snapshot.cursor(table, range)) {
            int rows = 0;
            int last = -1;
            while (rows < limit && cursor.next()) {
                int key = ByteBuffer.wrap(cursor.key()).getInt();
                assertThat(Math.abs(key - last)).isEqualTo(rows == 0 ? Math.abs(key + 1) : 1);
                assertThat(cursor.value()).isEqualTo(value(key));
                last = key;
                rows++;
            }
            return rows;
        }
    }

    private static long count(Engine engine, Counter counter) {
        return EngineProbe.counters(engine).sum(counter);
    }

    @Test
    void givenAColdTable_whenScanned_thenMostLeavesWereThere(
            TestEngines engines, SeededRandom random) {
        Engine engine = cold(engines, options().build(), random);

        int rows = scan(engine, Range.all(), ROWS);

        long leaves = count(engine, Counter.CURSOR_LEAVES);
        assertThat(rows).isEqualTo(ROWS);
        assertThat(count(engine, Counter.READ_AHEAD_USED)).isGreaterThan(leaves / 2);
        assertThat(count(engine, Counter.READ_AHEAD_READ)).isBetween(leaves / 4, leaves);
        assertThat(count(engine, Counter.READ_AHEAD_FAILED)).isZero();
        assertThat(engine.status()).contains("read-ahead: rounds");
        engine.close();
        assertThat(
                        count(engine, Counter.READ_AHEAD_READ)
                                + count(engine, Counter.READ_AHEAD_PRESENT)
                                + count(engine, Counter.READ_AHEAD_DROPPED_BUDGET)
                                + count(engine, Counter.READ_AHEAD_DROPPED_FRAMES))
                .isEqualTo(count(engine, Counter.READ_AHEAD_ASKED));
    }

    @Test
    void givenAColdTable_whenScannedDownwards_thenMostLeavesWereThere(
            TestEngines engines, SeededRandom random) {
        Engine engine = cold(engines, options().build(), random);

        int rows = scan(engine, Range.all().reversed(), ROWS);

        long leaves = count(engine, Counter.CURSOR_LEAVES);
        assertThat(rows).isEqualTo(ROWS);
        assertThat(count(engine, Counter.READ_AHEAD_USED)).isGreaterThan(leaves / 2);
    }

    @Test
    void givenReadAheadOff_whenScanned_thenNothingIsReadAhead(
            TestEngines engines, SeededRandom random) {
        Engine engine = cold(engines, options().readAhead(false).build(), random);

        int rows = scan(engine, Range.all(), ROWS);

        assertThat(rows).isEqualTo(ROWS);
        assertThat(count(engine, Counter.READ_AHEAD_ASKED)).isZero();
        assertThat(count(engine, Counter.READ_AHEAD_READ)).isZero();
        assertThat(engine.status()).doesNotContain("read-ahead: rounds");
    }

    @Test
    void givenAScanOfTwoLeaves_whenItEnds_thenNothingWasAskedFor(
            TestEngines engines, SeededRandom random) {
        Engine engine = cold(engines, options().build(), random);

        for (int i = 0; i < 20; i++) {
            int from = random.nextInt(ROWS - 20);
            scan(engine, Range.atLeast(key(from)), 15);
        }

        assertThat(count(engine, Counter.CURSOR_LEAVES)).isGreaterThan(20);
        assertThat(count(engine, Counter.READ_AHEAD_ASKED)).isZero();
    }

    @Test
    void givenABound_whenScannedUpToIt_thenHardlyAnythingBehindItIsRead(
            TestEngines engines, SeededRandom random) {
        Engine engine = cold(engines, options().build(), random);

        int rows = scan(engine, Range.closedOpen(key(1000), key(2000)), ROWS);

        long used = count(engine, Counter.READ_AHEAD_USED);
        assertThat(rows).isEqualTo(1000);
        assertThat(used).isGreaterThan(10);
        assertThat(count(engine, Counter.READ_AHEAD_ASKED))
                .isLessThanOrEqualTo(count(engine, Counter.CURSOR_LEAVES));
    }

    @Test
    void givenATableInThePool_whenScanned_thenNothingIsAskedFor(
            TestEngines engines, SeededRandom random) {
        Engine engine = cold(engines, options().build(), random);
        scan(engine, Range.all(), ROWS);
        long asked = count(engine, Counter.READ_AHEAD_ASKED);

        int rows = scan(engine, Range.all(), ROWS);

        assertThat(rows).isEqualTo(ROWS);
        assertThat(count(engine, Counter.READ_AHEAD_ASKED)).isEqualTo(asked);
    }

    @Test
    void givenNoBudget_whenScanned_thenTheScanReadsItselfAndAsksForLess(
            TestEngines engines, SeededRandom random) {
        Engine engine = cold(engines, options().ioCapacity(100).build(), random);

        int rows = scan(engine, Range.all(), ROWS);

        assertThat(rows).isEqualTo(ROWS);
        assertThat(count(engine, Counter.READ_AHEAD_DROPPED_BUDGET)).isPositive();
        assertThat(count(engine, Counter.READ_AHEAD_READ))
                .isLessThan(count(engine, Counter.CURSOR_LEAVES) / 2);
    }

    @Test
    void givenAPoolOfTheLeastSize_whenScanned_thenAFewLeavesAreAheadAndAllIsFound(
            TestEngines engines, SeededRandom random) {
        Engine engine = cold(engines, options().poolBytes(64L * 4096).build(), random);

        int rows = scan(engine, Range.all(), ROWS);

        assertThat(rows).isEqualTo(ROWS);
        assertThat(count(engine, Counter.READ_AHEAD_USED)).isPositive();
    }

    @Test
    void givenReadsThatFailNowAndThen_whenScanned_thenTheScanIsWhole(
            TestEngines engines, SeededRandom random) {
        Engine engine = cold(engines, options().build(), random);
        for (int nth = 20; nth < 120; nth += 7) {
            disk.faults().add(Fault.on(Operation.READ, "*").nth(nth).error(Fault.IO_ERROR));
        }

        int rows = scan(engine, Range.all(), ROWS);

        assertThat(rows).isEqualTo(ROWS);
        disk.faults().requireActed();
        assertThat(count(engine, Counter.PAGES_CORRUPT)).isZero();
    }

    @Test
    void givenWritersThatSplitAndMerge_whenScannedCold_thenEachScanSeesItsSnapshot(
            TestEngines engines, SeededRandom random) throws Exception {
        Engine engine = cold(engines, options().poolBytes(256L * 4096).build(), random);
        Table table = engine.table("t");
        AtomicBoolean isOver = new AtomicBoolean();
        Semaphore bundles = new Semaphore(0);
        TestThread<Integer> writer = TestThread.start(() -> write(engine, table, bundles, isOver));
        for (int i = 0; i < ROUNDS; i++) {
            // No more than that beside a scan: it follows the older versions of all of them.
            bundles.release(BUNDLES_PER_SCAN);
            Range range = random.nextBoolean() ? Range.all() : Range.all().reversed();
            try (Snapshot snapshot = engine.snapshot();
                    Cursor cursor = snapshot.cursor(table, range)) {
                int own = 0;
                while (cursor.next()) {
                    boolean isOwn = cursor.key().length == Integer.BYTES;
                    own += isOwn ? 1 : 0;
                }
                assertThat(own).as("rows that nobody changes").isEqualTo(ROWS);
            }
        }
        isOver.set(true);
        bundles.release();

        assertThat(writer.result()).isPositive();
        assertThat(count(engine, Counter.READ_AHEAD_USED)).isPositive();
        assertThat(count(engine, Counter.LEAF_SPLITS)).isPositive();
        assertThat(count(engine, Counter.READ_AHEAD_DROPPED_BUDGET)).isZero();
    }

    /** Rows between those of the table come and go, in bundles that split leaves. */
    private static int write(Engine engine, Table table, Semaphore bundles, AtomicBoolean isOver) {
        int rounds = 0;
        while (true) {
            bundles.acquireUninterruptibly();
            if (isOver.get()) {
                return rounds;
            }
            int at = rounds * 37 % ROWS;
            for (boolean puts : new boolean[] {true, false}) {
                engine.write(
                        tx -> {
                            for (int i = 0; i < 120; i++) {
                                byte[] between =
                                        ByteBuffer.allocate(8).putInt(at).putInt(i).array();
                                if (puts) {
                                    tx.put(table, between, value(i));
                                } else {
                                    tx.delete(table, between);
                                }
                            }
                            return null;
                        });
            }
            rounds++;
        }
    }

    @Test
    void givenACloseDuringAScan_whenItIsDone_thenItIsACleanOne(
            TestEngines engines, SeededRandom random) {
        Engine engine = cold(engines, options().build(), random);
        Table table = engine.table("t");
        Snapshot snapshot = engine.snapshot();
        Cursor cursor = snapshot.cursor(table, Range.all());
        for (int i = 0; i < 500; i++) {
            assertThat(cursor.next()).isTrue();
        }

        engine.close();

        assertThatThrownBy(cursor::next).isInstanceOf(EngineClosedException.class);
    }
}
