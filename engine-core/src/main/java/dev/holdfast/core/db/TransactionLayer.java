// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.EngineOptions;
import dev.holdfast.core.btree.OverflowStore;
import dev.holdfast.core.catalog.Catalog;
import dev.holdfast.core.catalog.TableDescriptor;
import dev.holdfast.core.catalog.TableDrops;
import dev.holdfast.core.space.AllocationMap;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.space.SpaceShrink;
import dev.holdfast.core.space.StoreCreation;
import dev.holdfast.core.space.StoreFiles;
import dev.holdfast.core.txn.LoserRollback;
import dev.holdfast.core.txn.Purge;
import dev.holdfast.core.txn.TableHandle;
import dev.holdfast.core.txn.TransactionEnvironment;
import dev.holdfast.core.txn.TransactionSystem;
import dev.holdfast.core.undo.UndoSpace;
import dev.holdfast.core.undo.UndoSystem;
import dev.holdfast.core.undo.UndoTruncation;
import dev.holdfast.core.watch.BackgroundAgent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Catalog, undo and transactions over the storage layer, and the agents that purge, take back what
 * a crash ended, and take dropped tables apart.
 */
final class TransactionLayer {
    private static final long PURGE_MILLIS = 25;

    /** Short, for it also makes room in the table of transactions. */
    private static final long PURGE_IDLE_MILLIS = 100;

    private static final long DROPS_MILLIS = 250;
    private static final long LOSERS_MILLIS = 1000;
    private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(30);
    private static final int TABLE_CELLS = 1 << 14;

    /** Small undo spaces are left alone while they are less than this part of the pool. */
    private static final int UNDO_POOL_PART = 4;

    private final StorageLayer storage;
    private final Tables tables;
    private final Catalog catalog;
    private final UndoSystem undo;
    private final TransactionSystem transactions;
    private final Purge purge;
    private final LoserRollback losers;
    private final TableDrops drops;
    private final ChecksumConverter checksums;

    /** Stopped before the storage's: what they do needs cleaning, growth and checkpoints. */
    private final AgentGroup agents;

    private BackgroundAgent dropsAgent;

    /**
     * Reads the catalog and the undo directories, after redo; or makes them, in a new store, which
     * is born then.
     *
     * @param engine what identifies the engine in its handles
     */
    TransactionLayer(StorageLayer storage, EngineOptions options, Object engine, CloseStack owned)
            throws IOException {
        this.storage = storage;
        this.tables = new Tables(engine);
        this.agents = new AgentGroup(storage.health());
        if (storage.store().isNew()) {
            giveBirth();
        }
        this.catalog =
                new Catalog(
                        storage.spaces(),
                        storage.context(),
                        storage.ids(),
                        tables,
                        options.lockWaitTimeout().toNanos());
        catalog.load();
        this.undo =
                new UndoSystem(
                        undoSpaces(),
                        storage.pool(),
                        storage.spaces().epochs(),
                        storage.counters());
        List<UndoSystem.Loser> unfinished = undo.recover();
        this.transactions =
                new TransactionSystem(
                        environment(engine), options, storage.recoveredTransactionIdHighWater());
        SpaceShrink shrink = new SpaceShrink(storage.spaces(), storage.log(), storage.newMtr());
        this.purge = new Purge(transactions, shrink, undoPagesMax(options), storage.ioCapacity());
        this.losers = new LoserRollback(transactions);
        this.drops = new TableDrops(catalog, this::isUsed);
        this.checksums = new ChecksumConverter(storage, catalog);
        storage.startAgents(options, transactions::transactionIdHighWater);
        owned.pushAgents(() -> stopAgents(STOP_NANOS));
        losers.adopt(unfinished);
    }

    private void giveBirth() throws IOException {
        Catalog.create(storage.spaces(), storage.context());
        for (Space space : undoSpaces()) {
            UndoSpace.format(storage.newMtr(), space);
        }
        storage.log().makeDurable(storage.log().closedLsn());
        StoreCreation.finish(storage.store().directory());
    }

    private List<Space> undoSpaces() {
        List<Space> undoSpaces = new ArrayList<>();
        for (Space space : storage.spaces().all()) {
            if (StoreFiles.isUndoSpace(space.spaceId())) {
                undoSpaces.add(space);
            }
        }
        undoSpaces.sort(Comparator.comparingInt(Space::spaceId));
        return undoSpaces;
    }

    private TransactionEnvironment environment(Object engine) {
        return new TransactionEnvironment(
                storage.store().name(),
                engine,
                storage.context(),
                undo,
                storage.spaces().epochs(),
                new OverflowStore(storage.pool(), storage.counters()),
                tables,
                TABLE_CELLS);
    }

    private static long undoPagesMax(EngineOptions options) {
        int extent = AllocationMap.pagesPerExtent(options.pageBytes());
        long least = (long) UndoTruncation.extentsMin() * extent;
        return Math.max(least, OpenedStore.frames(options) / UNDO_POOL_PART);
    }

    /** Starts the agents; the engine is about to be used. */
    void startAgents() {
        losers.waker(agents.start("rollback", LOSERS_MILLIS, losers)::wake);
        AgentPace pace = new AgentPace(storage.log()::appendLsn, PURGE_MILLIS, PURGE_IDLE_MILLIS);
        agents.start("purge", pace, purge);
        dropsAgent = agents.start("drops", DROPS_MILLIS, drops);
        checksums.waker(agents.start("checksums", checksums::pauseNanos, checksums)::wake);
    }

    /** Whether a transaction that has written the table has not ended, or purge is in it. */
    private boolean isUsed(TableDescriptor table) {
        TableHandle handle = tables.byTreeId(table.treeId());
        return losers.left() > 0
                || (handle != null && transactions.hasWriters(handle))
                || purge.isAtWorkIn(table.treeId());
    }

    /** Takes a dropped table apart now if that can be done, else leaves it to the agent. */
    void finishDrop(TableDescriptor table) throws IOException {
        if (!drops.tryFinish(table)) {
            dropsAgent.wake();
        }
    }

    List<String> stopAgents(long timeoutNanos) {
        return agents.stop(timeoutNanos);
    }

    Tables tables() {
        return tables;
    }

    Catalog catalog() {
        return catalog;
    }

    ChecksumConverter checksums() {
        return checksums;
    }

    UndoSystem undo() {
        return undo;
    }

    TransactionSystem transactions() {
        return transactions;
    }

    /** Transactions that a crash ended and that are not taken back yet. */
    int losersLeft() {
        return losers.left() + losers.stuck();
    }

    void describeAgents(StringBuilder text) {
        agents.describe(text);
    }
}
