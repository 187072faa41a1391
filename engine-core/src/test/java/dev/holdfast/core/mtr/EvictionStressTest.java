// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.mtr;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Optimistic and latched readers, writers, eviction, cleaner and checkpoint on the smallest pool.
 *
 * <p>Each page holds its own number and, twice, a count of its changes. If this failed, a reader
 * that validated would have seen another page or half a change, or a change would have been lost.
 */
@ExtendWith(SeedExtension.class)
final class EvictionStressTest {
    private static final int PAGES = 400;
    private static final int NUMBER_AT = PageHeader.BODY_OFFSET;
    private static final int FIRST_AT = PageHeader.BODY_OFFSET + 8;
    private static final int SECOND_AT = 4000;
    private static final int WRITERS = 3;
    private static final int READERS = 2;

    private final MtrFixture fixture = new MtrFixture(4096, 64);
    private final BufferPool pool = fixture.pool;
    private final AtomicLong[] changes = new AtomicLong[PAGES];
    private final AtomicBoolean stop = new AtomicBoolean();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private final AtomicLong validReads = new AtomicLong();

    @Test
    void givenTheSmallestPool_whenAllGoOnAtOnce_thenNoReadIsMixedAndNoChangeLost(
            SeededRandom random) throws Exception {
        createPages();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            SeededRandom own = random.derive("writer" + i);
            threads.add(new Thread(() -> guarded(() -> write(own))));
        }
        for (int i = 0; i < READERS; i++) {
            SeededRandom own = random.derive("reader" + i);
            threads.add(new Thread(() -> guarded(() -> readOptimistically(own))));
            SeededRandom latching = random.derive("latching" + i);
            threads.add(new Thread(() -> guarded(() -> readLatched(latching))));
        }
        threads.forEach(Thread::start);

        long seconds = SeedExtension.everydayOrSoak(2, 60);
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() < end && failure.get() == null) {
            fixture.checkpointer.checkpoint(false);
            Thread.onSpinWait();
        }
        stop.set(true);
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(30));
            assertThat(thread.isAlive()).as("%s hangs", thread).isFalse();
        }

        assertThat(failure.get()).isNull();
        assertThat(validReads.get()).isPositive();
        assertThat(fixture.counters.sum(Counter.PAGES_EVICTED)).isGreaterThan(PAGES);
        for (int i = 0; i < PAGES; i++) {
            assertThat(countOf(i)).as("page %d", i).isEqualTo(changes[i].get());
        }
        fixture.close();
    }

    private void createPages() {
        MiniTransaction mtr = fixture.mtr();
        for (int i = 0; i < PAGES; i++) {
            changes[i] = new AtomicLong();
            mtr.begin(200, 1, false);
            int frame = mtr.fixNew(page(i), 16, PageType.LEAF);
            mtr.patchLong(frame, NUMBER_AT, i);
            mtr.commit();
        }
    }

    private void write(SeededRandom random) {
        MiniTransaction mtr = fixture.mtr();
        while (!stop.get()) {
            int i = random.nextInt(PAGES);
            mtr.begin(200, 2, false);
            int frame = mtr.fixExclusive(page(i));
            long count = PageMemory.getLong(mtr.chunk(frame), mtr.offset(frame) + FIRST_AT);
            mtr.patchLong(frame, FIRST_AT, count + 1);
            mtr.patchLong(frame, SECOND_AT, count + 1);
            changes[i].incrementAndGet();
            mtr.commit();
        }
    }

    private void readOptimistically(SeededRandom random) {
        while (!stop.get()) {
            int i = random.nextInt(PAGES);
            int frame = pool.find(page(i));
            if (frame < 0) {
                frame = pool.load(page(i), random.nextBoolean());
            }
            long version = pool.optimisticVersion(frame, page(i));
            if (!pool.holds(frame, page(i))) {
                continue;
            }
            int at = pool.offset(frame);
            long number = PageMemory.getLong(pool.chunk(frame), at + NUMBER_AT);
            long first = PageMemory.getLong(pool.chunk(frame), at + FIRST_AT);
            long second = PageMemory.getLong(pool.chunk(frame), at + SECOND_AT);
            if (pool.validate(frame, version)) {
                validReads.incrementAndGet();
                assertThat(number).isEqualTo(i);
                assertThat(first).isEqualTo(second);
            }
        }
    }

    private void readLatched(SeededRandom random) {
        while (!stop.get()) {
            int i = random.nextInt(PAGES);
            int frame = pool.fixShared(page(i));
            int at = pool.offset(frame);
            long number = PageMemory.getLong(pool.chunk(frame), at + NUMBER_AT);
            long first = PageMemory.getLong(pool.chunk(frame), at + FIRST_AT);
            long second = PageMemory.getLong(pool.chunk(frame), at + SECOND_AT);
            pool.unfixShared(frame);
            assertThat(number).isEqualTo(i);
            assertThat(first).isEqualTo(second);
        }
    }

    private long countOf(int i) {
        int frame = pool.fixShared(page(i));
        long count = PageMemory.getLong(pool.chunk(frame), pool.offset(frame) + FIRST_AT);
        pool.unfixShared(frame);
        return count;
    }

    private void guarded(Runnable body) {
        try {
            body.run();
        } catch (Throwable t) {
            failure.compareAndSet(null, t);
            stop.set(true);
        }
    }

    private static long page(int i) {
        return PageId.of(1, 1000 + i);
    }
}
