// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.sync.AdmissionGate.Entry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** If it fails, too many transactions run, some never begin, or they begin in a wrong order. */
final class AdmissionGateTest {
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final FreshSite site = new FreshSite();
    private final AdmissionGate gate = new AdmissionGate(site, 1);
    private final AtomicBoolean stop = new AtomicBoolean();
    private final TestThreads threads = new TestThreads();

    @AfterEach
    void checkTheGate() throws Exception {
        TestHooks.reset();
        gate.close();
        threads.join();
        assertThat(gate.waiting()).isZero();
    }

    @Test
    void givenFreeTickets_whenThreadsEnter_thenNothingIsCountedUntilTheLimit() {
        gate.limit(2);

        assertThat(enter(0)).isEqualTo(Entry.ADMITTED);
        assertThat(gate.tryEnter()).isTrue();
        assertThat(gate.tryEnter()).isFalse();

        assertThat(gate.inside()).isEqualTo(2);
        assertThat(site.counters().contendedAcquires()).isZero();
        gate.leave();
        assertThat(gate.tryEnter()).isTrue();
    }

    @Test
    void givenWaiters_whenATicketComesBack_thenItGoesToTheFirstAndNobodyPasses() throws Exception {
        gate.tryEnter();
        List<Integer> order = new CopyOnWriteArrayList<>();
        for (int i = 1; i <= 3; i++) {
            startWaiter(0, i, order);
        }

        for (int i = 1; i <= 3; i++) {
            int entered = i;
            gate.leave();
            assertThat(gate.tryEnter()).as("the ticket has an owner already").isFalse();
            threads.until(() -> order.size() == entered);
        }

        assertThat(order).containsExactly(1, 2, 3);
        assertThat(gate.inside()).isEqualTo(1);
        assertThat(site.counters().contendedAcquires()).isEqualTo(3);
        assertThat(site.counters().parks()).as("nobody woke in vain").isEqualTo(3);
    }

    @Test
    void givenPriorities_whenTicketsComeBack_thenTheHigherGoFirstAndEqualOnesInOrder() {
        gate.tryEnter();
        List<Integer> order = new CopyOnWriteArrayList<>();
        startWaiter(0, 1, order);
        startWaiter(7, 2, order);
        startWaiter(3, 3, order);
        startWaiter(7, 4, order);

        for (int i = 1; i <= 4; i++) {
            int entered = i;
            gate.leave();
            threads.until(() -> order.size() == entered);
        }

        assertThat(order).containsExactly(2, 4, 3, 1);
    }

    @Test
    void givenAWaiterOfLowPriority_whenHigherOnesKeepComing_thenItIsPassedByFewerThanTheBound() {
        gate.tryEnter();
        List<Integer> order = new CopyOnWriteArrayList<>();
        startWaiter(0, 0, order);
        int later = GateTickets.ARRIVALS_PER_PRIORITY + 5;
        for (int i = 1; i <= later; i++) {
            startWaiter(1, i, order);
        }

        for (int i = 0; i <= later; i++) {
            int entered = i + 1;
            gate.leave();
            threads.until(() -> order.size() == entered);
        }

        assertThat(order.indexOf(0)).isEqualTo(GateTickets.ARRIVALS_PER_PRIORITY - 1);
    }

    @Test
    void givenATimeLimit_whenNoTicketComes_thenItEndsCountedAndLeavesNobodyBehind() {
        gate.tryEnter();

        assertThat(gate.enter(0, 1_000_000, stop::get)).isEqualTo(Entry.TIMED_OUT);

        assertThat(site.counters().timeouts()).isEqualTo(1);
        assertThat(gate.waiting()).isZero();
        gate.leave();
        assertThat(gate.tryEnter()).isTrue();
    }

    @Test
    void givenWaiters_whenTheLimitRises_thenThatManyEnter() {
        gate.tryEnter();
        List<Integer> order = new CopyOnWriteArrayList<>();
        for (int i = 1; i <= 3; i++) {
            startWaiter(0, i, order);
        }

        gate.limit(3);

        threads.until(() -> order.size() == 2);
        assertThat(order).containsExactlyInAnyOrder(1, 2);
        assertThat(gate.inside()).isEqualTo(3);
        assertThat(gate.waiting()).isEqualTo(1);
    }

    @Test
    void givenFewerWaitersThanTickets_whenTheLimitRises_thenTheOthersAreFree() {
        gate.tryEnter();
        List<Integer> order = new CopyOnWriteArrayList<>();
        startWaiter(0, 1, order);

        gate.limit(3);

        assertThat(gate.tryEnter()).isTrue();
        assertThat(gate.tryEnter()).isFalse();
        threads.until(() -> order.size() == 1);
    }

