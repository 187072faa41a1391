// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.ChecksumConversion;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.EngineState;
import dev.holdfast.FileReport;
import dev.holdfast.NoSuchTableException;
import dev.holdfast.RetryableException;
import dev.holdfast.Snapshot;
import dev.holdfast.StorageException;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import dev.holdfast.Transaction;
import dev.holdfast.TransactionOptions;
import dev.holdfast.VerifyReport;
import dev.holdfast.WaitReport;
import dev.holdfast.core.catalog.Catalog;
import dev.holdfast.core.catalog.TableDescriptor;
import dev.holdfast.core.check.Verifier;
import dev.holdfast.core.recovery.RecoveryReport;
import dev.holdfast.core.space.SpaceErrors;
import dev.holdfast.core.txn.TableHandle;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.checksum.PageChecksum;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** The engine of the API. */
final class EngineImpl implements Engine {
    /*
     * Calls on the engine itself pass the gate. Snapshots and transactions do not: they are known to
     * the transaction system, which close asks to end them. So no gate is held while code of the
     * user runs, and a close from inside that code waits for nothing of its own.
     *
     *   OPEN ----- close -----> CLOSED
     *     \\                      ^
     *      any failed write,     |
     *      any broken change --> FAILED -- close
     */
    private final EngineOptions options;
    private final StorageLayer storage;
    private final TransactionLayer transactions;
    private final EngineHealth health;
    private final CallGate gate;
    private final RetryPause retryPause;
    private final Verifier verifier;
    private final EngineClose close;

    EngineImpl(
            EngineOptions options,
            StorageLayer storage,
            TransactionLayer transactions,
            CloseStack owned) {
        this.options = options;
        this.storage = storage;
        this.transactions = transactions;
        this.health = storage.health();
        this.gate = new CallGate(storage.store().name());
        this.retryPause = new RetryPause(storage.counters());
        this.verifier =
                new Verifier(
                        storage.spaces(),
                        transactions.catalog(),
                        transactions.undo(),
                        storage.log(),
                        health,
                        () -> storage.checkpointer().checkpoint(true));
        this.close = new EngineClose(options, storage, transactions, gate, owned);
    }

    @Override
    public Table table(String name) {
        Objects.requireNonNull(name, "name");
        return call(
                () -> {
                    TableHandle known = find(name);
                    return known != null ? known : openOrCreate(name, TableOptions.shared());
                });
    }

    @Override
    public Table table(String name, TableOptions tableOptions) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(tableOptions, "options");
        return call(() -> openOrCreate(name, tableOptions));
    }

    private TableHandle find(String name) {
        Optional<TableDescriptor> found = transactions.catalog().find(name);
        return found.isEmpty() ? null : transactions.tables().handle(found.get());
    }

    private TableHandle openOrCreate(String name, TableOptions tableOptions) {
        while (true) {
            TableDescriptor table = transactions.catalog().openOrCreate(name, tableOptions);
            TableHandle handle = transactions.tables().handle(table);
            if (handle != null) {
                return handle;
            }
            // Dropped and taken apart between the two lines: the name is free again.
        }
    }

    @Override
    public List<String> tables() {
        return call(
                () -> {
                    List<String> names = new ArrayList<>();
                    for (TableDescriptor table : transactions.catalog().list()) {
                        names.add(table.name());
                    }
                    return names;
                });
    }

    @Override
    public void renameTable(String from, String to) {
        Objects.requireNonNull(from, "from");
        Objects.requireNonNull(to, "to");
        call(
                () -> {
                    if (!from.equals(to)) {
                        transactions.catalog().rename(from, to);
                    } else if (find(from) == null) {
                        throw new NoSuchTableException(from);
                    }
                    return null;
                });
    }

    @Override
    public void dropTable(String name) {
        Objects.requireNonNull(name, "name");
        call(
                () -> {
                    Catalog catalog = transactions.catalog();
                    TableDescriptor table = catalog.drop(name);
                    try {
                        transactions.finishDrop(table);
                    } catch (IOException failure) {
                        throw SpaceErrors.of("dropping a table", table.space().spaceId(), failure);
                    }
                    return null;
                });
    }

    @Override
    public <T> T read(Function<? super Snapshot, ? extends T> work) {
        Objects.requireNonNull(work, "work");
        try (Snapshot snapshot = snapshot()) {
            return work.apply(snapshot);
        }
    }

    @Override
    public <T> T write(Function<? super Transaction, ? extends T> work) {
        Objects.requireNonNull(work, "work");
        for (int attempt = 1; ; attempt++) {
            try (Transaction transaction = begin()) {
                T result = work.apply(transaction);
                transaction.commit();
                return result;
            } catch (RetryableException lost) {
                if (attempt >= options.writeAttempts()) {
                    storage.counters().increment(Counter.WRITES_GIVEN_UP);
                    throw lost;
                }
                retryPause.after(lost, attempt);
            }
        }
    }

    @Override
    public Snapshot snapshot() {
        return transactions.transactions().snapshot();
    }

    @Override
    public Transaction begin() {
        return begin(TransactionOptions.defaults());
    }

    @Override
    public Transaction begin(TransactionOptions transactionOptions) {
        Objects.requireNonNull(transactionOptions, "options");
        return transactions.transactions().begin(transactionOptions);
    }

    @Override
    public void checkpoint() {
        call(() -> storage.checkpointer().checkpoint(true));
    }

    @Override
    public VerifyReport verify() {
        return call(
                () -> {
                    try {
                        return verifier.run();
                    } catch (IOException failure) {
                        throw new StorageException("verify could not read the store", failure);
                    }
                });
    }

    @Override
    public ChecksumConversion convertChecksums(String kind) {
        Objects.requireNonNull(kind, "kind");
        return call(
                () -> {
                    PageChecksum wanted = storage.store().files().checksums().byName(kind);
                    return transactions.checksums().convert(wanted, gate::isClosing);
                });
    }

    @Override
    public ChecksumConversion checksumConversion() {
        return call(transactions.checksums()::progress);
    }

    @Override
    public EngineState state() {
        if (gate.isClosing()) {
            return EngineState.CLOSED;
        }
        return health.failed() ? EngineState.FAILED : EngineState.OPEN;
    }

    @Override
    public String status() {
        // Inside the gate, so that the memory that it reads of does not go meanwhile.
        boolean entered = gate.tryEnter();
        try {
            EngineState now = entered ? state() : EngineState.CLOSED;
            return new StatusReport(options, storage, transactions, now).toText();
        } finally {
            if (entered) {
                gate.leave();
            }
        }
    }

    @Override
    public FileReport files() {
        gate.enter();
        try {
            return OpenFiles.now(storage);
        } finally {
            gate.leave();
        }
    }

    @Override
    public WaitReport contention() {
        return SiteWaits.now();
    }

    @Override
    public void close() {
        close.run();
    }

    /** What the open had to recover; {@code null} if it created the store. */
    RecoveryReport recovery() {
        return storage.recovery();
    }

    StorageLayer storage() {
        return storage;
    }

    TransactionLayer transactionLayer() {
        return transactions;
    }

    private <T> T call(Supplier<T> work) {
        gate.enter();
        try {
            health.check();
            return work.get();
        } finally {
            gate.leave();
        }
    }

    @Override
    public String toString() {
        return "Engine[store=" + storage.store().name() + ", state=" + state() + "]";
    }
}
