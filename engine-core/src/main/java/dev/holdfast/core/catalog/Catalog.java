// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.catalog;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.holdfast.CorruptionException;
import dev.holdfast.Limits;
import dev.holdfast.NoSuchTableException;
import dev.holdfast.OptionMismatchException;
import dev.holdfast.TableExistsException;
import dev.holdfast.TableOptions;
import dev.holdfast.core.btree.BTree;
import dev.holdfast.core.btree.WritePosition;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.mtr.MtrContext;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.space.PageReservation;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.space.SpaceErrors;
import dev.holdfast.core.space.SpaceRecords;
import dev.holdfast.core.space.Spaces;
import dev.holdfast.core.space.StoreFiles;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The tables of a store: finds, creates, renames and drops them. Safe for all threads.
 *
 * <p>Finding takes no latch. A change is atomic and durable when its call returns; it is no part of
 * any transaction.
 */
public final class Catalog {
    /*
     * P19. What a crash between two steps leaves, and who mends it:
     *
     *   create in the main space   one group: map, root page, row            nothing to mend
     *   create, own space          file synced, directory synced             file that no row names:
     *                              group: map, root, row, SPACE_CREATE         deleted at the open
     *   rename                     one group                                 nothing to mend
     *   drop                       row DROPPING, durable                     TableDrops goes on
     *                              pages freed in many groups                 the same
     *                              row removed (own space: with SPACE_DROP)   the file goes as above
     *                              file deleted once that is durable
     *
     * In memory the change shows when its group is durable: a table that somebody was shown does
     * not vanish in a crash.
     *
     * field        written by          read by   guard or mode
     * byName       changes             all       replaced as a whole under the lock; volatile
     * byTreeId     changes, drops      all       concurrent map
     * dropping     drops, agent        agent     concurrent queue
     */

    private static final Logger LOGGER = LoggerFactory.getLogger(Catalog.class);

    /** Sync points: between the file of a new space and its row; between row and memory. */
    static final String FILE_CREATED = "catalog.fileCreated";

    static final String ROW_LOGGED = "catalog.rowLogged";

    private final Spaces spaces;
    private final MtrContext context;
    private final IdHighWaters ids;
    private final CatalogListener listener;
    private final CatalogTree rows;
    private final CatalogLock lock;
    private final ConcurrentHashMap<Integer, TableDescriptor> byTreeId = new ConcurrentHashMap<>();
    private final Queue<TableDescriptor> dropping = new ConcurrentLinkedQueue<>();
    private volatile SortedMap<String, TableDescriptor> byName = new TreeMap<>();

    /**
     * Over the catalog tree as it is; {@link #load} reads it.
     *
     * @param lockTimeoutNanos how long a change waits for another one
     */
    public Catalog(
            Spaces spaces,
            MtrContext context,
            IdHighWaters ids,
            CatalogListener listener,
            long lockTimeoutNanos) {
        this.spaces = spaces;
        this.context = context;
        this.ids = ids;
        this.listener = listener;
        Space main = spaces.get(StoreFiles.MAIN_SPACE);
        BTree tree =
                new BTree(
                        IdHighWaters.CATALOG_TREE,
                        CatalogTree.ROOT_PAGE,
                        main,
                        spaces.pool(),
                        context.counters());
        this.rows =
                new CatalogTree(
                        tree, new MiniTransaction(context), new WritePosition(spaces.pool()));
        this.lock = new CatalogLock(context.counters(), context.health(), lockTimeoutNanos);
    }

    /** Makes the catalog tree of a new store, whose main space was just created. */
    public static void create(Spaces spaces, MtrContext context) {
        CatalogTree.create(
                spaces.get(StoreFiles.MAIN_SPACE),
                new MiniTransaction(context),
                new WritePosition(spaces.pool()));
    }

    /**
     * Reads all rows, opens the tables' own spaces, and deletes the files of spaces that no row
     * names: of creations and drops that a crash cut short. After redo; the log can be appended to.
     *
     * @throws CorruptionException if a row, or a file that one names, is damaged or missing
     */
    public void load() throws IOException {
        SortedMap<String, TableDescriptor> names = new TreeMap<>();
        for (CatalogRow row : rows.rows()) {
            ids.seen(row.treeId(), row.spaceId());
            Space space = spaceOf(row);
            TableDescriptor table = describe(row, space);
            byTreeId.put(row.treeId(), table);
            if (row.state() == TableState.ACTIVE) {
                TableDescriptor twin = names.put(row.name(), table);
                if (twin != null) {
                    throw new CorruptionException(
                            "two tables have one name",
                            StoreFiles.spaceFile(StoreFiles.MAIN_SPACE),
                            twin.toString(),
                            table.toString());
                }
            }
        }
        byName = names;
        deleteUnnamedSpaces();
        for (TableDescriptor table : byTreeId.values()) {
            listener.created(table);
            if (table.isDropping()) {
                dropping.add(table);
                listener.dropping(table);
            }
        }
    }

