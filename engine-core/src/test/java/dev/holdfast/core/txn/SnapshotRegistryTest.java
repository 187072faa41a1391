// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.buffer.TestThread;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** P5. If this failed, purge would take versions away that a snapshot still needs. */
final class SnapshotRegistryTest {
    private final AtomicLong appendLsn = new AtomicLong(100);

    /** What happens when the append LSN is read: that is where the two sides can meet. */
    private Runnable whenRead = () -> {};

    private final SnapshotRegistry registry = new SnapshotRegistry(this::readAppendLsn);

    private long readAppendLsn() {
        Runnable once = whenRead;
        whenRead = () -> {};
        once.run();
        return appendLsn.get();
    }

    @Test
    void givenASnapshot_whenTheLogMovesOn_thenTheHorizonStaysAtIt() {
        int slot = registry.acquire();
        long lsn = registry.register(slot);
        appendLsn.set(900);

        long held = registry.advanceHorizon();
        registry.release(slot);

        assertThat(lsn).isEqualTo(100);
        assertThat(held).isEqualTo(100);
        assertThat(registry.advanceHorizon()).isEqualTo(900);
        assertThat(registry.horizon()).isEqualTo(900);
    }

    @Test
    void givenARegistration_whenTheAgentComesBetweenFlagAndNumber_thenTheHorizonStaysBelowIt() {
        int slot = registry.acquire();
        whenRead =
                () -> {
                    // The slot is flagged, its number is not there yet.
                    appendLsn.set(500);
                    registry.advanceHorizon();
                    appendLsn.set(400);
                };

        long lsn = registry.register(slot);

        // The number is read behind the flag, so whatever the agent published is not above it.
        assertThat(lsn).isEqualTo(400);
        assertThat(registry.horizon()).isEqualTo(100);
        assertThat(registry.advanceHorizon()).isEqualTo(400);
    }

    @Test
    void givenTheAgentHasReadTheLog_whenASnapshotComesBeforeItsScan_thenTheHorizonIsNotAboveIt() {
        long[] snapshot = new long[1];
        whenRead =
                () -> {
                    int slot = registry.acquire();
                    snapshot[0] = registry.register(slot);
                };

        appendLsn.set(300);
        long horizon = registry.advanceHorizon();

        assertThat(snapshot[0]).isEqualTo(300);
        assertThat(horizon).isEqualTo(300);
    }

    @Test
    void givenASlotTakenBeforeTheHorizonMoved_whenItIsScanned_thenTheHorizonDoesNotFall() {
        int slot = registry.acquire();
        registry.suspend(slot);
        appendLsn.set(700);
        registry.advanceHorizon();
        appendLsn.set(600);

        registry.register(slot);

        assertThat(registry.advanceHorizon()).isEqualTo(700);
    }

    @Test
    void givenASuspendedSlot_whenTheLogMovesOn_thenItHoldsNothingBack() {
        int slot = registry.acquire();
        registry.register(slot);

        registry.suspend(slot);
        appendLsn.set(500);

        assertThat(registry.advanceHorizon()).isEqualTo(500);
        assertThat(registry.inUse()).isEqualTo(1);
        assertThat(registry.register(slot)).isEqualTo(500);
    }

    @Test
    void givenManySnapshots_whenTheFirstChunkIsFull_thenItGrowsAndTheOldestHolds() {
        List<Integer> slots = new ArrayList<>();
        for (int i = 0; i < 5 * SnapshotRegistry.CHUNK_SLOTS; i++) {
            int slot = registry.acquire();
            registry.register(slot);
            slots.add(slot);
            appendLsn.incrementAndGet();
        }

        assertThat(slots).doesNotHaveDuplicates();
        assertThat(registry.inUse()).isEqualTo(slots.size());
        assertThat(registry.advanceHorizon()).isEqualTo(100);
        registry.release(slots.get(0));
        assertThat(registry.advanceHorizon()).isEqualTo(101);
        slots.subList(1, slots.size()).forEach(registry::release);
        assertThat(registry.inUse()).isZero();
        assertThat(registry.advanceHorizon()).isEqualTo(appendLsn.get());
    }

    @Test
    void givenSnapshotsThatComeAndGo_whenTheAgentRuns_thenItsHorizonIsNeverAboveOne()
            throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger rounds = new AtomicInteger();
        TestThread<Void> agent =
                TestThread.start(
                        () -> {
                            while (!stop.get()) {
                                appendLsn.incrementAndGet();
                                registry.advanceHorizon();
                                rounds.incrementAndGet();
                            }
                            return null;
                        });

        int above = 0;
        int slot = registry.acquire();
        // Until the agent, which may begin late, has had its rounds beside it.
        for (int i = 0; i < 50_000 || (rounds.get() < 1_000 && !agent.isDone()); i++) {
            long lsn = registry.register(slot);
            above += registry.horizon() > lsn ? 1 : 0;
            if (i % 3 == 0) {
                registry.release(slot);
                slot = registry.acquire();
            } else {
                registry.suspend(slot);
            }
        }
        stop.set(true);

        agent.result();
        assertThat(above).isZero();
        assertThat(rounds.get()).isGreaterThanOrEqualTo(1_000);
    }
}
