// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Cursor;
import dev.holdfast.Durability;
import dev.holdfast.EngineOptions;
import dev.holdfast.Isolation;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import dev.holdfast.TransactionOptions;
import dev.holdfast.core.btree.BTree;
import dev.holdfast.core.btree.LeafSnapshot;
import dev.holdfast.core.btree.OverflowFreer;
import dev.holdfast.core.btree.OverflowStore;
import dev.holdfast.core.btree.WritePosition;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.space.AllocationMap;
import dev.holdfast.core.space.CondemnedPages;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.space.SpaceFixture;
import dev.holdfast.core.space.SpaceShrink;
import dev.holdfast.core.undo.UndoSpace;
import dev.holdfast.core.undo.UndoSystem;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.async.IoCapacity;
import dev.holdfast.io.file.MemoryDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Transactions over real spaces, pool and log in memory; purge runs when the test says so. */
final class TransactionFixture implements AutoCloseable {
    static final int UNDO_PAGES_MAX = 6 * 256;

    final SpaceFixture under;
    final UndoSystem undo;
    final TransactionSystem system;
    final Purge purge;
    final LoserRollback losers;
    private final Space space;
    private final int tableCapacity;
    private final Duration lockWait;
    private final Map<Integer, TableHandle> tables = new ConcurrentHashMap<>();
    private int nextTreeId = 16;

    TransactionFixture(int pageBytes, int frames, int tableCapacity, Duration lockWait) {
        this(pageBytes, frames, tableCapacity, lockWait, true);
    }

    private TransactionFixture(
            int pageBytes,
            int frames,
            int tableCapacity,
            Duration lockWait,
            boolean freeCondemned) {
        ChainFreerLater chains = new ChainFreerLater();
        under = new SpaceFixture(pageBytes, MemoryDirectory.create(), frames, chains);
        chains.freer = new OverflowFreer(under.under.pool, under.mtr(), under.under.counters);
        under.start(freeCondemned);
        Space undo2 = under.create(2);
        Space undo3 = under.create(3);
        space = under.create(16);
        MiniTransaction mtr = under.mtr();
        UndoSpace.format(mtr, undo2);
        UndoSpace.format(mtr, undo3);
        undo = newUndo(List.of(undo2, undo3));
        undo.recover();
        this.tableCapacity = tableCapacity;
        this.lockWait = lockWait;
        system = newSystem(undo, 1);
        purge = newPurge(system);
        losers = new LoserRollback(system);
    }

    List<Space> undoSpaces() {
        return List.of(under.spaces.get(2), under.spaces.get(3));
    }

    UndoSystem newUndo(List<Space> undoSpaces) {
        return new UndoSystem(undoSpaces, under.under.pool, under.epochs, under.under.counters);
    }

    TransactionSystem newSystem(UndoSystem over, long transactionIdHighWater) {
        OverflowStore overflow = new OverflowStore(under.under.pool, under.under.counters);
        return new TransactionSystem(
                new TransactionEnvironment(
                        "test",
                        this,
                        under.under.context,
                        over,
                        under.epochs,
                        overflow,
                        tables::get,
                        tableCapacity),
                EngineOptions.builder()
                        .lockWaitTimeout(lockWait)
                        .durability(Durability.LAZY)
                        .build(),
                transactionIdHighWater);
    }

    Purge newPurge(TransactionSystem over) {
        SpaceShrink shrink = new SpaceShrink(under.spaces, under.under.log, under.mtr());
        return new Purge(over, shrink, UNDO_PAGES_MAX, new IoCapacity(1 << 20, System::nanoTime));
    }

    /** One more purge, to be run instead of {@link #purge}, that reads what the budget has. */
    Purge newPurge(long undoPagesMax, IoCapacity capacity) {
        SpaceShrink shrink = new SpaceShrink(under.spaces, under.under.log, under.mtr());
        return new Purge(system, shrink, undoPagesMax, capacity);
    }

