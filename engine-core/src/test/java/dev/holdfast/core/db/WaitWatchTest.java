// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Engine;
import dev.holdfast.Table;
import dev.holdfast.Transaction;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.space.StoreFiles;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.sync.Latch;
import dev.holdfast.sync.WaitWatchdog;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** If this failed, a thread could wait for ever and nobody would hear of it. */
@ExtendWith(VerifyAfterTest.class)
final class WaitWatchTest {
    private static final int CATALOG_ROOT = 2;
    private static final long LATER = TimeUnit.HOURS.toNanos(1);

    private final Counters counters = new Counters();
    private final List<String> warnings = new ArrayList<>();
    private final WaitWatch watch = watch(Duration.ofMinutes(30), warnings::add);

    @Test
    void givenAWait_whenItLastsTooLong_thenItIsToldOfOnce() throws Exception {
        CallGate gate = new CallGate("s");
        Thread waiter = startDraining(gate);

        while (warnings.isEmpty()) {
            watch.look(System.nanoTime() + LATER);
        }
        watch.look(System.nanoTime() + LATER);
        watch.look(System.nanoTime() + LATER);

        assertThat(warnings).hasSize(1);
        assertThat(warnings.get(0))
                .contains("site=CLOSE_CALLS")
                .contains("thread=watched waiter")
                .contains("drain");
        assertThat(counters.sum(Counter.LONG_WAITS)).isEqualTo(1);
        assertThat(text())
                .contains("limitMillis=1800000, longWaits=1\n")
                .contains("last told: site=CLOSE_CALLS")
                .contains("thread=watched waiter");
        assertThat(waiter.isAlive()).as("nothing is done about it").isTrue();
        gate.leave();
        waiter.join();
    }

    @Test
    void givenALatchThatIsHeld_whenItIsWaitedForTooLong_thenTheHolderIsNamed() throws Exception {
        Latch latch = new Latch(CoreSites.FLUSH_LIST);
        latch.acquireExclusive();
        Thread waiter =
                new Thread(
                        () -> {
                            latch.acquireExclusive();
                            latch.releaseExclusive();
                        },
                        "watched waiter");
        waiter.start();

        while (warnings.isEmpty()) {
            watch.look(System.nanoTime() + LATER);
        }

        assertThat(warnings.get(0))
                .contains("site=FLUSH_LIST, storage=Latch@")
                .contains("thread=watched waiter")
                .contains("acquireExclusive")
                .contains("holding: thread=" + Thread.currentThread().getName());
        assertThat(text()).endsWith(", holder=" + Thread.currentThread().getName() + "\n");
        latch.releaseExclusive();
        waiter.join();
    }

    @Test
    void givenAShortWait_whenLookedAt_thenNothingIsTold() throws Exception {
        CallGate gate = new CallGate("s");
        Thread waiter = startDraining(gate);

        watch.look(System.nanoTime());

        assertThat(warnings).isEmpty();
        assertThat(text()).isEqualTo("limitMillis=1800000, longWaits=0\n");
        gate.leave();
        waiter.join();
    }

    @Test
    void givenALogThatThrows_whenSomethingIsTold_thenTheWatchGoesOn() throws Exception {
        WaitWatch muted =
                watch(
                        Duration.ofMinutes(30),
                        text -> {
                            throw new IllegalStateException("no log");
                        });
        CallGate gate = new CallGate("s");
        Thread waiter = startDraining(gate);

        while (counters.sum(Counter.LONG_WAITS) == 0) {
            muted.look(System.nanoTime() + LATER);
        }

        assertThat(muted.run()).isFalse();
        gate.leave();
        waiter.join();
    }

    @Test
    void givenAnEngineWithAShortLimit_whenAThreadWaits_thenTheStatusShowsIt(TestEngines engines)
            throws Exception {
        Engine engine =
                engines.open(TestEngines.small().waitWatchdog(Duration.ofMillis(1)).build());
        CallGate gate = new CallGate("s");
        Thread waiter = startDraining(gate);

        while (!engine.status().contains("thread=watched waiter")) {
            Thread.onSpinWait();
        }

        assertThat(engine.status()).contains("db.LONG_WAITS=").contains("watch: rounds=");
        gate.leave();
        waiter.join();
    }

