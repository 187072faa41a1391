// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** If it fails, a wait is not seen, or is seen wrongly, or notes pile up in a long-lived JVM. */
final class CurrentWaitTest {
    private static final int READS = 20_000_000;

    private final FreshSite site = new FreshSite();

    @Test
    void givenAWait_whenReadByOthers_thenTheySeeWhatItIsForUntilItEnds() {
        Object storage = new Object();
        long before = System.nanoTime();
        CurrentWait wait = CurrentWait.sleeping(site, storage, 42);

        CurrentWait.Reading reading = wait.read().orElseThrow();

        assertThat(reading.thread()).isSameAs(Thread.currentThread());
        assertThat(reading.site()).isSameAs(site);
        assertThat(reading.storage()).isSameAs(storage);
        assertThat(reading.key()).isEqualTo(42);
        assertThat(reading.sinceNanos() - before).isBetween(0L, System.nanoTime() - before);
        assertThat(wait.isStillIn(reading.sequence())).isTrue();
        wait.end();
        assertThat(wait.read()).isEmpty();
        assertThat(wait.isStillIn(reading.sequence())).isFalse();
        assertThat(site.counters().contendedAcquires()).as("its caller counts").isZero();
    }

    @Test
    void givenANamedWait_whenItEnds_thenItWasCountedAndTimedOnce() {
        site.counters().timing(WaitTiming.FULL);

        CurrentWait wait = CurrentWait.begin(site, 7);
        CurrentWait.Reading reading = wait.read().orElseThrow();
        wait.end();

        assertThat(reading.storage()).isNull();
        assertThat(reading.key()).isEqualTo(7);
        assertThat(site.counters().contendedAcquires()).isEqualTo(1);
        assertThat(site.counters().waits().count()).isEqualTo(1);
    }

    @Test
    void givenAWaitInsideAWait_whenRead_thenBothAreSeenAndEndApart() {
        CurrentWait outer = CurrentWait.begin(site, 1);
        CurrentWait inner = CurrentWait.begin(site, 2);

        assertThat(seen(Thread.currentThread())).containsExactlyInAnyOrder(1L, 2L);
        assertThatThrownBy(outer::end).isInstanceOf(AssertionError.class);
        inner.end();
        assertThat(seen(Thread.currentThread())).containsExactly(1L);
        assertThat(CurrentWait.begin(site, 3)).isSameAs(inner);
        inner.end();
        outer.end();

        assertThat(seen(Thread.currentThread())).isEmpty();
        assertThatThrownBy(outer::end).isInstanceOf(AssertionError.class);
    }

    @Test
    void givenAThreadThatSleepsAgain_whenNothingWasCollected_thenItUsesTheSameNote() {
        CurrentWait first = CurrentWait.begin(site, 1);
        first.end();
        CurrentWait second = CurrentWait.begin(site, 2);
        second.end();

        assertThat(second).isSameAs(first);
    }

    /** Waits of two sites in turn, the key telling which: a torn reading would mix them. */
    @Test
    void givenWaitsInQuickSuccession_whenRead_thenNoReadingMixesTwo() throws Exception {
        TestThreads threads = new TestThreads();
        FreshSite other = new FreshSite("OTHER");
        List<CurrentWait> note = new ArrayList<>();
        AtomicBoolean stop = new AtomicBoolean();
        AtomicBoolean begun = new AtomicBoolean();
        threads.start(
                () -> {
                    note.add(CurrentWait.sleeping(site, site, 0));
                    note.get(0).end();
                    begun.set(true);
                    for (long i = 0; !stop.get(); i++) {
                        FreshSite of = i % 2 == 0 ? site : other;
                        CurrentWait.sleeping(of, of, i).end();
                    }
                });
        threads.until(begun::get);

        int readings = 0;
        for (int i = 0; i < READS || readings < 100; i++) {
            CurrentWait.Reading reading = note.get(0).read().orElse(null);
            if (reading != null) {
                readings++;
                FreshSite expected = reading.key() % 2 == 0 ? site : other;
                if (reading.site() != expected || reading.storage() != expected) {
                    throw new AssertionError("mixed: reading=" + reading);
                }
            }
        }

        stop.set(true);
        threads.join();
    }

    @Test
    void givenManyShortLivedThreads_whenTheyAreCollected_thenTheirNotesGoToo() throws Exception {
        for (int i = 0; i < 2_000; i++) {
            Thread thread = new Thread(() -> CurrentWait.begin(site, 1).end());
            thread.start();
            thread.join();
        }

        System.gc();
        int laterThreads = 0;
        while (WaitRegistry.count() > 500 && laterThreads < 20_000) {
            Thread thread = new Thread(() -> CurrentWait.begin(site, 1).end());
            thread.start();
            thread.join();
            laterThreads++;
        }

        assertThat(WaitRegistry.count()).isLessThanOrEqualTo(500);
    }

    private static List<Long> seen(Thread thread) {
        List<Long> keys = new ArrayList<>();
        WaitRegistry.forEach(
                entry -> {
                    CurrentWait wait = entry.get();
                    if (wait != null) {
                        wait.read()
                                .filter(reading -> reading.thread() == thread)
                                .ifPresent(reading -> keys.add(reading.key()));
                    }
                });
        return keys;
    }
}