    static TransactionFixture small() {
        return new TransactionFixture(4096, 256, 1024, Duration.ofMillis(200));
    }

    /** Condemned pages are freed only by {@link #freeCondemned}. */
    static TransactionFixture withoutFreeing() {
        return new TransactionFixture(4096, 256, 1024, Duration.ofMillis(200), false);
    }

    /** Frees what may be freed; each round moves the epoch on if nobody is in the way. */
    void freeCondemned() {
        for (int i = 0; i < 8; i++) {
            under.condemned.run();
        }
    }

    /** Waits until the agent has freed all that was condemned; nobody may be reading. */
    void awaitFreed() {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        for (Space each : under.spaces.all()) {
            while (CondemnedPages.hasWork(each)) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                Thread.onSpinWait();
            }
        }
    }

    /** Records of the table, deleted ones too. */
    int recordCount(TableHandle table) {
        LeafSnapshot leaf = new LeafSnapshot(table.tree());
        leaf.seekFirst();
        int count = leaf.count();
        for (int slot = leaf.nextLeaf(); slot != LeafSnapshot.NO_LEAF; slot = leaf.nextLeaf()) {
            count += leaf.count() - slot;
        }
        return count;
    }

    long count(Counter counter) {
        return under.under.counters.sum(counter);
    }

    /** Pages of the tables' space that somebody owns, condemned ones not counted. */
    int usedPages() {
        int used = 0;
        for (int page = 0; page < space.pageCount(); page++) {
            used += space.ownerOf(page) == AllocationMap.NO_OWNER ? 0 : 1;
        }
        return used;
    }

    /** The rows that a view sees, in order; long values by length and hash. */
    static List<String> rows(Snapshot view, TableHandle table) {
        List<String> rows = new ArrayList<>();
        try (Cursor cursor = view.cursor(table, Range.all())) {
            while (cursor.next()) {
                rows.add(text(cursor.key()) + "=" + text(cursor.value()));
            }
        }
        return rows;
    }

    List<String> rows(TableHandle table) {
        try (Snapshot now = snapshot()) {
            return rows(now, table);
        }
    }

    private static String text(byte[] bytes) {
        return bytes.length <= 16
                ? HexFormat.of().formatHex(bytes)
                : bytes.length + "#" + Arrays.hashCode(bytes);
    }

    TableHandle table(String name) {
        int treeId = nextTreeId++;
        MiniTransaction mtr = under.mtr();
        WritePosition scratch = new WritePosition(under.under.pool);
        int root;
        try (var pages = space.reserve(1, PageId.NULL_PAGE_NUMBER, false)) {
            root = pages.pageNumber(0);
            mtr.begin(4096, 4, false);
            try {
                pages.fixMaps(mtr);
                BTree.create(mtr, space, pages, treeId, scratch);
                mtr.commit();
            } catch (Throwable t) {
                throw mtr.failed(t);
            }
        }
        BTree tree = new BTree(treeId, root, space, under.under.pool, under.under.counters);
        TableHandle handle = new TableHandle(this, name, tree, space);
        tables.put(treeId, handle);
        return handle;
    }

    Transaction begin(Isolation isolation) {
        return system.begin(TransactionOptions.defaults().isolation(isolation));
    }

    Transaction begin() {
        return begin(Isolation.SNAPSHOT);
    }

    Snapshot snapshot() {
        return system.snapshot();
    }

    /** Purges all that can be purged. */
    void purgeAll() {
        boolean more = true;
        while (more) {
            more = purgeOne();
        }
    }

    /** One round of purge. */
    boolean purgeOne() {
        try {
            return purge.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        system.refuse();
        system.endAll(Duration.ofSeconds(5).toNanos());
        under.close();
    }

    /** The freer needs the pool that the fixture below makes. */
    private static final class ChainFreerLater implements dev.holdfast.core.space.ChainFreer {
        private OverflowFreer freer;

        @Override
        public void freeChain(Space chainSpace, long headPageId) {
            freer.freeChain(chainSpace, headPageId);
        }
    }
}
