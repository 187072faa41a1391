// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.buffer.TestThread;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * P4, the states. If this failed, a reader would take a transaction that it may not see for one
 * that is visible to all, or a transaction would lose its state while somebody depends on it.
 */
final class TransactionTableTest {
    private static final VarHandle NEWEST = MethodHandles.arrayElementVarHandle(long[].class);
    private static final int CAPACITY = 8;
    private static final int RANGE = 4096;

    private final TransactionTable table = new TransactionTable(CAPACITY);

    @Test
    void givenATransaction_whenItLivesAndCommits_thenItsStateIsFound() {
        assertThat(table.lookup(5)).isEqualTo(TransactionTable.ABSENT);
        assertThat(begin(5, 0)).isTrue();
        assertThat(table.lookup(5)).isEqualTo(TransactionTable.ACTIVE);
        assertThat(table.hasEnded(5)).isFalse();
        assertThat(table.owner(5).transactionId()).isEqualTo(5);

        table.committing(5);
        assertThat(table.lookup(5)).isEqualTo(TransactionTable.COMMITTING);
        assertThat(table.hasEnded(5)).isFalse();
        table.committed(5, 1000);

        assertThat(table.lookup(5)).isEqualTo(1000);
        assertThat(table.hasEnded(5)).isTrue();
        assertThat(table.lookup(5 + CAPACITY)).isEqualTo(TransactionTable.ABSENT);
    }

    @Test
    void givenATransactionThatIsRolledBack_whenLookedUp_thenItIsAbsentAndItsCellIsFree() {
        begin(5, 0);

        table.remove(5);

        assertThat(table.lookup(5)).isEqualTo(TransactionTable.ABSENT);
        assertThat(table.owner(5)).isNull();
        assertThat(begin(5 + CAPACITY, 0)).isTrue();
        assertThat(table.spilledRanges()).isZero();
    }

    @Test
    void givenACellOfOneThatHasNotCommitted_whenAnotherWantsIt_thenItIsRefused() {
        begin(5, 0);

        boolean besideActive = begin(5 + CAPACITY, Long.MAX_VALUE);
        table.committing(5);
        boolean besideCommitting = begin(5 + CAPACITY, Long.MAX_VALUE);

        assertThat(besideActive).isFalse();
        assertThat(besideCommitting).isFalse();
        assertThat(table.lookup(5)).isEqualTo(TransactionTable.COMMITTING);
        assertThat(table.lookup(5 + CAPACITY)).isEqualTo(TransactionTable.ABSENT);
    }

    @Test
    void givenACommitThatEverybodySees_whenItsCellIsTaken_thenItIsAbsent() {
        commit(5, 1000);

        boolean begun = begin(5 + CAPACITY, 1000);

        assertThat(begun).isTrue();
        assertThat(table.lookup(5)).isEqualTo(TransactionTable.ABSENT);
        assertThat(table.owner(5)).isNull();
    }

    @Test
    void givenACommitThatSomeDoNotSee_whenItsCellIsTaken_thenItIsSpilledUntilTheyAreGone() {
        commit(5, 1000);

        begin(5 + CAPACITY, 999);

        assertThat(table.lookup(5)).isEqualTo(TransactionTable.SPILLED);
        assertThat(table.hasEnded(5)).isTrue();
        table.horizonAdvanced(999);
        assertThat(table.lookup(5)).isEqualTo(TransactionTable.SPILLED);
        table.horizonAdvanced(1000);
        assertThat(table.lookup(5)).isEqualTo(TransactionTable.ABSENT);
        assertThat(table.lookup(5 + CAPACITY)).isEqualTo(TransactionTable.ACTIVE);
    }

    @Test
    void givenARangeSpilledTwice_whenOnlyTheEarlierCommitIsSeen_thenItStays() {
        commit(5, 3000);
        commit(6, 1000);
        begin(5 + CAPACITY, 0);
        begin(6 + CAPACITY, 0);

        table.horizonAdvanced(2000);

        assertThat(table.lookup(5)).isEqualTo(TransactionTable.SPILLED);
        assertThat(table.lookup(6)).isEqualTo(TransactionTable.SPILLED);
    }

    @Test
    void givenSpilledRanges_whenOneIsForgotten_thenIdsOfTheOtherAreStillFoundSpilled() {
        long late = 3L * RANGE + 6;
        commit(5, 1000);
        begin(5 + CAPACITY, 0);
        commit(late, 2000);
        begin(late + CAPACITY, 0);

        table.horizonAdvanced(1500);

        assertThat(table.lookup(5)).isEqualTo(TransactionTable.ABSENT);
        assertThat(table.lookup(late)).isEqualTo(TransactionTable.SPILLED);
        assertThat(table.lookup(late + RANGE)).isEqualTo(TransactionTable.ABSENT);
        assertThat(table.spilledRanges()).isEqualTo(1);
    }

    @Test
    void givenCommitsThatDisplaceEachOther_whenLookedUpMeanwhile_thenEachHasItsOwnState()
            throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        long[] newest = {0};
        TestThread<Long> reader =
                TestThread.start(
                        () -> {
                            long looks = 0;
                            while (!stop.get()) {
                                long id = newestAcquire(newest);
                                for (long i = Math.max(1, id - 2 * CAPACITY); i <= id; i++) {
                                    long state = table.lookup(i);
                                    boolean isOthers =
                                            state > TransactionTable.COMMITTING && state != 10 + i;
                                    if (state == TransactionTable.ABSENT || isOthers) {
                                        throw new AssertionError("id=" + i + ", state=" + state);
                                    }
                                    looks++;
                                }
                            }
                            return looks;
                        });

        // The mark of a range is made before an id leaves its cell: no snapshot sees any of these.
        for (long id = 1; id <= 50_000; id++) {
            begin(id, 0);
            publishNewestRelease(newest, id);
            table.committing(id);
            table.committed(id, 10 + id);
        }
        stop.set(true);

        assertThat(reader.result()).isNotNegative();
    }

    /** Acquire; pairs with {@link #publishNewestRelease}. */
    private static long newestAcquire(long[] newest) {
        return (long) NEWEST.getAcquire(newest, 0);
    }

    /** Release; who sees the id sees it in the table. */
    private static void publishNewestRelease(long[] newest, long id) {
        NEWEST.setRelease(newest, 0, id);
    }

    private boolean begin(long id, long horizon) {
        return table.tryBegin(id, new LockOwner(id), horizon);
    }

    private void commit(long id, long lsn) {
        begin(id, 0);
        table.committing(id);
        table.committed(id, lsn);
    }
}
