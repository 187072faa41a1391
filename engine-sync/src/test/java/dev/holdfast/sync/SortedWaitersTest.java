// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The order of the log's waiters, and what ten thousand of them cost. */
final class SortedWaitersTest {
    private static final int MANY = 10_000;

    private final SortedWaiters waiters = new SortedWaiters();

    @Test
    void givenTargetsInAnyOrder_whenTakenOut_thenTheyAscendAndEqualOnesKeepTheirOrder() {
        Random random = new Random(20);
        List<Waiter> expected = new ArrayList<>();
        waiters.lock();
        for (int i = 0; i < 500; i++) {
            Waiter waiter = waiter(random.nextInt(50));
            expected.add(waiter);
            waiters.add(waiter);
        }
        expected.sort(Comparator.comparingLong(waiter -> waiter.target));

        List<Waiter> taken = chain(waiters.takeUpTo(Long.MAX_VALUE, Integer.MAX_VALUE));

        assertThat(taken).containsExactlyElementsOf(expected);
        assertThat(waiters.count()).isZero();
        waiters.unlock();
    }

    @Test
    void givenWaiters_whenSomeAreTaken_thenTargetAndLimitAreKept() {
        waiters.lock();
        for (int target : new int[] {3, 1, 2}) {
            waiters.add(waiter(target));
        }

        assertThat(waiters.takeUpTo(0, 9)).isNull();
        assertThat(chain(waiters.takeUpTo(2, 1)).get(0).target).isEqualTo(1);
        assertThat(chain(waiters.takeUpTo(2, 9)).get(0).target).isEqualTo(2);

        assertThat(waiters.first().target).isEqualTo(3);
        waiters.unlock();
    }

    @Test
    void givenTenThousandWaiters_whenMoreComeAtEitherEnd_thenThatCostsNoSteps() {
        waiters.lock();
        int steps = 0;
        for (int i = 0; i < MANY; i++) {
            steps += waiters.add(waiter(1000 + i));
        }
        assertThat(steps).isZero();

        Waiter first = waiters.first();
        waiters.remove(first);

        assertThat(waiters.add(first)).as("woken first, sleeps again").isLessThanOrEqualTo(1);
        assertThat(waiters.first()).isSameAs(first);
        assertThat(waiters.add(waiter(1))).isLessThanOrEqualTo(1);
        assertThat(waiters.add(waiter(1000 + MANY / 4))).isLessThanOrEqualTo(MANY / 4 + 2);
        assertThat(waiters.add(waiter(1000 + 3 * MANY / 4))).isLessThanOrEqualTo(MANY / 4 + 2);
        waiters.unlock();
    }

    private Waiter waiter(long target) {
        Waiter waiter = Waiter.current();
        waiter.storage = this;
        waiter.prepare();
        waiter.target = target;
        return waiter;
    }

    private static List<Waiter> chain(Waiter first) {
        List<Waiter> chain = new ArrayList<>();
        for (Waiter waiter = first; waiter != null; waiter = waiter.next) {
            chain.add(waiter);
        }
        return chain;
    }
}
