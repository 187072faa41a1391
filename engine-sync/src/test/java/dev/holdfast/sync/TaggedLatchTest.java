// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Waits for a latch that comes to guard something else. If one of these fails, a thread can wait,
 * with other latches held, for the holder of a page that it never asked for: a deadlock that the
 * order of ranks does not see.
 */
final class TaggedLatchTest {
    private static final int OFFSET = 64;
    private static final long WANTED = 7;
    private static final long OTHER = 9;

    private final FreshSite site = new FreshSite();
    private final TestThreads threads = new TestThreads();
    private final ByteBuffer table =
            ByteBuffer.allocateDirect(4 * 64).order(ByteOrder.LITTLE_ENDIAN);
    private final ConcurrentLinkedQueue<Boolean> answers = new ConcurrentLinkedQueue<>();

    @AfterEach
    void resetHooks() {
        TestHooks.reset();
    }

    @Test
    void givenAFreeLatch_whenItsTagIsTheOneWanted_thenItIsHeldElseNot() {
        tag(OFFSET, WANTED);

        assertThat(BufferLatch.acquireExclusiveTagged(table, OFFSET, site, OTHER)).isFalse();
        assertThat(BufferLatch.acquireSharedTagged(table, OFFSET, site, OTHER)).isFalse();
        assertThat(BufferLatch.isShared(table, OFFSET)).isFalse();
        assertThat(BufferLatch.acquireExclusiveTagged(table, OFFSET, site, WANTED)).isTrue();
        BufferLatch.releaseExclusive(table, OFFSET);
        assertThat(BufferLatch.acquireSharedTagged(table, OFFSET, site, WANTED)).isTrue();
        BufferLatch.releaseShared(table, OFFSET);
        assertThat(BufferLatch.tryAcquireExclusive(table, OFFSET)).isTrue();
    }

    @Test
    void givenWaitersInEveryMode_whenTheHolderChangesTheTag_thenAllLeaveWhileItIsHeld()
            throws Exception {
        tag(OFFSET, WANTED);
        BufferLatch.acquireExclusive(table, OFFSET, site);
        threads.untilParked(startExclusive(WANTED), site, 1);
        threads.untilParked(startExclusive(WANTED), site, 2);
        threads.untilParked(startShared(WANTED), site, 3);
        threads.untilParked(
                threads.start(
                        () -> BufferLatch.awaitNotExclusiveTagged(table, OFFSET, site, WANTED)),
                site,
                4);

        changeTag(OTHER);
        threads.join();

        assertThat(answers).containsExactly(false, false, false);
        assertThat(BufferLatch.isExclusive(table, OFFSET)).isTrue();
        assertThat(LatchWord.hasWaiters(word())).isFalse();
    }

    @Test
    void givenTheTagChangesWhileAThreadIsOnItsWayToQueue_thenItDoesNotSleep() throws Exception {
        tag(OFFSET, WANTED);
        BufferLatch.acquireExclusive(table, OFFSET, site);

        try (TestHooks.Pause pause = TestHooks.pauseAt(ParkingLot.BEFORE_QUEUEING)) {
            startExclusive(WANTED);
            pause.awaitReached();
            changeTag(OTHER);
        }
        threads.join();

        assertThat(answers).containsExactly(false);
        assertThat(site.counters().parks()).isZero();
        assertThat(LatchWord.hasWaiters(word())).isFalse();
    }

    /** What was seen: the page left its frame between the wake-up and the try. */
    @Test
    void givenAWokenWaiter_whenTheLatchIsTakenForAnotherTag_thenItDoesNotSleepAgain()
            throws Exception {
        tag(OFFSET, WANTED);
        BufferLatch.acquireExclusive(table, OFFSET, site);
        threads.untilParked(startExclusive(WANTED), site, 1);

        try (TestHooks.Pause woken = TestHooks.pauseAt(ParkingLot.WOKEN)) {
            BufferLatch.releaseExclusive(table, OFFSET);
            woken.awaitReached();
            assertThat(BufferLatch.tryAcquireExclusive(table, OFFSET)).isTrue();
            changeTag(OTHER);
        }
        threads.join();

        assertThat(answers).containsExactly(false);
        assertThat(BufferLatch.isExclusive(table, OFFSET)).isTrue();
        assertThat(LatchWord.isWoken(word())).isFalse();
    }

