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
 * EngineClosedException} when the engine is closed and, {@link #files} excepted, {@link
 * EngineFailedException} when it has failed.
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
     * is in use already. An open that is refused changes nothing, but leaves the file {@code lock},
     * of a few bytes, in a directory that had none: to delete it could let two others in beside
     * each other.
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

    /**
     * Creates a store in memory, with all guarantees but that it outlives its engine. Its files are
     * memory outside the heap beside the pool's, which grows with the data and is given back by
     * {@link #close}. {@link EngineOptions#fileMode()} and {@link EngineOptions#createIfMissing()}
     * mean nothing for it.
     */
    static Engine inMemory(EngineOptions options) {
        Objects.requireNonNull(options, "options");
        return EngineAssembly.inMemory(options);
    }

    /**
     * Returns the table of a name, however it was created, and creates it, with {@link
     * TableOptions#shared()}, if there is none. Costs no page access for a table that is there. A
     * creation is durable when this returns and belongs to no transaction.
     *
     * @throws DiskFullException if there is no room for a new table
     * @throws LockTimeoutException if another change of the tables takes longer than {@link
     *     EngineOptions#lockWaitTimeout()}; so the other methods that create, rename and drop
     * @throws IllegalArgumentException if the name is empty, longer than {@link
     *     Limits#TABLE_NAME_BYTES_MAX} bytes in UTF-8, or has an unpaired surrogate
     */
    Table table(String name);

    /**
     * Returns the table of a name and creates it as the options say if there is none. A creation is
     * durable when this returns and belongs to no transaction.
     *
     * @throws OptionMismatchException if the table is there and was created otherwise
     * @throws DiskFullException if there is no room for a new table
     * @throws IllegalArgumentException if the name is empty, longer than {@link
     *     Limits#TABLE_NAME_BYTES_MAX} bytes in UTF-8, or has an unpaired surrogate
     */
    Table table(String name, TableOptions options);

    /**
     * Returns the table of a name as {@link #table(String)} does, seen through two codecs. The
     * store does not keep which: to use the right ones is up to the caller, and what others make of
     * the rows is a {@link CodecException}.
     */
    default <K, V> TypedTable<K, V> table(String name, Codec<K> keys, Codec<V> values) {
        return new TypedTable<>(table(name), keys, values);
    }

    /** Returns the names of all tables in a new list, sorted as strings are. */
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

    /**
     * Runs work on a snapshot and returns its result, which may be {@code null}; the snapshot and
     * its cursors are closed in any case. What the work throws is thrown on.
     */
    <T> T read(Function<? super Snapshot, ? extends T> work);

    /**
     * Runs work in a transaction, commits it and returns the work's result, which may be {@code
     * null}. If the work throws, all that it changed is rolled back and the exception thrown on; if
     * the commit throws, the exception tells. The work must not end the transaction itself: if it
     * does, what it committed stands and a {@link TransactionFinishedException} is thrown.
     *
     * <p>On a {@link RetryableException}, a lock or an admission time-out among them, the work is
     * run again in a new transaction, with growing pauses, up to {@link
     * EngineOptions#writeAttempts()} times; the last exception is then thrown. So a row that
     * somebody holds is waited for that many times the lock wait time-out; and a write inside the
     * work of another one is a transaction of its own that can wait for the outer one in vain. So
     * the work must not change anything outside the store that may not be changed twice. A commit
     * whose outcome is unknown is never run again.
     */
    <T> T write(Function<? super Transaction, ? extends T> work);

    /**
     * Opens a snapshot of what is committed now, to be closed by the caller. Takes no latch, and
     * costs the same however much is going on. A million snapshots and transactions can be open at
     * a time; the next one is a {@link LockTimeoutException} at once.
     */
    Snapshot snapshot();

    /**
     * Begins a transaction as the engine's options say, to be ended by the caller.
     *
     * @throws AdmissionTimeoutException if it was not let in in time, see {@link
     *     EngineOptions.Builder#maxConcurrentTransactions}
     * @throws WaitInterruptedException if the thread was interrupted while it waited for that
     */
    Transaction begin();

    /**
     * Begins a transaction, to be ended by the caller; throws as {@link #begin()} does. With {@link
     * Isolation#SNAPSHOT} it sees what is committed now. It takes a place among the writers only
     * with its first change, which waits for one, up to the lock wait time-out, if very many are at
     * work.
     */
    Transaction begin(TransactionOptions options);

    /**
     * Writes dirty pages until recovery would begin at a point of the log not before this call.
     * Writers go on meanwhile. Never needed for safety: it makes the next open shorter. Costs the
     * write of every page that is dirty, and waits for it without a limit.
     */
    void checkpoint();

    /**
     * Reads the whole store and checks all that must hold in it. Readers go on meanwhile; writers
     * wait, and that wait is not counted against their time limits. Costs a read of every page that
     * is in use, from its file and, where it is not in the pool, through the pool; memory of one
     * bit a page. What does not hold is in the report and no exception.
     *
     * @throws StorageException if a file cannot be read
     */
    VerifyReport verify();

    /**
     * Gives the pages of all files, and of files created from now on, another kind of checksum;
     * returns when no page of another kind is left. Readers and writers go on meanwhile. Costs a
     * read and a write of each page in use, with about 60 bytes of redo, as fast as {@link
     * EngineOptions#ioCapacity()} leaves room, and two checkpoints; {@link #status} and {@link
     * #checksumConversion} say how far it is.
     *
     * <p>The engine does this in the background, and the call waits: if it is interrupted, or the
     * engine is closed or fails, the conversion goes on, then or when the store is opened next. A
     * page that cannot be read is left as it is and is in the result; its file may then bear both
     * kinds until a later call, or open, comes through. A file that bears three kinds from outside
     * for that reason is left as it is, and so named, if a fourth is wanted.
     *
     * @param kind the name of a {@link ChecksumKind} or {@link CustomChecksum}
     * @throws IllegalArgumentException if the engine knows no kind of that name
     * @throws WaitInterruptedException if the thread was interrupted while it waited
     */
    ChecksumConversion convertChecksums(String kind);

    /** The same for a kind that is built in. */
    default ChecksumConversion convertChecksums(ChecksumKind kind) {
        return convertChecksums(kind.name());
    }

    /** Returns how far the conversion of checksums is that is under way, or how the last ended. */
    ChecksumConversion checksumConversion();

    /** Returns where it stands, at once and in any state. */
    EngineState state();

    /**
     * Returns a report of what the engine does and has done, as text for people: log, pool, files,
     * transactions, threads, waits and counters. Its form may change from version to version. Takes
     * no latch that a transaction wants. After the close it tells what is left to tell.
     */
    String status();

    /**
     * Returns what each open file of the store did; the part FILES of {@link #status} is its text.
     * Takes no latch and sets nothing back.
     */
    FileReport files();

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
