// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Readers without latches, cursors, writers, splits, merges and eviction on a pool of 64 frames. If
 * this failed, a reader would see a row of another key, half a row, or miss one that was always
 * there (P1, P2, P15, P17).
 */
@ExtendWith(SeedExtension.class)
final class TreeStressTest {
    private static final int PAGE_BYTES = 4096;
    private static final int WRITERS = 3;
    private static final int KEYS = 6_000;

    /** Every so many-th key of the lower half is put before and never removed. */
    private static final int ANCHOR = 10;

    private static final Duration TIME =
            SeedExtension.everydayOrSoak(Duration.ofSeconds(4), Duration.ofMinutes(2));

    private volatile long deadline;

    @Test
    void givenReadersAndWriters_whenPagesSplitMergeAndAreEvicted_thenNobodySeesAWrongRow(
            SeededRandom random) throws Exception {
        try (TreeFixture fixture = new TreeFixture(PAGE_BYTES, 64)) {
            Map<Integer, Integer> model = new HashMap<>();
            TreeWrites writes = fixture.writes();
            for (int i = 0; i < KEYS / 2; i += ANCHOR) {
                writes.put(key(i), value(i, 0));
                model.put(i, 0);
            }
            deadline = System.nanoTime() + TIME.toNanos();
            List<Callable<Map<Integer, Integer>>> tasks = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int writer = i;
                SeededRandom own = random.derive(i);
                tasks.add(() -> write(fixture.writes(), writer, own));
            }
            for (int i = 0; i < 2; i++) {
                SeededRandom own = random.derive(100 + i);
                tasks.add(() -> read(fixture.writes(), own));
            }
            tasks.add(() -> scan(new LeafSnapshot(fixture.tree)));
            run(tasks).forEach(model::putAll);

            checkFinal(fixture, model);
        }
    }

    private static List<Map<Integer, Integer>> run(List<Callable<Map<Integer, Integer>>> tasks)
            throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
        try {
            List<Map<Integer, Integer>> results = new ArrayList<>();
            for (Future<Map<Integer, Integer>> future : threads.invokeAll(tasks)) {
                results.add(future.get());
            }
            return results;
        } finally {
            threads.shutdown();
            assertThat(threads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static void checkFinal(TreeFixture fixture, Map<Integer, Integer> model) {
        TreeWrites reads = fixture.writes();
        int present = 0;
        for (int i = 0; i < KEYS; i++) {
            Integer version = model.get(i);
            boolean is = version != null && version >= 0;
            present += is ? 1 : 0;
            assertThat(reads.get(key(i))).as("key %s", i).isEqualTo(is ? value(i, version) : null);
        }
        assertThat(fixture.check().records()).isEqualTo(present);
        assertThat(fixture.mtrs.counters.sum(Counter.LEAF_SPLITS)).isPositive();
        assertThat(fixture.mtrs.counters.sum(Counter.PAGE_MERGES)).isPositive();
        assertThat(fixture.mtrs.counters.sum(Counter.EMPTY_LEAVES_FREED)).isPositive();
        assertThat(fixture.mtrs.counters.sum(Counter.PAGES_EVICTED)).isPositive();
        assertThat(fixture.mtrs.counters.sum(Counter.TREE_RESTARTS)).isPositive();
    }

    /** Fills and clears stretches of keys; a writer's keys are its own. */
    private Map<Integer, Integer> write(TreeWrites writes, int writer, SeededRandom random) {
        Map<Integer, Integer> own = new HashMap<>();
        int version = 1;
        while (System.nanoTime() < deadline) {
            int from = random.nextInt(KEYS);
            int to = Math.min(KEYS, from + random.nextInt(600));
            boolean removes = random.nextBoolean();
            boolean down = random.nextBoolean();
            writes.mergesEmptyOnly(random.nextBoolean());
            for (int n = from; n < to && System.nanoTime() < deadline; n++) {
                int i = down ? to - 1 - (n - from) : n;
                if (i % WRITERS != writer) {
                    continue;
                }
                if (removes && !isAnchor(i)) {
                    boolean was = own.getOrDefault(i, -1) >= 0;
                    assertThat(writes.remove(key(i))).as("key %s", i).isEqualTo(was);
                    own.put(i, -1);
                } else {
                    writes.put(key(i), value(i, version));
                    own.put(i, version);
                }
            }
            version++;
        }
        return own;
    }

    private Map<Integer, Integer> read(TreeWrites reads, SeededRandom random) {
        while (System.nanoTime() < deadline) {
            int i = random.nextInt(KEYS);
            byte[] value = reads.get(key(i));
            if (value == null) {
                assertThat(isAnchor(i)).as("a key that is always there, %s", i).isFalse();
            } else {
                checkValue(i, value);
            }
        }
        return Map.of();
    }

    private Map<Integer, Integer> scan(LeafSnapshot leaf) {
        byte[] key = new byte[PAGE_BYTES];
        while (System.nanoTime() < deadline) {
            int next = 0;
            int last = -1;
            leaf.seekFirst();
            for (int slot = 0; slot != LeafSnapshot.NO_LEAF; slot = leaf.nextLeaf()) {
                for (; slot < leaf.count(); slot++) {
                    int i = checkRow(leaf, slot, key);
                    assertThat(i).as("order").isGreaterThan(last);
                    if (isAnchor(i)) {
                        assertThat(i).as("an anchor is missed").isEqualTo(next);
                        next += ANCHOR;
                    }
                    last = i;
                }
            }
            assertThat(next).isEqualTo(KEYS / 2);
            scanDown(leaf, key);
        }
        return Map.of();
    }

    private static void scanDown(LeafSnapshot leaf, byte[] key) {
        int last = KEYS;
        int anchors = 0;
        leaf.seekLast();
        int slot = leaf.count() - 1;
        while (slot != LeafSnapshot.NO_LEAF) {
            for (; slot >= 0; slot--) {
                int i = checkRow(leaf, slot, key);
                assertThat(i).as("order").isLessThan(last);
                last = i;
                anchors += isAnchor(i) ? 1 : 0;
            }
            slot = TreeFixture.previousLeaf(leaf);
        }
        assertThat(anchors).isEqualTo(KEYS / 2 / ANCHOR);
    }

    private static int checkRow(LeafSnapshot leaf, int slot, byte[] key) {
        int length = leaf.key(slot, key);
        int i = Integer.parseInt(new String(key, 4, length - 4, US_ASCII));
        int record = leaf.record(slot);
        byte[] value =
                new byte[LeafRecord.valueLength(leaf.chunk(), record, leaf.recordLength(slot))];
        PageMemory.copyOut(
                leaf.chunk(), LeafRecord.valueAt(leaf.chunk(), record), value, 0, value.length);
        checkValue(i, value);
        return i;
    }

    private static void checkValue(int i, byte[] value) {
        int version = ByteBuffer.wrap(value).getInt(4);
        assertThat(Arrays.equals(value, value(i, version))).as("value of %s", i).isTrue();
    }

    private static boolean isAnchor(int i) {
        return i < KEYS / 2 && i % ANCHOR == 0;
    }

    private static byte[] key(int i) {
        return String.format("key:%06d", i).getBytes(US_ASCII);
    }

    /** Tells its key and version, and every byte of it follows from them. */
    private static byte[] value(int i, int version) {
        byte[] value = new byte[8 + (i * 31 + version * 17) % 120];
        Arrays.fill(value, (byte) (i ^ version));
        ByteBuffer.wrap(value).putInt(i).putInt(version);
        return value;
    }
}
