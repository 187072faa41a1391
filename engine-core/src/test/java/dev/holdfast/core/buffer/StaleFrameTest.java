// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.page.PageId;
import dev.holdfast.sync.TestHooks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * If this failed, L4 would be broken: a thread that holds latches would wait for a frame that has
 * another page by now, and so for anybody, against the order of ranks.
 */
final class StaleFrameTest {
    private static final long HELD = PageId.of(16, 5);
    private static final long WANTED = PageId.of(16, 6);
    private static final int OTHERS_FROM = 100;

    private final PoolFixture fixture = new PoolFixture(64);
    private final BufferPool pool = fixture.pool;

    @AfterEach
    void close() {
        TestHooks.reset();
        assertThat(pool.checkInvariants()).isEmpty();
        fixture.close();
    }

    /** The deadlock that a soak run met: decision 0011. */
    @Test
    void givenAThreadWokenForAPage_whenItsFrameGoesToOneWhoseHolderWaitsForIt_thenBothGoOn()
            throws Exception {
        fixture.putOnDisk(HELD, 1);
        fixture.putOnDisk(WANTED, 2);
        int frame = pool.fixExclusive(WANTED);
        TestThread<Long> first = TestThread.start(this::readWantedWithAnotherHeld);
        first.awaitParked();
        long other;
        TestThread<Long> second;

        try (TestHooks.Pause woken = TestHooks.pauseAt("sync.woken")) {
            pool.unfixExclusive(frame);
            woken.awaitReached();
            evict(frame);
            other = loadInto(frame);
            second = TestThread.start(() -> readHeldWithAnotherHeld(other));
            second.awaitParked();
        }

        assertThat(first.result()).isEqualTo(2);
        assertThat(second.result()).isEqualTo(1);
    }

    @Test
    void givenThreadsThatWaitForAPage_whenItIsDiscarded_thenNoneOfThemStaysWithItsFrame()
            throws Exception {
        fixture.putOnDisk(WANTED, 2);
        int frame = pool.fixExclusive(WANTED);
        TestThread<Long> first = TestThread.start(() -> fixture.read(WANTED));
        TestThread<Long> second = TestThread.start(() -> fixture.read(WANTED));
        first.awaitParked();
        second.awaitParked();

        pool.supply().unmapLatched(frame);

        // The frame is still latched: whoever waited for it would wait on.
        assertThat(first.result()).isEqualTo(2);
        assertThat(second.result()).isEqualTo(2);
        pool.frames().pageId(frame, WANTED);
        pool.unfixExclusive(frame);
        pool.frames().pageId(frame, PageId.NONE);
        pool.supply().giveBack(frame);
    }

    private long readWantedWithAnotherHeld() {
        try (FrameStock stock = pool.reserve(1)) {
            int held = pool.fixExclusive(HELD);
            int wanted = pool.fixExclusive(WANTED, stock, pool.tally());
            long value = fixture.value(wanted);
            pool.unfixExclusive(wanted);
            pool.unfixExclusive(held);
            return value;
        }
    }

    private long readHeldWithAnotherHeld(long other) {
        int own = pool.fixExclusive(other);
        int held = pool.fixExclusive(HELD);
        long value = fixture.value(held);
        pool.unfixExclusive(held);
        pool.unfixExclusive(own);
        return value;
    }

    private void evict(int frame) {
        assertThat(pool.supply().tryEvict(frame)).isTrue();
        pool.supply().giveBack(frame);
    }

    /** Loads pages until one has come into this frame. */
    private long loadInto(int frame) {
        for (int page = OTHERS_FROM; page < OTHERS_FROM + 1000; page++) {
            long pageId = PageId.of(16, page);
            fixture.putOnDisk(pageId, page);
            if (pool.load(pageId, true) == frame) {
                return pageId;
            }
        }
        throw new AssertionError("no page came into the frame: frame=" + frame);
    }
}
