// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.check;

import dev.holdfast.CloseMode;
import dev.holdfast.DoublewriteMode;
import dev.holdfast.Durability;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.Table;
import dev.holdfast.VerifyReport;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The process of {@link VerifierMemoryIT}: makes a store of many small pages, verifies it, and
 * writes a line: used pages, and the bytes that the heap held more while it was verified than
 * before.
 */
final class VerifyChild {
    private static final int PAGE_BYTES = 4096;
    private static final int POOL_PAGES = 256;

    /** Long values make pages fastest: one takes 64 of them. */
    private static final int VALUE_BYTES = 64 * PAGE_BYTES - 8_000;

    private static final int VALUES_A_TRANSACTION = 8;
    private static final int SMALL_ROWS = 20_000;

    private volatile boolean verifying = true;
    private long most;

    private VerifyChild() {}

    /**
     * Makes the store and verifies it.
     *
     * @param args directory, number of long values
     */
    public static void main(String[] args) throws Exception {
        VerifyChild child = new VerifyChild();
        try (Engine engine = Engine.open(Path.of(args[0]), options())) {
            child.fill(engine, Integer.parseInt(args[1]));
            child.verify(engine);
        }
    }

    private static EngineOptions options() {
        return EngineOptions.builder()
                .pageBytes(PAGE_BYTES)
                .poolBytes(POOL_PAGES * PAGE_BYTES)
                .redoCapacityBytes(64L << 20)
                .logBufferBytes(2 << 20)
                .doublewrite(DoublewriteMode.OFF)
                .durability(Durability.LAZY)
                .closeMode(CloseMode.FAST)
                .build();
    }

    private void fill(Engine engine, int values) {
        Table table = engine.table("t");
        byte[] value = new byte[VALUE_BYTES];
        for (int i = 0; i < values; i += VALUES_A_TRANSACTION) {
            int first = i;
            engine.write(
                    transaction -> {
                        for (int row = first; row < first + VALUES_A_TRANSACTION; row++) {
                            transaction.put(table, key(row), value);
                        }
                        return null;
                    });
        }
        byte[] small = new byte[100];
        engine.write(
                transaction -> {
                    for (int row = 0; row < SMALL_ROWS; row++) {
                        transaction.put(table, key(values + row), small);
                    }
                    return null;
                });
    }

    private static byte[] key(int row) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(row).array();
    }

    private void verify(Engine engine) throws InterruptedException, IOException {
        long before = live();
        Thread sampler =
                new Thread(
                        () -> {
                            while (verifying) {
                                most = Math.max(most, live());
                            }
                        },
                        "sampler");
        sampler.start();
        VerifyReport report = engine.verify();
        verifying = false;
        sampler.join();
        if (!report.isSound()) {
            throw new IllegalStateException(report.toText());
        }
        String line = report.pages() + " " + (most - before) + "\n";
        try (FileOutputStream pipe = new FileOutputStream(FileDescriptor.out)) {
            pipe.write(line.getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Bytes that are held: what the last collection left in each part of the heap. */
    private static long live() {
        System.gc();
        long bytes = 0;
        for (MemoryPoolMXBean part : ManagementFactory.getMemoryPoolMXBeans()) {
            if (part.getType() == MemoryType.HEAP) {
                bytes += part.getCollectionUsage().getUsed();
            }
        }
        return bytes;
    }
}