    @Test
    void givenALatchedPage_whenItIsWaitedForTooLong_thenPageAndHolderAreNamed(TestEngines engines)
            throws Exception {
        Engine engine =
                engines.open(TestEngines.small().waitWatchdog(Duration.ofMillis(1)).build());
        BufferPool pool = EngineProbe.pool(engine);
        long pageId = PageId.of(StoreFiles.MAIN_SPACE, CATALOG_ROOT);
        int frame = pool.fixExclusive(pageId);
        Thread waiter = new Thread(() -> pool.unfixShared(pool.fixShared(pageId)), "page waiter");
        waiter.start();

        String line = lineOf("page waiter", engine);

        assertThat(line)
                .contains("site=PAGE, frame=" + frame + ", " + PageId.describe(pageId) + ", ")
                .contains(", exclusive=true, ")
                .endsWith(", thread=page waiter, holder=" + Thread.currentThread().getName());
        pool.unfixExclusive(frame);
        waiter.join();
    }

    /** Returns what the status tells of the thread's wait, once it does. */
    private static String lineOf(String thread, Engine engine) {
        while (true) {
            Optional<String> line =
                    engine.status()
                            .lines()
                            .filter(text -> text.contains("thread=" + thread))
                            .findFirst();
            if (line.isPresent()) {
                return line.get();
            }
        }
    }

    @Test
    void givenARow_whenItIsWaitedForTooLong_thenItsTreeIsNamed(TestEngines engines)
            throws Exception {
        Engine engine =
                engines.open(TestEngines.small().waitWatchdog(Duration.ofMillis(1)).build());
        Table table = engine.table("t");
        Transaction holder = engine.begin();
        holder.put(table, new byte[] {1}, new byte[] {1});
        Thread waiter =
                new Thread(
                        () ->
                                engine.write(
                                        transaction -> {
                                            transaction.put(table, new byte[] {1}, new byte[] {2});
                                            return null;
                                        }),
                        "row waiter");
        waiter.start();

        String line = lineOf("row waiter", engine);

        assertThat(line).containsPattern("site=ROW_LOCK, tree=[0-9]+, waitedMillis=");
        holder.rollback();
        waiter.join();
    }

    @Test
    void givenTheWatchTurnedOff_whenAsked_thenThereIsNoSuchAgent(TestEngines engines) {
        Engine engine = engines.open(TestEngines.small().waitWatchdog(Duration.ZERO).build());

        assertThat(engine.status()).contains("watch=off").doesNotContain("watch: rounds=");
    }

    @Test
    void givenLimits_whenAsked_thenItLooksAFewTimesWithinEach() {
        assertThat(intervalOf(Duration.ofSeconds(30))).isEqualTo(1000);
        assertThat(intervalOf(Duration.ofSeconds(1))).isEqualTo(250);
        assertThat(intervalOf(Duration.ofMillis(1))).isEqualTo(10);
    }

    private long intervalOf(Duration limit) {
        return watch(limit, warnings::add).intervalMillis();
    }

    private WaitWatch watch(Duration limit, Consumer<String> warning) {
        return new WaitWatch(
                limit, WaitWatchdog::nameOfStorage, WaitWatchdog::holderAsNoted, counters, warning);
    }

    private String text() {
        StringBuilder text = new StringBuilder();
        watch.describe(text);
        return text.toString();
    }

    /** Starts a close that waits for a call: until that has left the gate. */
    private static Thread startDraining(CallGate gate) {
        gate.enter();
        gate.close();
        long before = CoreSites.CLOSE_CALLS.counters().contendedAcquires();
        Thread thread = new Thread(() -> gate.drain(TimeUnit.HOURS.toNanos(1)), "watched waiter");
        thread.start();
        while (CoreSites.CLOSE_CALLS.counters().contendedAcquires() == before) {
            Thread.onSpinWait();
        }
        return thread;
    }
}