    /** The table of that name, if there is one. */
    public Optional<TableDescriptor> find(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** The tables, by name. */
    public List<TableDescriptor> list() {
        return new ArrayList<>(byName.values());
    }

    /**
     * The table of a tree, one that is being dropped too, for rollback and purge; empty when nobody
     * needs the tree any more.
     */
    public Optional<TableDescriptor> byTreeId(int treeId) {
        return Optional.ofNullable(byTreeId.get(treeId));
    }

    /** All tables whose trees are there, those that are being dropped among them. */
    public List<TableDescriptor> all() {
        return new ArrayList<>(byTreeId.values());
    }

    /** The catalog's own tree, for the verifier. */
    public BTree tree() {
        return rows.tree();
    }

    /**
     * Finds a table or creates it.
     *
     * <p><b>Latches:</b> none held; so for all changes.
     *
     * @throws OptionMismatchException if it was created with other options
     * @throws IllegalArgumentException if the name is empty or too long
     * @throws dev.holdfast.DiskFullException if there is no room for it; nothing is left of it
     */
    public TableDescriptor openOrCreate(String name, TableOptions options) {
        checkName(name);
        TableDescriptor found = byName.get(name);
        if (found == null) {
            lock.lock();
            try {
                found = byName.get(name);
                if (found == null) {
                    return create(name, options);
                }
            } finally {
                lock.unlock();
            }
        }
        if (found.isOwnSpace() != options.isOwnSpace()) {
            throw new OptionMismatchException(
                    "table " + name,
                    "ownSpace",
                    Boolean.toString(found.isOwnSpace()),
                    Boolean.toString(options.isOwnSpace()));
        }
        return found;
    }

    /**
     * Gives a table another name.
     *
     * @throws NoSuchTableException if there is none of the old name
     * @throws TableExistsException if there is one of the new name
     */
    public void rename(String from, String to) {
        checkName(to);
        lock.lock();
        try {
            TableDescriptor table = require(from);
            if (byName.containsKey(to)) {
                throw new TableExistsException(to);
            }
            CatalogRow row = table.row().withName(to);
            makeDurable(rows.replace(row));
            table.row(row);
            SortedMap<String, TableDescriptor> names = new TreeMap<>(byName);
            names.remove(from);
            names.put(to, table);
            byName = names;
            listener.renamed(table);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Drops a table: when this returns it is gone for its users, for good. Its pages or its file go
     * when nobody needs the tree any more; {@link TableDrops} sees to that.
     *
     * @throws NoSuchTableException if there is none of that name
     */
    public TableDescriptor drop(String name) {
        lock.lock();
        try {
            TableDescriptor table = require(name);
            CatalogRow row = table.row().withState(TableState.DROPPING);
            makeDurable(rows.replace(row));
            table.row(row);
            SortedMap<String, TableDescriptor> names = new TreeMap<>(byName);
            names.remove(name);
            byName = names;
            // Before the agent can find it: it ends with the table's handle forgotten.
            listener.dropping(table);
            dropping.add(table);
            context.counters().increment(Counter.TABLES_DROPPED);
            return table;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Keeps changes away, for a check: waits for the one that is under way; later ones wait until
     * {@link #resumeChanges}, by the same thread.
     */
    public void pauseChanges() {
        lock.lockUnlimited();
    }

    /** Ends what {@link #pauseChanges} began. */
    public void resumeChanges() {
        lock.unlock();
    }

    /** The tables that are being dropped. */
    public List<TableDescriptor> dropping() {
        return new ArrayList<>(dropping);
    }

    /**
     * Nobody uses the tree of a dropped table; undo that names it is a no-op from now on. A second
     * call does nothing.
     */
    void unlist(TableDescriptor table) {
        if (byTreeId.remove(table.treeId()) != null) {
            listener.removed(table);
        }
    }

    /** A drop is complete. */
    void dropped(TableDescriptor table) {
        dropping.remove(table);
    }

    /** The last group of a drop; durable on return. Takes the lock. */
    void removeRow(TableDescriptor table) {
        byte[] spaceDrop =
                table.isOwnSpace() ? SpaceRecords.drop(table.space().spaceId()) : new byte[0];
        lock.lockUnlimited();
        try {
            makeDurable(rows.remove(table.row(), spaceDrop));
        } finally {
            lock.unlock();
        }
    }

    /** Deletes the file of a retired space that no row names. If it fails the next open does it. */
    void deleteFile(int spaceId) {
        try {
            spaces.delete(spaceId);
        } catch (IOException failure) {
            LOGGER.warn(
                    "file of a dropped space is left for the next open: file={}",
                    spaces.files().fileName(spaceId),
                    failure);
        }
    }

    /** The rows as the tree has them; no change runs meanwhile. */
    List<CatalogRow> rowsOnDisk() {
        return rows.rows();
    }

    Spaces spaces() {
        return spaces;
    }

    MtrContext context() {
        return context;
    }

    private TableDescriptor create(String name, TableOptions options) {
        int treeId = ids.nextTreeId();
        TableDescriptor table =
                options.isOwnSpace()
                        ? createWithSpace(treeId, name)
                        : create(treeId, name, spaces.get(StoreFiles.MAIN_SPACE), new byte[0]);
        byTreeId.put(treeId, table);
        // The listener first: who finds the table by its name finds what the listener has of it.
        listener.created(table);
        SortedMap<String, TableDescriptor> names = new TreeMap<>(byName);
        names.put(name, table);
        byName = names;
        context.counters().increment(Counter.TABLES_CREATED);
        return table;
    }

    private TableDescriptor createWithSpace(int treeId, String name) {
        int spaceId = ids.nextSpaceId();
        Space space;
        try {
            space = spaces.create(spaceId);
        } catch (IOException failure) {
            throw SpaceErrors.of("creating a space", spaceId, failure);
        }
        TestHooks.reached(FILE_CREATED);
        boolean created = false;
        try {
            int kinds = spaces.files().allowedKinds(spaceId);
            byte[] record = SpaceRecords.create(spaceId, kinds, (int) space.pageCount());
            TableDescriptor table = create(treeId, name, space, record);
            created = true;
            return table;
        } finally {
            if (!created && !context.health().failed()) {
                spaces.retire(spaceId);
                deleteFile(spaceId);
            }
        }
    }

    private TableDescriptor create(int treeId, String name, Space space, byte[] spaceRecord) {
        boolean fromReserve = spaceRecord.length > 0;
        try (PageReservation root = space.reserve(1, PageId.NULL_PAGE_NUMBER, fromReserve)) {
            CatalogRow row =
                    new CatalogRow(
                            treeId,
                            name,
                            space.spaceId(),
                            root.pageNumber(0),
                            TableState.ACTIVE,
                            new TreeMap<>());
            long endLsn = rows.insert(row, space, root, spaceRecord);
            TestHooks.reached(ROW_LOGGED);
            makeDurable(endLsn);
            return describe(row, space);
        }
    }

    private void makeDurable(long endLsn) {
        context.log().makeDurable(endLsn);
    }

    private TableDescriptor describe(CatalogRow row, Space space) {
        BTree tree =
                new BTree(row.treeId(), row.rootPage(), space, spaces.pool(), context.counters());
        return new TableDescriptor(row, tree, space);
    }

    private Space spaceOf(CatalogRow row) throws IOException {
        int spaceId = row.spaceId();
        if (!spaces.contains(spaceId)) {
            spaces.files().checkHeader(spaceId);
            return spaces.open(spaceId);
        }
        return spaces.get(spaceId);
    }

    private void deleteUnnamedSpaces() throws IOException {
        for (int spaceId : spaces.files().spaceIds()) {
            if (spaceId >= StoreFiles.OWN_SPACE_MIN && !spaces.contains(spaceId)) {
                spaces.delete(spaceId);
            }
        }
    }

    private TableDescriptor require(String name) {
        TableDescriptor table = byName.get(name);
        if (table == null) {
            throw new NoSuchTableException(name);
        }
        return table;
    }

    private static void checkName(String name) {
        byte[] encoded = name.getBytes(UTF_8);
        if (!new String(encoded, UTF_8).equals(name)) {
            // Encoding replaces what it cannot say, so two such names would be one on the disk.
            throw new IllegalArgumentException(
                    "a table's name is no Unicode text: an unpaired surrogate, name=" + name);
        }
        int bytes = encoded.length;
        if (bytes == 0 || bytes > Limits.TABLE_NAME_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "bad length of a table's name: bytes="
                            + bytes
                            + ", max="
                            + Limits.TABLE_NAME_BYTES_MAX);
        }
    }
}
