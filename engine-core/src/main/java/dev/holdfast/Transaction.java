// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * Reads, and changes that become visible together or not at all. What it reads is as its {@link
 * Isolation} says, with its own changes added.
 *
 * <p>A changing statement first makes sure of its key: if another active transaction has changed
 * it, the statement waits for that one's end, up to the lock wait time-out. It leaves nothing of
 * itself when it throws. On top of what {@link Snapshot} names, every changing method may throw
 *
 * <ul>
 *   <li>{@link WriteConflictException}, {@link LockTimeoutException} or {@link
 *       LogSpaceTimeoutException}: roll back and begin again, which may in its turn end in an
 *       {@link AdmissionTimeoutException}, see {@link Engine#begin()};
 *   <li>{@link KeyTooLongException} or {@link ValueTooLongException};
 *   <li>{@link WaitInterruptedException};
 *   <li>{@link DiskFullException}.
 * </ul>
 *
 * <p>The arrays given are copied before a method returns and not kept. The cost of a change is one
 * descent of the tree and two records of redo; memory does not grow with the size of the
 * transaction.
 */
public interface Transaction extends Snapshot {
    /** Sets the value of a key, whether or not it is there. */
    void put(Table table, byte[] key, byte[] value);

    /**
     * Adds a key that must not be there.
     *
     * @throws DuplicateKeyException if it is; the transaction goes on
     */
    void insert(Table table, byte[] key, byte[] value);

    /**
     * Sets the value of a key that is there.
     *
     * @return false, and nothing was changed, if it is not
     */
    boolean replace(Table table, byte[] key, byte[] value);

    /**
     * Sets the value of a key if its value now is the expected one, byte for byte.
     *
     * @return false, and nothing was changed, if the key is absent or has another value; that is
     *     what this transaction sees, and a later commit of another one is a conflict as always
     */
    boolean update(Table table, byte[] key, byte[] expected, byte[] value);

    /**
     * Removes a key.
     *
     * @return false, and nothing was changed, if it is not there
     */
    boolean delete(Table table, byte[] key);

    /**
     * Removes all keys of a range, row by row; costs as much as deleting each. To empty a table,
     * {@link Engine#dropTable} is cheaper. If it throws, the rows that it came to are restored.
     *
     * @return how many there were
     */
    long deleteRange(Table table, Range range);

    /**
     * Does what {@link #commit(Durability)} does, with the durability that the transaction's or
     * else the engine's options say.
     */
    void commit();

    /**
     * Makes the changes visible to others, then waits until they are as durable as asked, without a
     * limit; commits that wait at the same time share a sync. It ends the transaction, also when it
     * throws. Without changes it waits for nothing.
     *
     * @throws TransactionFinishedException if it was committed or rolled back before
     * @throws EngineFailedException if the log could not be written; {@link
     *     EngineFailedException#isOutcomeUnknown} tells whether the transaction may be found
     *     committed after reopening
     */
    void commit(Durability durability);

    /**
     * Takes all changes back, newest first, in time that grows with their number and without a time
     * limit. Rows that others wait for are free when it returns. It ends the transaction: a later
     * call is a {@link TransactionFinishedException}, and so is this one after a commit or a
     * rollback. After a commit that threw {@link EngineFailedException} there is nothing to roll
     * back; {@link #close} does the right thing in every case.
     */
    void rollback();

    /**
     * Rolls back unless it was committed or rolled back. Does nothing the second time, nor when the
     * engine is closed or has failed: then the changes are taken back by the close or the next
     * open.
     */
    @Override
    void close();
}
