// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.sync.TestHooks;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * If this failed, two threads could get one page, a reader could see a page reused under it, or
 * pages could be lost while a space grows, is used and is given back by many.
 */
@ExtendWith(SeedExtension.class)
final class SpaceStressTest {
    private static final int THREADS = 4;
    private static final int PAGES_MAX = 1 << 16;
    private static final int OWNER_MIN = 16;
    private static final int FRAMES = 96;

    /** Who holds a page, as the threads see it: 0 nobody, else 1 + thread. */
    private final AtomicIntegerArray holders = new AtomicIntegerArray(PAGES_MAX);

    /** A page that a reader may be following a pointer to, and how often each page was reused. */
    private final AtomicLong published = new AtomicLong(-1);

    private final AtomicIntegerArray uses = new AtomicIntegerArray(PAGES_MAX);
    private final AtomicReference<Throwable> broken = new AtomicReference<>();

    @AfterEach
    void resetHooks() {
        TestHooks.reset();
    }

    @Test
    void givenThreadsThatAllocateAndFree_whenTheyRun_thenNoPageHasTwoHolders(SeededRandom random)
            throws Exception {
        Duration time = SeedExtension.everydayOrSoak(Duration.ofSeconds(2), Duration.ofMinutes(2));

        run(random, time);

        assertThat(broken.get()).isNull();
    }

    private void run(SeededRandom random, Duration time) throws Exception {
        try (SpaceFixture fixture =
                new SpaceFixture(4096, MemoryDirectory.create(), FRAMES, (space, head) -> {})) {
            fixture.start(true);
            Space space = fixture.create(16);
            long deadline = System.nanoTime() + time.toNanos();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Worker worker = new Worker(fixture, space, i, random.derive(i), deadline);
                threads.add(new Thread(worker));
            }
            threads.add(new Thread(() -> read(fixture, space, deadline)));
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            if (broken.get() == null) {
                check(fixture, space);
            }
        }
    }

    /** All pages were given back: after the epochs nothing is owned, and nothing is lost. */
    private static void check(SpaceFixture fixture, Space space) throws Exception {
        while (CondemnedPages.hasWork(space)) {
            Thread.onSpinWait();
        }
        List<String> findings = new ArrayList<>();
        new SpaceCheck(space).check(findings::add);
        long[] owned = {0};
        new SpaceCheck(space).visitEntries((page, state, owner) -> owned[0] += state == 0 ? 0 : 1);
        assertThat(findings).isEmpty();
        assertThat(owned[0]).isEqualTo(1 + space.groupCount());
        while (space.freePagesKnown() != space.pageCount() - owned[0]) {
            fixture.under.health.check();
            Thread.onSpinWait();
        }
        space.freePages().checkInvariants();
    }

    /** Follows the published pointer inside an epoch and looks twice at its target. */
    private void read(SpaceFixture fixture, Space space, long deadline) {
        try {
            while (System.nanoTime() < deadline && broken.get() == null) {
                int token = fixture.epochs.enter();
                long pointer = published.get();
                if (pointer >= 0) {
                    int page = (int) pointer;
                    int before = uses.get(page);
                    boolean isCurrent = published.get() == pointer;
                    for (int i = 0; i < 200 && isCurrent; i++) {
                        if (uses.get(page) != before) {
                            broken.set(new AssertionError("page is reused under a reader"));
                            break;
                        }
                        Thread.onSpinWait();
                    }
                    assertThat(space.ownerOf(page)).isNotEqualTo(AllocationMap.SYSTEM_OWNER);
                }
                fixture.epochs.leave(token);
            }
        } catch (Throwable failure) {
            broken.compareAndSet(null, failure);
        }
    }

    /** Allocates, frees and condemns pages of an owner of its own. */
    private final class Worker implements Runnable {
        private final Space space;
        private final MiniTransaction mtr;
        private final int index;
        private final SeededRandom random;
        private final long deadline;
        private final ArrayDeque<Integer> mine = new ArrayDeque<>();

        Worker(SpaceFixture fixture, Space space, int index, SeededRandom random, long deadline) {
            this.space = space;
            this.mtr = fixture.mtr();
            this.index = index;
            this.random = random;
            this.deadline = deadline;
        }

        @Override
        public void run() {
            try {
                while (System.nanoTime() < deadline && broken.get() == null) {
                    step();
                }
                while (!mine.isEmpty() && broken.get() == null) {
                    giveUp(mine.poll());
                }
            } catch (Throwable failure) {
                broken.compareAndSet(null, failure);
            }
        }

        private void step() {
            if (mine.size() < 400 && (mine.isEmpty() || random.chance(0.55))) {
                take();
            } else {
                giveUp(mine.poll());
            }
        }

        private void take() {
            int near = mine.isEmpty() ? PageId.NULL_PAGE_NUMBER : mine.peekLast();
            int count = random.between(1, 6);
            try (PageReservation pages = space.reserve(count, near, random.oneIn(10))) {
                mtr.begin(4000, 2 * count, true);
                try {
                    pages.fixMaps(mtr);
                    int wanted = random.between(1, count);
                    int[] got = new int[wanted];
                    for (int i = 0; i < wanted; i++) {
                        int frame = space.allocate(mtr, pages, OWNER_MIN + index, PageType.LEAF);
                        got[i] = PageId.pageNumber(mtr.pageId(frame));
                    }
                    mtr.commit();
                    for (int page : got) {
                        hold(page);
                    }
                } catch (Throwable failure) {
                    throw mtr.failed(failure);
                }
            }
        }

        private void hold(int page) {
            uses.incrementAndGet(page);
            if (!holders.compareAndSet(page, 0, 1 + index)) {
                throw new AssertionError(
                        "page has two holders: page=" + page + ", other=" + holders.get(page));
            }
            mine.add(page);
        }

        private void giveUp(int page) {
            long pageId = PageId.of(16, page);
            assertThat(space.ownerOf(page)).isEqualTo(OWNER_MIN + index);
            boolean condemn = random.nextBoolean();
            if (condemn) {
                published.set(page);
            }
            mtr.begin(4000, 2, true);
            try {
                int frame = condemn ? -1 : mtr.fixExclusive(pageId);
                boolean isFixed = space.fixMap(mtr, pageId);
                assertThat(isFixed).isTrue();
                holders.set(page, 0);
                if (condemn) {
                    // Unlinked before the group is published, as a leaf's record would be.
                    published.set(-1);
                    space.condemn(mtr, pageId, false);
                } else {
                    space.free(mtr, frame);
                }
                mtr.commit();
            } catch (Throwable failure) {
                throw mtr.failed(failure);
            }
        }
    }
}
