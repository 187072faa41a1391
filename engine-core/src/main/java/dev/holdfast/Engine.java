// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import dev.holdfast.core.db.EngineAssembly;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * An open store: named tables of bytes, read by snapshots and changed by transactions.
 *
 * <pre>{@code
 * Table accounts = engine.table("accounts");
 * engine.write(transaction -> {
 *     transaction.put(accounts, key, value);
 *     return null;
 * });
 * byte[] found = engine.read(snapshot -> snapshot.get(accounts, key));
 * }</pre>
 *
 * <p>Safe for many threads, platform and virtual. One engine at a time has a store open. Every
 * method but {@link #close}, {@link #state}, {@link #status} and {@link #contention} throws {@link
 * EngineClosedException} when the engine is closed and {@link EngineFailedException} when it has
 * failed.
 */
public interface Engine extends AutoCloseable {
    /**
     * Opens the store in a directory, as {@link EngineOptions#defaults()} say; creates both if they
     * are missing.
     */
    static Engine open(Path directory) {
        return open(directory, EngineOptions.defaults());
    }

    /**
     * Opens the store in a directory. After a crash it first recovers: time grows with the redo
     * since the last checkpoint. Transactions that the crash ended are rolled back while the engine
     * is in use already.
     *
     * @throws AlreadyOpenException if an engine has it open, in this process or another
     * @throws OptionMismatchException if it was created with another page size
     * @throws FormatException if the directory holds something else, or a store of another version,
     *     or nothing where {@link EngineOptions#createIfMissing()} is off
     * @throws CorruptionException if something that recovery needs is missing or damaged
     * @throws StorageException if the operating system refuses a file
     */
    static Engine open(Path directory, EngineOptions options) {
        Objects.requireNonNull(directory, "directory");
        Objects.requireNonNull(options, "options");
        return EngineAssembly.open(directory, options);
    }

    /** Creates a store in memory, with all guarantees but that it outlives its engine. */
    static Engine inMemory(EngineOptions options) {
        Objects.requireNonNull(options, "options");
        return EngineAssembly.inMemory(options);
    }

    /**
     * Returns the table of a name and creates it, with {@link TableOptions#shared()}, if there is
     * none. Costs no page access for a table that is there.
     *
     * @throws IllegalArgumentException if the name is empty, longer than {@link
     *     Limits#TABLE_NAME_BYTES_MAX} bytes in UTF-8, or has an unpaired surrogate
     */
    Table table(String name);

    /**
     * Returns the table of a name and creates it as the options say if there is none. A creation is
     * durable when this returns and belongs to no transaction.
     *
     * @throws OptionMismatchException if the table is there and was created otherwise
     * @throws IllegalArgumentException if the name is empty, longer than {@link
     *     Limits#TABLE_NAME_BYTES_MAX} bytes in UTF-8, or has an unpaired surrogate
     */
    Table table(String name, TableOptions options);

    /** Returns the table of a name as {@link #table(String)}, seen through two codecs. */
    default <K, V> TypedTable<K, V> table(String name, Codec<K> keys, Codec<V> values) {
        return new TypedTable<>(table(name), keys, values);
    }

    /** Returns the names of all tables, sorted. */
    List<String> tables();

    /**
     * Gives a table another name, durably and at once; handles on it stay good. It belongs to no
     * transaction. A table may be given the name that it has: then nothing is done.
     *
     * @throws NoSuchTableException if there is none of the old name
     * @throws TableExistsException if there is another one of the new name
     * @throws IllegalArgumentException if the new name is not one that {@link #table(String)} takes
     */
    void renameTable(String from, String to);

    /**
     * Removes a table with all its rows, durably and at once, in time that grows with its pages and
     * not its rows. Neither snapshots nor transactions that have changed it keep it, but while such
     * a transaction lasts its pages are not given back.
     *
     * @throws NoSuchTableException if there is none
     */
    void dropTable(String name);

    /** Runs work on a snapshot and returns its result; the snapshot is closed in any case. */
    <T> T read(Function<? super Snapshot, ? extends T> work);

    /**
     * Runs work in a transaction, commits it and returns the work's result. If the work throws,
     * what it has not committed itself is rolled back; if the commit throws, the exception tells.
     *
     * <p>On a {@link RetryableException}, a lock time-out among them, the work is run again in a
     * new transaction, with growing pauses, up to {@link EngineOptions#writeAttempts()} times; the
     * last exception is then thrown. So a row that somebody holds is waited for that many times the
     * lock wait time-out; and a write inside the work of another one is a transaction of its own
     * that can wait for the outer one in vain. So the work must not change anything outside the
     * store that may not be changed twice. A commit whose outcome is unknown is never run again.
     */
    <T> T write(Function<? super Transaction, ? extends T> work);

    /** Opens a snapshot of what is committed now. Costs the same however much is going on. */
    Snapshot snapshot();

    /** Begins a transaction as the engine's options say. */
    Transaction begin();

    /** Begins a transaction. It takes its snapshot now, with either {@link Isolation}. */
    Transaction begin(TransactionOptions options);

    /**
     * Writes dirty pages until recovery would begin at a point of the log not before this call.
     * Writers go on meanwhile.
     */
    void checkpoint();

    /**
     * Reads the whole store and checks all that must hold in it. Readers go on meanwhile; writers
     * wait, and that wait is not counted against their time limits. Costs a read of every page that
     * is in use, from its file and, where it is not in the pool, through the pool; memory of one
     * bit a page.
     */
    VerifyReport verify();

    EngineState state();

    /** Returns a report of what the engine does and has done, as text for people. */
    String status();

    /**
     * Returns what threads have waited for, the longest wait first; the part WAITS of {@link
     * #status} is its text. Waits are counted for the whole JVM, all engines together, and the
     * engine that was opened last says how they are timed. Takes no latch and sets nothing back.
     */
    WaitReport contention();

    /**
     * Ends it: refuses new calls, wakes those that wait, lets running ones finish for {@link
     * EngineOptions#closeTimeout()}, rolls back what was not committed, and leaves the files as
     * {@link EngineOptions#closeMode()} says. May be called at any time from any thread; the second
     * call waits for the first and does nothing.
     *
     * @throws EngineFailedException if the engine failed meanwhile, or calls did not end in time:
     *     all is closed, but what was committed with {@link Durability#LAZY} may be lost
     * @throws StorageException if a thread does not come back from the operating system: what it
     *     uses, the lock among it, is left as it is
     */
    @Override
    void close();
}
