// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Cursor;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What an operation takes from the heap, and what a cursor takes of direct memory. If this failed,
 * reading would feed the collector. Each operation is run until its code and memory have settled.
 */
final class AllocationTest {
    private static final int WARM_UP = 2_000;
    private static final int MEASURED = 500;

    /** The measurement's own, once for all rounds. */
    private static final long SLACK_BYTES = 400;

    private final com.sun.management.ThreadMXBean threads =
            (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    private TransactionFixture engine;
    private TableHandle table;

    @BeforeEach
    void openWithRows() {
        engine = TransactionFixture.small();
        table = engine.table("t");
        try (Transaction setup = engine.begin()) {
            for (int i = 0; i < 200; i++) {
                setup.put(table, key(i), new byte[100]);
            }
            setup.put(table, key(500), new byte[9_000]);
            setup.commit();
        }
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void givenABuffer_whenARowIsRead_thenNothingIsAllocated() {
        byte[] key = key(77);
        ByteBuffer array = ByteBuffer.allocate(200);
        ByteBuffer direct = ByteBuffer.allocateDirect(200);
        try (Snapshot now = engine.snapshot();
                Transaction one = engine.begin()) {
            assertThat(bytesOf(() -> now.get(table, key, array.clear()))).isZero();
            assertThat(bytesOf(() -> now.get(table, key, direct.clear()))).isZero();
            assertThat(bytesOf(() -> one.get(table, key, array.clear()))).isZero();
            assertThat(bytesOf(() -> now.contains(table, key))).isZero();
        }
    }

    @Test
    void givenABuffer_whenAnOlderVersionIsRead_thenNothingIsAllocated() {
        byte[] key = key(77);
        ByteBuffer target = ByteBuffer.allocate(200);
        try (Snapshot before = engine.snapshot();
                Transaction writer = engine.begin()) {
            for (int i = 0; i < 5; i++) {
                writer.put(table, key, new byte[50 + i]);
            }

            assertThat(bytesOf(() -> before.get(table, key, target.clear()))).isZero();
            assertThat(target.position()).isEqualTo(100);
        }
    }

    @Test
    void givenABuffer_whenALongValueIsRead_thenNothingIsAllocated() {
        byte[] key = key(500);
        ByteBuffer array = ByteBuffer.allocate(9_000);
        ByteBuffer direct = ByteBuffer.allocateDirect(9_000);
        try (Snapshot now = engine.snapshot()) {
            assertThat(bytesOf(() -> now.get(table, key, array.clear()))).isZero();
            assertThat(bytesOf(() -> now.get(table, key, direct.clear()))).isZero();
        }
    }

    @Test
    void givenATransaction_whenItPutsRows_thenAlmostNothingIsAllocated() {
        byte[] key = key(77);
        byte[] value = new byte[100];
        try (Transaction one = engine.begin()) {
            assertThat(bytesOf(() -> one.put(table, key, value))).isLessThan(400);
        }
    }

    @Test
    void givenAnEngine_whenARowIsChangedAndCommitted_thenAFewObjectsAreAllocated() {
        byte[] key = key(77);
        byte[] value = new byte[100];

        long bytes =
                bytesOf(
                        () -> {
                            try (Transaction one = engine.begin()) {
                                one.put(table, key, value);
                                one.commit();
                            }
                        });

        assertThat(bytes).isLessThan(1_000);
    }

    @Test
    void givenACursor_whenItWalksBriefly_thenItTakesNoPage() {
        byte[] from = key(20);
        Range range = Range.atLeast(from);
        try (Snapshot now = engine.snapshot()) {
            Runnable walk =
                    () -> {
                        try (Cursor cursor = now.cursor(table, range)) {
                            for (int i = 0; i < 5; i++) {
                                cursor.next();
                            }
                        }
                    };
            walk.run();
            long direct = directBuffers();

            long bytes = bytesOf(walk);

            assertThat(directBuffers()).isEqualTo(direct);
            assertThat(bytes).isLessThan(1_000);
        }
    }

    /** Bytes of one run, on an average that forgives the measurement itself. */
    private long bytesOf(Runnable operation) {
        for (int i = 0; i < WARM_UP; i++) {
            operation.run();
        }
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 5; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < MEASURED; i++) {
                operation.run();
            }
            long bytes = threads.getCurrentThreadAllocatedBytes() - before;
            least = Math.min(least, Math.max(0, bytes - SLACK_BYTES) / MEASURED);
        }
        return least;
    }

    private static long directBuffers() {
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            if (pool.getName().equals("direct")) {
                return pool.getCount();
            }
        }
        throw new AssertionError("no pool of direct buffers");
    }

    private static byte[] key(int row) {
        return ("key-" + (1_000 + row)).getBytes(UTF_8);
    }
}
