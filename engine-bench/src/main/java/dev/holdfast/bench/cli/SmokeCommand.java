// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.cli;

import dev.holdfast.Codec;
import dev.holdfast.Cursor;
import dev.holdfast.Durability;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.Limits;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Table;
import dev.holdfast.Transaction;
import dev.holdfast.VerifyReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Shows that the built jars work on the JDK that runs them, without any flag: a store sixteen times
 * its pool is written, opened again, read and verified. Where there are virtual threads a thousand
 * of them read what is not in memory.
 */
@Command(
        name = "smoke",
        description = "Writes, reopens, reads and verifies a small store on this JDK.")
public final class SmokeCommand implements Callable<Integer> {
    private static final int PAGE_BYTES = Limits.PAGE_BYTES_MIN;
    private static final int ROWS = 20_000;
    private static final int ROWS_PER_TRANSACTION = 500;
    private static final int VALUE_BYTES = 180;
    private static final int VIRTUAL_THREADS = 1_000;
    private static final int READS_PER_THREAD = 20;
    private static final int WAIT_SECONDS_MAX = 120;

    /** A prime, so that a thread's reads lie far from each other. */
    private static final int READ_STRIDE = 7_919;

    private static final EngineOptions OPTIONS =
            EngineOptions.builder()
                    .pageBytes(PAGE_BYTES)
                    .poolBytes(Limits.poolBytesMin(PAGE_BYTES))
                    .redoCapacityBytes(4 << 20)
                    .build();

    @Spec private CommandSpec spec;

    private int differences;

    @Override
    public Integer call() throws Exception {
        Path directory = Files.createTempDirectory("holdfast-smoke");
        int readsOfVirtualThreads;
        try {
            try (Engine engine = Engine.open(directory, OPTIONS)) {
                write(engine);
            }
            try (Engine engine = Engine.open(directory, OPTIONS)) {
                Table table = engine.table("rows");
                engine.read(snapshot -> readAll(snapshot, table));
                readsOfVirtualThreads = readFromVirtualThreads(engine, table);
                check("findings", List.of(), verify(engine).findings());
            }
            try (Engine engine = Engine.inMemory(OPTIONS)) {
                write(engine);
                Table table = engine.table("rows");
                engine.read(snapshot -> readAll(snapshot, table));
            }
        } finally {
            delete(directory);
        }
        print(
                "smoke: jdk=%s, rows=%d, readsOfVirtualThreads=%d, differences=%d",
                Runtime.version(), ROWS, readsOfVirtualThreads, differences);
        return differences == 0 ? 0 : 1;
    }

    private static void write(Engine engine) {
        Table table = engine.table("rows");
        for (int first = 0; first < ROWS; first += ROWS_PER_TRANSACTION) {
            try (Transaction transaction = engine.begin()) {
                for (int row = first; row < first + ROWS_PER_TRANSACTION; row++) {
                    transaction.put(table, key(row), value(row));
                }
                transaction.commit(Durability.WRITE);
            }
        }
    }

    private Void readAll(Snapshot snapshot, Table table) {
        int row = 0;
        try (Cursor cursor = snapshot.cursor(table, Range.all())) {
            while (cursor.next()) {
                check("key", Codec.INT.decode(cursor.key()), row);
                check("value of " + row, true, Arrays.equals(cursor.value(), value(row)));
                row++;
            }
        }
        check("rows", ROWS, row);
        return null;
    }

    private int readFromVirtualThreads(Engine engine, Table table) throws InterruptedException {
        Method start = startVirtualThread();
        if (start == null) {
            return 0;
        }
        AtomicInteger equal = new AtomicInteger();
        CountDownLatch finished = new CountDownLatch(VIRTUAL_THREADS);
        for (int i = 0; i < VIRTUAL_THREADS; i++) {
            int number = i;
            Runnable reader =
                    () -> {
                        try {
                            equal.addAndGet(readSome(engine, table, number));
                        } finally {
                            finished.countDown();
                        }
                    };
            start(start, reader);
        }
        check("all have finished", true, finished.await(WAIT_SECONDS_MAX, TimeUnit.SECONDS));
        check("reads of virtual threads", VIRTUAL_THREADS * READS_PER_THREAD, equal.get());
        return equal.get();
    }

    private static int readSome(Engine engine, Table table, int number) {
        ByteBuffer target = ByteBuffer.allocate(VALUE_BYTES);
        int equal = 0;
        for (int read = 0; read < READS_PER_THREAD; read++) {
            int row = Math.floorMod((number * READS_PER_THREAD + read) * READ_STRIDE, ROWS);
            target.clear();
            int length = engine.read(snapshot -> snapshot.get(table, key(row), target));
            if (length == VALUE_BYTES && Arrays.equals(target.array(), value(row))) {
                equal++;
            }
        }
        return equal;
    }

    /** Returns null before JDK 21, for which this is compiled too. */
    private static Method startVirtualThread() {
        if (Runtime.version().feature() < 21) {
            return null;
        }
        try {
            return Thread.class.getMethod("startVirtualThread", Runnable.class);
        } catch (NoSuchMethodException e) {
            throw new LinkageError("a JDK from 21 on has virtual threads", e);
        }
    }

    private static void start(Method startVirtualThread, Runnable reader) {
        try {
            startVirtualThread.invoke(null, reader);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("a virtual thread could not be started", e);
        }
    }

    private static VerifyReport verify(Engine engine) {
        engine.checkpoint();
        return engine.verify();
    }

    private static byte[] key(int row) {
        return Codec.INT.encode(row);
    }

    private static byte[] value(int row) {
        byte[] value = new byte[VALUE_BYTES];
        Arrays.fill(value, (byte) row);
        ByteBuffer.wrap(value).putInt(row);
        return value;
    }

    private void check(String what, Object expected, Object found) {
        if (!expected.equals(found)) {
            differences++;
            print("differs: what=%s, expected=%s, found=%s", what, expected, found);
        }
    }

    private void print(String format, Object... arguments) {
        spec.commandLine().getOut().println(String.format(format, arguments));
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> paths = Files.walk(directory)) {
            paths.sorted(Comparator.reverseOrder()).forEach(SmokeCommand::deleteOne);
        }
    }

    private static void deleteOne(Path path) {
        try {
            Files.delete(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
