// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.sync.AdmissionGate.Entry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A ticket given back while its next owner comes or goes: lost, it is missing for ever. */
final class AdmissionGateRaceTest {
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final FreshSite site = new FreshSite();
    private final AdmissionGate gate = new AdmissionGate(site, 1);
    private final AtomicBoolean stop = new AtomicBoolean();
    private final TestThreads threads = new TestThreads();

    @AfterEach
    void checkTheGate() throws Exception {
        TestHooks.reset();
        threads.join();
        assertThat(gate.waiting()).isZero();
    }

    @Test
    void givenTheTimeIsUp_whenTheTicketIsGrantedJustThen_thenItIsTaken() {
        for (String point : List.of(AdmissionGate.AFTER_PARK, GateTickets.LEAVING_QUEUE)) {
            gate.tryEnter();
            AtomicReference<Entry> entry = new AtomicReference<>();
            try (TestHooks.Pause pause = TestHooks.pauseAt(point)) {
                threads.start(() -> entry.set(gate.enter(0, 1_000_000, stop::get)));
                pause.awaitReached();

                gate.leave();
            }

            threads.until(() -> entry.get() != null);
            assertThat(entry).as(point).hasValue(Entry.ADMITTED);
            assertThat(gate.inside()).isEqualTo(1);
            gate.leave();
        }
        assertThat(site.counters().timeouts()).isZero();
    }

    @Test
    void givenAGrantThatIsUnderWay_whenTheTimeIsUp_thenTheWaiterStaysUntilItIsThere() {
        gate.tryEnter();
        AtomicReference<Entry> entry = new AtomicReference<>();
        TestHooks.Pause leaving = TestHooks.pauseAt(GateTickets.LEAVING_QUEUE);
        TestHooks.Pause granting = TestHooks.pauseAt(GateTickets.GRANTING);
        Thread waiter = threads.start(() -> entry.set(gate.enter(0, 1_000_000, stop::get)));
        leaving.awaitReached();
        threads.start(gate::leave);
        granting.awaitReached();

        leaving.close();
        threads.until(() -> waiter.getState() == Thread.State.WAITING);
        assertThat(entry.get()).isNull();
        granting.close();

        threads.until(() -> entry.get() != null);
        assertThat(entry).hasValue(Entry.ADMITTED);
        assertThat(gate.inside()).isEqualTo(1);
    }

    @Test
    void givenAGateThatIsBeingClosed_whenATicketComesBack_thenNoWaiterGetsIt() throws Exception {
        gate.tryEnter();
        AtomicReference<Entry> entry = new AtomicReference<>();
        threads.start(() -> entry.set(enter(0)));
        threads.until(() -> site.counters().parks() == 1);
        try (TestHooks.Pause closing = TestHooks.pauseAt(AdmissionGate.CLOSING)) {
            threads.start(gate::close);
            closing.awaitReached();

            gate.leave();
        }

        threads.join();
        assertThat(entry).hasValue(Entry.STOPPED);
        assertThat(gate.inside()).isZero();
    }

    @Test
    void givenATicketComesBack_whenAThreadIsAboutToQueueOrToPark_thenItDoesNotSleepOn() {
        for (String point : List.of(AdmissionGate.BEFORE_QUEUEING, AdmissionGate.BEFORE_PARK)) {
            AtomicReference<Entry> entry = new AtomicReference<>();
            gate.tryEnter();
            try (TestHooks.Pause pause = TestHooks.pauseAt(point)) {
                threads.start(() -> entry.set(enter(0)));
                pause.awaitReached();

                gate.leave();
            }

            threads.until(() -> entry.get() != null);
            assertThat(entry).as(point).hasValue(Entry.ADMITTED);
            gate.leave();
            assertThat(gate.inside()).isZero();
        }
    }

    @Test
    void givenAWaiterThatStops_whenItsTicketWasGrantedJustThen_thenTheTicketIsGivenBack()
            throws Exception {
        gate.tryEnter();
        List<Entry> entries = new CopyOnWriteArrayList<>();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch granted = new CountDownLatch(1);
        threads.start(
                () ->
                        entries.add(
                                gate.enter(
                                        0,
                                        NO_LIMIT,
                                        () -> {
                                            asked.countDown();
                                            await(granted);
                                            return true;
                                        })));
        asked.await();

        gate.leave();
        assertThat(gate.inside()).isEqualTo(1);
        granted.countDown();

        threads.join();
        assertThat(entries).containsExactly(Entry.STOPPED);
        assertThat(gate.inside()).isZero();
    }

    private Entry enter(int priority) {
        return gate.enter(priority, NO_LIMIT, stop::get);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