    @Test
    void givenAWokenWaiterThatGivesUp_whenAnotherHasQueuedForTheNewTag_thenItIsWoken()
            throws Exception {
        tag(OFFSET, WANTED);
        BufferLatch.acquireExclusive(table, OFFSET, site);
        Thread first = startExclusive(WANTED);
        threads.untilParked(first, site, 1);

        try (TestHooks.Pause woken = TestHooks.pauseAt(ParkingLot.WOKEN)) {
            BufferLatch.releaseExclusive(table, OFFSET);
            woken.awaitReached();
            assertThat(BufferLatch.tryAcquireExclusive(table, OFFSET)).isTrue();
            changeTag(OTHER);
            threads.untilParked(startExclusive(OTHER), site, 2);
        }
        threads.until(() -> answers.contains(false));
        BufferLatch.releaseExclusive(table, OFFSET);
        threads.join();

        assertThat(answers).containsExactly(false, true);
    }

    @Test
    void givenAWaiter_whenTheTagIsPutBack_thenItGetsTheLatch() throws Exception {
        tag(OFFSET, WANTED);
        BufferLatch.acquireExclusive(table, OFFSET, site);
        Thread waiter = startExclusive(WANTED);
        threads.untilParked(waiter, site, 1);

        tag(OFFSET, WANTED);
        BufferLatch.tagChanged(table, OFFSET);
        threads.untilParked(waiter, site, 2);
        BufferLatch.releaseExclusive(table, OFFSET);
        threads.join();

        assertThat(answers).containsExactly(true);
    }

    /**
     * Each thread holds latch 0 while it waits for what it wants in latch 1, and the one that holds
     * latch 1 under another tag waits for latch 0: a ring, unless waits end when the tag changes.
     */
    @Test
    void givenTagsThatChangeAllTheTime_whenWaitedForWithALatchHeld_thenNobodyHangs()
            throws Exception {
        int rounds = Boolean.getBoolean("holdfast.soak") ? 2_000_000 : 30_000;
        for (int i = 0; i < 2; i++) {
            threads.start(() -> waitForTag(rounds));
            threads.start(() -> replaceAndWait(rounds));
        }

        threads.join();

        assertThat(LatchWord.hasWaiters(word())).isFalse();
        assertThat(BufferLatch.isExclusive(table, OFFSET)).isFalse();
    }

    private void waitForTag(int rounds) {
        for (int i = 0; i < rounds; i++) {
            BufferLatch.acquireExclusive(table, 0, site);
            long seen = table.getLong(OFFSET + BufferLatch.TAG_OFFSET);
            if (seen >= 0 && BufferLatch.acquireExclusiveTagged(table, OFFSET, site, seen)) {
                assertThat(table.getLong(OFFSET + BufferLatch.TAG_OFFSET)).isEqualTo(seen);
                BufferLatch.releaseExclusive(table, OFFSET);
            }
            BufferLatch.releaseExclusive(table, 0);
        }
    }

    /** A tag below zero is what nobody waits for with latch 0 held: its holder waits for that. */
    private void replaceAndWait(int rounds) {
        for (int i = 0; i < rounds; i++) {
            BufferLatch.acquireExclusive(table, OFFSET, site);
            changeTag(-1 - ThreadLocalRandom.current().nextInt(4));
            BufferLatch.acquireExclusive(table, 0, site);
            changeTag(ThreadLocalRandom.current().nextInt(4));
            BufferLatch.releaseExclusive(table, 0);
            BufferLatch.releaseExclusive(table, OFFSET);
        }
    }

    private Thread startExclusive(long wanted) {
        return threads.start(
                () -> {
                    boolean held = BufferLatch.acquireExclusiveTagged(table, OFFSET, site, wanted);
                    answers.add(held);
                    if (held) {
                        BufferLatch.releaseExclusive(table, OFFSET);
                    }
                });
    }

    private Thread startShared(long wanted) {
        return threads.start(
                () -> {
                    boolean held = BufferLatch.acquireSharedTagged(table, OFFSET, site, wanted);
                    answers.add(held);
                    if (held) {
                        BufferLatch.releaseShared(table, OFFSET);
                    }
                });
    }

    private void changeTag(long tag) {
        tag(OFFSET, tag);
        BufferLatch.tagChanged(table, OFFSET);
    }

    private void tag(int offset, long tag) {
        table.putLong(offset + BufferLatch.TAG_OFFSET, tag);
    }

    private long word() {
        return table.getLong(OFFSET);
    }
}
