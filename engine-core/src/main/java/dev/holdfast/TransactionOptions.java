// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * Settings of one transaction. Immutable: each method returns a copy with one thing changed. What
 * is not set is as the {@link EngineOptions} say.
 */
public final class TransactionOptions {
    private static final TransactionOptions DEFAULTS = new TransactionOptions(null, null, null);

    /* Null means not set. */
    private final Isolation isolation;
    private final Durability durability;
    private final Duration lockWaitTimeout;

    private TransactionOptions(
            Isolation isolation, Durability durability, Duration lockWaitTimeout) {
        this.isolation = isolation;
        this.durability = durability;
        this.lockWaitTimeout = lockWaitTimeout;
    }

    /** Sets nothing. */
    public static TransactionOptions defaults() {
        return DEFAULTS;
    }

    public TransactionOptions isolation(Isolation value) {
        return new TransactionOptions(
                Objects.requireNonNull(value, "isolation"), durability, lockWaitTimeout);
    }

    /** Sets what {@link Transaction#commit()} waits for. */
    public TransactionOptions durability(Durability value) {
        return new TransactionOptions(
                isolation, Objects.requireNonNull(value, "durability"), lockWaitTimeout);
    }

    /**
     * Sets how long a statement waits for a row lock; zero means not at all.
     *
     * @throws IllegalArgumentException if it is negative or above {@link EngineOptions#TIMEOUT_MAX}
     */
    public TransactionOptions lockWaitTimeout(Duration value) {
        Require.between("lockWaitTimeout", value, Duration.ZERO, EngineOptions.TIMEOUT_MAX);
        return new TransactionOptions(isolation, durability, value);
    }

    public Optional<Isolation> isolation() {
        return Optional.ofNullable(isolation);
    }

    public Optional<Durability> durability() {
        return Optional.ofNullable(durability);
    }

    public Optional<Duration> lockWaitTimeout() {
        return Optional.ofNullable(lockWaitTimeout);
    }
}
