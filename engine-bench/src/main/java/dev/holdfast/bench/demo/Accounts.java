// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import dev.holdfast.Codec;
import dev.holdfast.Engine;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.TableOptions;
import dev.holdfast.TypedCursor;
import dev.holdfast.TypedTable;
import java.util.SplittableRandom;

/** A table of balances, in a space of its own, between which transfers are made. */
final class Accounts {
    static final int COUNT = 500;
    static final long OPENING_BALANCE = 1_000;
    static final long SUM = COUNT * OPENING_BALANCE;

    private static final int AMOUNT_MAX = 100;

    private final Engine engine;
    private final TypedTable<Integer, Long> balances;

    private Accounts(Engine engine) {
        this.engine = engine;
        engine.table(StoreSettings.ACCOUNTS, TableOptions.ownSpace());
        balances = engine.table(StoreSettings.ACCOUNTS, Codec.INT, Codec.LONG);
    }

    static Accounts open(Engine engine) {
        return new Accounts(engine);
    }

    /** Gives every account its first balance. */
    void fill() {
        engine.write(
                transaction -> {
                    for (int i = 0; i < COUNT; i++) {
                        balances.insert(transaction, i, OPENING_BALANCE);
                    }
                    return null;
                });
    }

    /**
     * Moves an amount from one account to another; one that has too little gives what it has.
     *
     * @return how often the work was begun, once if nobody was in the way
     */
    int transfer(SplittableRandom random) {
        int from = random.nextInt(COUNT);
        int to = (from + 1 + random.nextInt(COUNT - 1)) % COUNT;
        int amount = 1 + random.nextInt(AMOUNT_MAX);
        int[] attempts = new int[1];
        engine.write(
                transaction -> {
                    attempts[0]++;
                    long left = balances.get(transaction, from);
                    long moved = Math.min(left, amount);
                    balances.put(transaction, from, left - moved);
                    balances.put(transaction, to, balances.get(transaction, to) + moved);
                    return null;
                });
        return attempts[0];
    }

    /** Returns the sum of all balances as one snapshot shows them. */
    long sum() {
        long sum = 0;
        try (Snapshot snapshot = engine.snapshot();
                TypedCursor<Integer, Long> cursor = balances.cursor(snapshot, Range.all())) {
            while (cursor.next()) {
                sum += cursor.value();
            }
        }
        return sum;
    }
}
