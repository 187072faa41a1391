// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.page.PageId;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.sync.BufferLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Free frames are touched, others are left alone. If this failed, memory that somebody uses could
 * be written, or nothing be touched at all.
 */
final class FrameToucherTest {
    private static final int FRAMES = 256;
    private static final int ROUNDS = FRAMES * PoolFixture.PAGE_BYTES / (256 << 10);

    private final PoolFixture fixture = new PoolFixture(FRAMES);
    private final BufferPool pool = fixture.pool;
    private final FrameToucher toucher = new FrameToucher(pool, fixture.counters);

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void givenAFreshPool_whenTheRoundsAreOver_thenEachFrameWasTouchedOnce() {
        fillAllMemory();

        run(ROUNDS - 1);
        assertThat(toucher.getAsLong()).isLessThan(1_000_000_000L);
        run(3);

        assertThat(toucher.getAsLong()).isEqualTo(Long.MAX_VALUE);
        assertThat(touched()).isEqualTo(FRAMES);
        for (int frame = 0; frame < FRAMES; frame++) {
            assertThat(firstByte(frame)).isZero();
        }
        assertThat(pool.checkInvariants()).isEmpty();
    }

    @Test
    void givenFramesInUse_whenTheOthersAreTouched_thenTheirPagesStay() {
        for (int page = 1; page <= 5; page++) {
            fixture.putOnDisk(PageId.of(1, page), 100 + page);
            assertThat(fixture.read(PageId.of(1, page))).isEqualTo(100 + page);
        }
        fillFreeMemory();

        run(ROUNDS);

        assertThat(touched()).isEqualTo(FRAMES - 5);
        for (int page = 1; page <= 5; page++) {
            int frame = pool.find(PageId.of(1, page));
            assertThat(firstByte(frame)).as("checksum").isNotZero();
            assertThat(fixture.read(PageId.of(1, page))).isEqualTo(100 + page);
        }
    }

    @Test
    void givenAFrameThatIsBeingClaimed_whenItsTurnComes_thenItIsPassedBy() {
        fillAllMemory();
        FrameTable frames = pool.frames();
        BufferLatch.tryAcquireExclusive(frames.table(), FrameTable.line(7));

        run(ROUNDS);

        assertThat(touched()).isEqualTo(FRAMES - 1);
        assertThat(firstByte(7)).isEqualTo((byte) 0x55);
        BufferLatch.releaseExclusive(frames.table(), FrameTable.line(7));
    }

    @Test
    void givenATouchedFrame_whenAStaleReaderValidates_thenItFails() {
        long version = pool.tryOptimisticVersion(3);

        run(ROUNDS);

        assertThat(pool.validate(3, version)).isFalse();
    }

    @Test
    void givenASmallPool_whenAsked_thenItIsNotNeeded() {
        assertThat(toucher.isNeeded()).isFalse();
    }

    private void run(int rounds) {
        for (int i = 0; i < rounds; i++) {
            assertThat(toucher.run()).isFalse();
        }
    }

    private long touched() {
        return fixture.counters.sum(Counter.FRAMES_TOUCHED);
    }

    private byte firstByte(int frame) {
        return PageMemory.getByte(pool.chunk(frame), pool.offset(frame));
    }

    private void fillAllMemory() {
        for (int frame = 0; frame < FRAMES; frame++) {
            fill(frame);
        }
    }

    private void fillFreeMemory() {
        for (int frame = 0; frame < FRAMES; frame++) {
            if (pool.pageId(frame) == PageId.NONE) {
                fill(frame);
            }
        }
    }

    private void fill(int frame) {
        PageMemory.fill(pool.chunk(frame), pool.offset(frame), PoolFixture.PAGE_BYTES, (byte) 0x55);
    }
}
