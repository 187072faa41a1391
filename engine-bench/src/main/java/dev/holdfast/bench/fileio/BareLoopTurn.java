// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import dev.holdfast.bench.workload.MachineTime;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Random pages by as many threads as the depth, each with one request after the other. */
public final class BareLoopTurn implements PairedTurns.Turn {
    private final PageTraffic traffic;
    private double bytesPerRequest;

    public BareLoopTurn(PageTraffic traffic) {
        this.traffic = traffic;
    }

    @Override
    public double unitsPerSecond() throws IOException, InterruptedException, ExecutionException {
        CyclicBarrier start = new CyclicBarrier(traffic.depth());
        List<Callable<Loop>> threads = new ArrayList<>();
        for (int i = 0; i < traffic.depth(); i++) {
            long seed = traffic.seed() * 31 + i;
            threads.add(() -> loop(start, seed));
        }
        long requests = 0;
        long allocated = 0;
        double rate = 0;
        for (Loop each : Team.run(threads)) {
            requests += each.requests();
            allocated += each.allocatedBytes();
            rate += each.requests() * (double) TimeUnit.SECONDS.toNanos(1) / each.nanos();
        }
        traffic.settle();
        bytesPerRequest = (double) allocated / requests;
        return rate;
    }

    /** What the last turn's threads allocated on the heap. */
    public double bytesPerRequest() {
        return bytesPerRequest;
    }

    private Loop loop(CyclicBarrier start, long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        ByteBuffer page = Buffers.random(traffic.pageBytes(), seed);
        start.await();
        long allocatedBefore = MachineTime.allocatedBytes();
        long from = System.nanoTime();
        long end = from + traffic.turnNanos();
        long now;
        long requests = 0;
        do {
            long at = random.nextLong(traffic.pages()) * traffic.pageBytes();
            if (traffic.isWrite()) {
                traffic.file().write(at, page.clear());
            } else {
                traffic.file().read(at, page.clear());
            }
            requests++;
            now = System.nanoTime();
        } while (now < end);
        return new Loop(requests, now - from, MachineTime.allocatedBytes() - allocatedBefore);
    }

    /** What one thread did. */
    private record Loop(long requests, long nanos, long allocatedBytes) {}
}
