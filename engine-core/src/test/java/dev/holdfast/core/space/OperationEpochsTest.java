// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.sync.TestHooks;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** If this fails, a page is reused under a reader (P6). */
final class OperationEpochsTest {
    private final OperationEpochs epochs = new OperationEpochs();

    @AfterEach
    void resetHooks() {
        TestHooks.reset();
    }

    @Test
    void givenNobodyInside_whenAdvancedTwice_thenTheEpochHasPassed() {
        long unlinked = epochs.now();

        assertThat(epochs.advance()).isTrue();
        assertThat(epochs.passed(unlinked)).isFalse();
        assertThat(epochs.advance()).isTrue();

        assertThat(epochs.passed(unlinked)).isTrue();
    }

    @Test
    void givenAReaderInside_whenAdvanced_thenItsEpochDoesNotPass() {
        int token = epochs.enter();
        long unlinked = epochs.now();

        for (int i = 0; i < 5; i++) {
            epochs.advance();
        }
        assertThat(epochs.passed(unlinked)).isFalse();

        epochs.leave(token);
        assertThat(epochs.advance()).isTrue();
        assertThat(epochs.passed(unlinked)).isTrue();
    }

    @Test
    void givenAReaderThatCameLater_whenAdvanced_thenItDoesNotHoldUpTheEarlierEpoch() {
        long unlinked = epochs.now();
        epochs.advance();
        int token = epochs.enter();

        epochs.advance();

        assertThat(epochs.passed(unlinked)).isTrue();
        epochs.leave(token);
    }

    @Test
    void givenAReaderThatReadAnOldEpoch_whenItIsCountedDuringAnAdvance_thenItIsNotOvertaken()
            throws Exception {
        TestHooks.Pause entering = TestHooks.pauseAt(OperationEpochs.ENTERING);
        int[] token = new int[1];
        Thread reader = new Thread(() -> token[0] = epochs.enter());
        reader.start();
        entering.awaitReached();
        assertThat(epochs.advance()).isTrue();
        TestHooks.Pause summed = TestHooks.pauseAt(OperationEpochs.SUMMED);
        Thread agent = new Thread(epochs::advance);
        agent.start();
        summed.awaitReached();

        entering.close();
        reader.join();
        long unlinked = epochs.now();
        summed.close();
        agent.join();
        epochs.advance();
        epochs.advance();

        assertThat(epochs.passed(unlinked)).isFalse();
        epochs.leave(token[0]);
        epochs.awaitAllOutside();
        assertThat(epochs.passed(unlinked)).isTrue();
    }

    @Test
    void givenAReaderInside_whenADropWaitsForIt_thenTheWaitIsCounted() throws Exception {
        long before = CoreSites.EPOCH_READERS.counters().contendedAcquires();
        int token = epochs.enter();
        Thread drop = new Thread(epochs::awaitAllOutside);
        drop.start();
        while (CoreSites.EPOCH_READERS.counters().contendedAcquires() == before) {
            Thread.onSpinWait();
        }

        epochs.leave(token);

        drop.join();
    }

    @Test
    void givenReadersOfCells_whenCellsAreReused_thenNoReaderSeesAReusedOne() throws Exception {
        // A cell: 0 is reachable, 1 unlinked, 2 reused. A reader that found 0 inside an epoch may
        // see 1 afterwards, never 2.
        AtomicIntegerArray cells = new AtomicIntegerArray(4096);
        AtomicReference<String> broken = new AtomicReference<>("");
        AtomicBoolean done = new AtomicBoolean();
        List<Thread> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            readers.add(new Thread(() -> readCells(cells, broken, done)));
        }
        readers.forEach(Thread::start);

        for (int cell = 0; cell < cells.length(); cell++) {
            cells.set(cell, 1);
            long unlinked = epochs.now();
            while (!epochs.passed(unlinked)) {
                if (!epochs.advance()) {
                    Thread.onSpinWait();
                }
            }
            cells.set(cell, 2);
        }
        done.set(true);
        for (Thread reader : readers) {
            reader.join();
        }

        assertThat(broken.get()).isEmpty();
    }

    private void readCells(
            AtomicIntegerArray cells, AtomicReference<String> broken, AtomicBoolean done) {
        int cell = 0;
        while (!done.get()) {
            int token = epochs.enter();
            if (cells.get(cell) == 0) {
                for (int i = 0; i < 20; i++) {
                    if (cells.get(cell) == 2) {
                        broken.set("reused under a reader: cell=" + cell);
                    }
                }
            } else {
                cell = (cell + 1) % cells.length();
            }
            epochs.leave(token);
        }
    }
}