    @Test
    void givenTheLimitFell_whenThreadsLeave_thenNobodyEntersUntilEnoughHave() {
        gate.limit(3);
        List<Integer> order = new CopyOnWriteArrayList<>();
        for (int i = 0; i < 3; i++) {
            gate.tryEnter();
        }
        startWaiter(0, 1, order);

        gate.limit(1);
        gate.leave();
        gate.leave();
        assertThat(gate.inside()).isEqualTo(1);
        assertThat(gate.waiting()).isEqualTo(1);
        gate.leave();

        threads.until(() -> order.size() == 1);
        assertThat(gate.limit()).isEqualTo(1);
    }

    @Test
    void givenWaiters_whenTheGateCloses_thenAllAreStoppedAndNobodyEntersAnyMore() throws Exception {
        gate.tryEnter();
        List<Entry> entries = new CopyOnWriteArrayList<>();
        for (int i = 1; i <= 3; i++) {
            int count = i;
            threads.start(() -> entries.add(enter(0)));
            threads.until(() -> site.counters().parks() == count);
        }

        gate.close();

        threads.join();
        assertThat(entries).containsExactly(Entry.STOPPED, Entry.STOPPED, Entry.STOPPED);
        gate.leave();
        assertThat(gate.inside()).isZero();
        assertThat(gate.tryEnter()).isFalse();
        assertThat(enter(7)).isEqualTo(Entry.STOPPED);
    }

    @Test
    void givenWaiters_whenWokenInVain_thenTheyKeepTheirOrder() {
        gate.tryEnter();
        List<Integer> order = new CopyOnWriteArrayList<>();
        for (int i = 1; i <= 4; i++) {
            startWaiter(0, i, order);
        }

        gate.wakeAll();
        threads.until(() -> site.counters().parks() == 8);
        for (int i = 1; i <= 4; i++) {
            int entered = i;
            gate.leave();
            threads.until(() -> order.size() == entered);
        }

        assertThat(order).containsExactly(1, 2, 3, 4);
    }

    @Test
    void givenAWaiterThatIsToldToStop_whenWoken_thenItIsStopped() throws Exception {
        gate.tryEnter();
        List<Entry> entries = new CopyOnWriteArrayList<>();
        threads.start(() -> entries.add(enter(0)));
        threads.until(() -> site.counters().parks() == 1);
        stop.set(true);

        gate.wakeAll();

        threads.join();
        assertThat(entries).containsExactly(Entry.STOPPED);
    }

    @Test
    void givenAStopThatThrows_whenAsked_thenTheWaiterIsOutOfTheQueue() {
        gate.tryEnter();

        assertThatThrownBy(
                        () ->
                                gate.enter(
                                        0,
                                        NO_LIMIT,
                                        () -> {
                                            throw new IllegalStateException("planted");
                                        }))
                .isInstanceOf(IllegalStateException.class);

        assertThat(gate.waiting()).isZero();
        gate.leave();
        assertThat(gate.tryEnter()).isTrue();
    }

    @Test
    void givenAnInterrupt_whenNotAskedFor_thenTheWaitGoesOnAndTheFlagIsKept() throws Exception {
        gate.tryEnter();
        AtomicInteger flagged = new AtomicInteger();
        Thread thread =
                threads.start(
                        () -> {
                            Thread.currentThread().interrupt();
                            enter(0);
                            flagged.addAndGet(Thread.interrupted() ? 1 : 0);
                        });
        threads.until(() -> site.counters().parks() == 1);
        thread.interrupt();

        gate.leave();

        threads.join();
        assertThat(flagged).hasValue(1);
        assertThat(gate.inside()).isEqualTo(1);
    }

    @Test
    void givenAnInterrupt_whenAskedFor_thenItEndsTheWaitAndTheFlagIsKept() throws Exception {
        gate.tryEnter();
        List<Object> seen = new CopyOnWriteArrayList<>();
        Thread thread =
                threads.start(
                        () -> {
                            seen.add(gate.enterInterruptibly(0, NO_LIMIT, stop::get));
                            seen.add(Thread.interrupted());
                        });
        threads.until(() -> site.counters().parks() == 1);

        thread.interrupt();

        threads.join();
        assertThat(seen).containsExactly(Entry.INTERRUPTED, true);
        assertThat(gate.waiting()).isZero();
    }

    @Test
    void givenValuesOutOfRange_whenGiven_thenTheyAreRefused() {
        gate.tryEnter();

        assertThatThrownBy(() -> gate.limit(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new AdmissionGate(site, -1))
                .isInstanceOf(IllegalArgumentException.class);
        for (int priority : new int[] {-1, AdmissionGate.PRIORITY_MAX + 1}) {
            assertThatThrownBy(() -> enter(priority)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    private Entry enter(int priority) {
        return gate.enter(priority, NO_LIMIT, stop::get);
    }

    /** Starts a thread that notes its number once it is inside; returns when it sleeps. */
    private void startWaiter(int priority, int number, List<Integer> order) {
        int waiting = gate.waiting();
        long parks = site.counters().parks();
        threads.start(
                () -> {
                    if (enter(priority) == Entry.ADMITTED) {
                        order.add(number);
                    }
                });
        threads.until(() -> gate.waiting() == waiting + 1 && site.counters().parks() > parks);
    }
}
