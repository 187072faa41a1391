// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.io.file.FileMode;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;

/** What a device gives of one kind of request when so many threads ask for nothing else. */
public final class DeviceCeiling implements AutoCloseable {
    /*
     * A depth is so many threads, each with one request at a time: the engine has no other way.
     * All meet at a barrier, whose last thread reads the clock. The time ends with the slowest
     * thread; for writes it ends with a sync, else the operating system's cache would be measured.
     */
    private static final String FILE = "ceiling";

    private final FileioOptions options;
    private final StorageFile file;

    private DeviceCeiling(FileioOptions options, StorageFile file) {
        this.options = options;
        this.file = file;
    }

    /** Makes the file that is read and written. */
    public static DeviceCeiling create(StorageDirectory directory, FileioOptions options)
            throws IOException {
        StorageFile file = directory.create(FILE);
        Buffers.fill(file, options.dataBytes(), options.seed());
        return new DeviceCeiling(options, file);
    }

    /** Measures one kind at one depth for so long. */
    public Throughput measure(Request request, int depth, long measureNanos)
            throws InterruptedException, ExecutionException, IOException {
        Run run = new Run(request, depth, measureNanos);
        List<Callable<Tally>> threads = new ArrayList<>();
        for (int i = 0; i < depth; i++) {
            int place = i;
            threads.add(() -> run.inThread(place));
        }
        Tally all = new Tally();
        for (Tally each : Team.run(threads)) {
            all.add(each);
        }
        if (request == Request.PAGE_WRITE) {
            file.sync(true);
        }
        return all.over(System.nanoTime() - run.startNanos);
    }

    public StorageFile file() {
        return file;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /** The kinds of requests. */
    public enum Request {
        PAGE_READ("page reads"),
        PAGE_WRITE("page writes"),
        /** A small write in place, and a sync of it. */
        SYNC("small writes, each synced");

        private final String title;

        Request(String title) {
            this.title = title;
        }

        public String title() {
            return title;
        }
    }

    /** One measurement. */
    private final class Run {
        private final Request request;
        private final long measureNanos;
        private final CyclicBarrier start;

        /** Written by the last thread at the barrier, read after it. */
        private long startNanos;

        Run(Request request, int depth, long measureNanos) {
            this.request = request;
            this.measureNanos = measureNanos;
            start = new CyclicBarrier(depth, () -> startNanos = System.nanoTime());
        }

        Tally inThread(int place) throws Exception {
            Tally tally = new Tally();
            SplittableRandom random = new SplittableRandom(options.seed() * 31 + place);
            ByteBuffer page = Buffers.random(options.pageBytes(), random.nextLong());
            start.await();
            long end = startNanos + measureNanos;
            long now = System.nanoTime();
            do {
                int bytes = request(place, random, page.clear());
                long then = System.nanoTime();
                tally.add(now, then, bytes);
                now = then;
            } while (now < end);
            return tally;
        }

        private int request(int place, SplittableRandom random, ByteBuffer page)
                throws IOException {
            long at = random.nextLong(options.pages()) * options.pageBytes();
            switch (request) {
                case PAGE_READ -> file.read(at, page);
                case PAGE_WRITE -> file.write(at, page);
                case SYNC -> {
                    page.limit(syncedBytes());
                    file.write(place * (long) options.pageBytes() % options.dataBytes(), page);
                    file.sync(true);
                }
            }
            return page.position();
        }

        private int syncedBytes() {
            int bytes = Math.min(options.logBytes(), options.pageBytes());
            return options.mode() == FileMode.DIRECT ? FileMode.DIRECT_ALIGNMENT : bytes;
        }
    }
}
