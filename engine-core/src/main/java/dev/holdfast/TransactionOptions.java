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

    /** Sets what the transaction sees of others. */
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

    /** Returns the isolation, or nothing if it is as the engine's options say; so the next two. */
    public Optional<Isolation> isolation() {
        return Optional.ofNullable(isolation);
    }

    public Optional<Durability> durability() {
        return Optional.ofNullable(durability);
    }

    public Optional<Duration> lockWaitTimeout() {
        return Optional.ofNullable(lockWaitTimeout);
    }

    /** Returns the settings as {@code name=value} pairs; one that is not set is {@code default}. */
    @Override
    public String toString() {
        return "TransactionOptions[isolation="
                + text(isolation)
                + ", durability="
                + text(durability)
                + ", lockWaitTimeout="
                + text(lockWaitTimeout)
                + "]";
    }

    private static Object text(Object value) {
        return value == null ? "default" : value;
    }
}
