// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CloseMode;
import dev.holdfast.DuplicateKeyException;
import dev.holdfast.Durability;
import dev.holdfast.Engine;
import dev.holdfast.EngineException;
import dev.holdfast.EngineOptions;
import dev.holdfast.Isolation;
import dev.holdfast.Limits;
import dev.holdfast.NoSuchTableException;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import dev.holdfast.Transaction;
import dev.holdfast.TransactionOptions;
import dev.holdfast.core.rig.StoreState.TableState;
import dev.holdfast.io.sim.CrashImage;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.SimulatedDisk;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;

/**
 * Runs {@link Operation}s on an engine and on a model of sorted maps, and compares every answer.
 *
 * <p>Either it owns engine and disk, and may close, crash and change tables; or it works beside
 * others on keys with a prefix of its own.
 */
final class ModelMachine implements AutoCloseable {
    private static final int TABLES = 3;
    private static final int SNAPSHOTS_MAX = 3;
    private static final int KEY_BYTES_MAX = Limits.keyBytesMax(RigEngine.PAGE_BYTES);

    private final String prefix;
    private final Map<Integer, Table> handles = new HashMap<>();
    private final Deque<KeptView> snapshots = new ArrayDeque<>();

    /** Null if it works beside others. */
    private SimulatedDisk disk;

    private Engine engine;
    private StoreState committed = new StoreState();

    /** What a crash may go back to, oldest first; the last is what is committed now. */
    private final List<Version> versions = new ArrayList<>();

    private int tablesMade = TABLES;
    private long nextTag = 1;

    /** Null between transactions. */
    private Transaction transaction;

    private StoreState changed;

    /** Whether the transaction has changed anything; without that its commit waits for nothing. */
    private boolean hasWritten;

    private ModelCursor cursor;

    private record KeptView(Snapshot snapshot, StoreState state) {}

    private record Version(StoreState state, Durability durability) {}

    /** Makes one that owns a new store. */
    ModelMachine(SimulatedDisk disk) {
        this.disk = disk;
        this.prefix = "";
        this.engine = RigEngine.open(disk.directory()).engine();
        makeTables();
    }

    /** Makes one that works on a store beside others. */
    ModelMachine(Engine engine, String prefix) {
        this.prefix = prefix;
        this.engine = engine;
        makeTables();
    }

    private void makeTables() {
        for (int table = 0; table < TABLES; table++) {
            create(table, "t" + table, table == 1);
        }
    }

    private void create(int table, String name, boolean ownSpace) {
        committed.create(table, name, ownSpace);
        handles.put(
                table,
                engine.table(name, ownSpace ? TableOptions.ownSpace() : TableOptions.shared()));
        committedAs(Durability.SYNC);
    }

    /** Beside others: the store was closed, or crashed, and is open again. */
    void reopened(Engine newEngine) {
        forgetViews();
        engine = newEngine;
        handles.clear();
        committed.tables().forEach((number, t) -> handles.put(number, engine.table(t.name)));
    }

    /** The key with the prefix, and cut if it is too long then. */
    private String own(String key) {
        String whole = prefix + key;
        return whole.substring(0, Math.min(whole.length(), KEY_BYTES_MAX));
    }

    /** Keys and rows that are seen now: the transaction's, or what is committed. */
    private NavigableMap<String, Value> rows(int table) {
        return (transaction == null ? committed : changed).rows(table);
    }

    private Table handle(int table) {
        return handles.get(table);
    }

    private int pick(int table) {
        List<Integer> there = List.copyOf(committed.tables().keySet());
        return there.isEmpty() ? -1 : there.get(table % there.size());
    }

    void begin(Isolation isolation) {
        if (transaction == null) {
            transaction = engine.begin(TransactionOptions.defaults().isolation(isolation));
            changed = committed.copy();
            hasWritten = false;
        }
    }

    void commit(Durability durability) {
        if (transaction != null) {
            closeCursor();
            transaction.commit(durability);
            transaction = null;
            committed = changed;
            if (hasWritten) {
                committedAs(durability);
            }
        }
    }

    void rollback() {
        if (transaction != null) {
            closeCursor();
            transaction.rollback();
            transaction = null;
        }
    }

    private void committedAs(Durability durability) {
        if (durability == Durability.SYNC) {
            versions.clear();
        }
        versions.add(new Version(committed.copy(), durability));
    }

    /** Runs a statement in the transaction that is there, or in one of its own. */
    private void inTransaction(Runnable statement) {
        boolean isOwn = transaction == null;
        if (isOwn) {
            begin(Isolation.SNAPSHOT);
        }
        statement.run();
        if (isOwn) {
            commit(Durability.SYNC);
        }
    }

    void write(Change.Kind kind, int wantedTable, String keyText, int length, boolean matches) {
        int table = pick(wantedTable);
        if (table >= 0) {
            inTransaction(() -> statement(kind, table, own(keyText), length, matches));
        }
    }

    private void statement(
            Change.Kind kind, int table, String keyText, int length, boolean matches) {
        byte[] key = Keys.bytes(keyText);
        Value value = Value.of(nextTag++, length);
        NavigableMap<String, Value> rows = rows(table);
        Value now = rows.get(keyText);
        boolean isDone =
                switch (kind) {
                    case PUT -> {
                        transaction.put(handle(table), key, value.bytes());
                        yield true;
                    }
                    case INSERT -> insert(table, key, value, now != null);
                    case REPLACE -> transaction.replace(handle(table), key, value.bytes());
                    case UPDATE -> {
                        Value expected = now != null && matches ? now : Value.of(0, 3);
                        yield transaction.update(
                                handle(table), key, expected.bytes(), value.bytes());
                    }
                    default -> transaction.delete(handle(table), key);
                };
        boolean isRight =
                switch (kind) {
                    case PUT -> true;
                    case INSERT -> now == null;
                    case UPDATE -> now != null && matches;
                    default -> now != null;
                };
        assertThat(isDone).as("answer to %s of %s", kind, Keys.text(keyText)).isEqualTo(isRight);
        hasWritten |= isDone;
        if (isDone && kind == Change.Kind.DELETE) {
            rows.remove(keyText);
        } else if (isDone) {
            rows.put(keyText, value);
        }
    }

    private boolean insert(int table, byte[] key, Value value, boolean isThere) {
        if (isThere) {
            assertThatThrownBy(() -> transaction.insert(handle(table), key, value.bytes()))
                    .isInstanceOf(DuplicateKeyException.class);
            return false;
        }
        transaction.insert(handle(table), key, value.bytes());
        return true;
    }

    void putRun(int wantedTable, String runPrefix, int count, int length, boolean descending) {
        int table = pick(wantedTable);
        if (table < 0) {
            return;
        }
        inTransaction(
                () -> {
                    hasWritten = true;
                    for (int i = 0; i < count; i++) {
                        int at = descending ? count - i : i;
                        String key = prefix + runPrefix + (char) at;
                        Value value = Value.of(nextTag++, length);
                        transaction.put(handle(table), Keys.bytes(key), value.bytes());
                        rows(table).put(key, value);
                    }
                });
    }

    void deleteRange(int wantedTable, String from, String to) {
        int table = pick(wantedTable);
        if (table < 0) {
            return;
        }
        inTransaction(
                () -> {
                    NavigableMap<String, Value> gone =
                            rows(table).subMap(own(from), true, own(to), false);
                    Range range = Range.closedOpen(Keys.bytes(own(from)), Keys.bytes(own(to)));
                    assertThat(transaction.deleteRange(handle(table), range))
                            .isEqualTo(gone.size());
                    hasWritten |= !gone.isEmpty();
                    gone.clear();
                });
    }

    void get(int wantedTable, String keyText) {
        int table = pick(wantedTable);
        if (table < 0) {
            return;
        }
        byte[] key = Keys.bytes(own(keyText));
        Value right = rows(table).get(own(keyText));
        if (transaction == null) {
            byte[] found = engine.read(snapshot -> snapshot.get(handle(table), key));
            assertThat(found).isEqualTo(right == null ? null : right.bytes());
            return;
        }
        assertThat(transaction.get(handle(table), key))
                .as("value of %s", Keys.text(own(keyText)))
                .isEqualTo(right == null ? null : right.bytes());
        assertThat(transaction.contains(handle(table), key)).isEqualTo(right != null);
        ByteBuffer target = ByteBuffer.allocate(40);
        int length = transaction.get(handle(table), key, target);
        assertThat(length).isEqualTo(right == null ? -1 : right.length());
        if (length >= 0 && length <= 40) {
            assertThat(target.flip()).isEqualTo(ByteBuffer.wrap(right.bytes()));
        } else {
            assertThat(target.position()).isZero();
        }
    }

    void openCursor(int wantedTable, String from, String to, boolean reversed) {
        int table = pick(wantedTable);
        closeCursor();
        if (table < 0 || (to != null && from.compareTo(to) > 0)) {
            return;
        }
        begin(Isolation.SNAPSHOT);
        String lower = own(from);
        String upper = to == null ? (prefix.isEmpty() ? null : Keys.afterPrefix(prefix)) : null;
        upper = to == null ? upper : own(to);
        Range range =
                upper == null
                        ? Range.atLeast(Keys.bytes(lower))
                        : Range.closedOpen(Keys.bytes(lower), Keys.bytes(upper));
        cursor =
                new ModelCursor(
                        transaction.cursor(handle(table), reversed ? range.reversed() : range),
                        () -> rows(table),
                        lower,
                        upper,
                        reversed);
    }

    void move(Operation.Move.Where where, String key) {
        if (cursor != null) {
            cursor.move(where, own(key));
        }
    }

    private void closeCursor() {
        if (cursor != null) {
            cursor.close();
            cursor = null;
        }
    }

    void takeSnapshot() {
        if (snapshots.size() == SNAPSHOTS_MAX) {
            snapshots.removeFirst().snapshot().close();
        }
        snapshots.addLast(new KeptView(engine.snapshot(), committed.copy()));
    }

    void readSnapshots() {
        for (KeptView view : snapshots) {
            view.state()
                    .tables()
                    .forEach((number, table) -> checkRows(view.snapshot(), number, table.rows));
        }
    }

    private void checkRows(Snapshot snapshot, int table, NavigableMap<String, Value> rows) {
        if (!handles.containsKey(table)) {
            return;
        }
        Table handle = handle(table);
        if (!committed.has(table)) {
            assertThatThrownBy(() -> snapshot.get(handle, Keys.bytes("any")))
                    .isInstanceOf(NoSuchTableException.class);
            return;
        }
        Range range = prefix.isEmpty() ? Range.all() : Range.prefix(Keys.bytes(prefix));
        try (ModelCursor all =
                new ModelCursor(
                        snapshot.cursor(handle, range),
                        () -> rows,
                        prefix,
                        prefix.isEmpty() ? null : Keys.afterPrefix(prefix),
                        false)) {
            all.checkToTheEnd();
        }
    }

    void changeTables(TableStep.Kind kind, int wantedTable, boolean ownSpace) {
        if (transaction != null) {
            return;
        }
        int table = pick(wantedTable);
        if (kind == TableStep.Kind.CREATE || table < 0) {
            if (committed.tables().size() <= TABLES) {
                create(tablesMade, "t" + tablesMade, ownSpace);
                tablesMade++;
            }
        } else if (kind == TableStep.Kind.RENAME) {
            String to = "r" + tablesMade++;
            engine.renameTable(committed.name(table), to);
            committed.rename(table, to);
            assertThat(handle(table).name()).isEqualTo(to);
            committedAs(Durability.SYNC);
        } else {
            engine.dropTable(committed.name(table));
            committed.drop(table);
            committedAs(Durability.SYNC);
        }
    }

    void checkpoint() {
        engine.checkpoint();
    }

    void verify() {
        StoreCheck.verify(engine);
    }

    /** Compares all that is committed. */
    void check() {
        try (Snapshot snapshot = engine.snapshot()) {
            committed.tables().forEach((number, table) -> checkRows(snapshot, number, table.rows));
        }
    }

    void reopen(boolean clean) {
        Transaction before = transaction;
        engine.close();
        if (before != null) {
            assertThatThrownBy(() -> before.get(handle(0), new byte[1]))
                    .isInstanceOf(EngineException.class);
        }
        open(clean);
        committedAs(Durability.SYNC);
        StoreCheck.check(engine, committed);
    }

    private void open(boolean clean) {
        EngineOptions options =
                RigEngine.options().closeMode(clean ? CloseMode.CLEAN : CloseMode.FAST).build();
        reopened(RigEngine.open(disk.directory(), options).engine());
    }

    void crash(CrashMode mode, long seed) {
        CrashImage image = disk.crash(mode, seed);
        engine.close();
        disk = image.disk();
        forgetViews();
        engine = RigEngine.open(disk.directory()).engine();
        committed = survivor(mode);
        versions.clear();
        reopened(engine);
        committedAs(Durability.SYNC);
    }

    /** The newest state that the store may be in and is in. */
    private StoreState survivor(CrashMode mode) {
        AssertionError mismatch = null;
        for (int i = versions.size() - 1; i >= 0; i--) {
            StoreState state = versions.get(i).state();
            try {
                StoreCheck.check(engine, state);
                return state.copy();
            } catch (AssertionError notThisOne) {
                mismatch = mismatch == null ? notThisOne : mismatch;
            }
            if (!mode.isPowerLoss() && versions.get(i).durability() == Durability.WRITE) {
                break;
            }
        }
        throw new AssertionError(
                "the store holds no state that it may hold: " + mismatch, mismatch);
    }

    private void forgetViews() {
        cursor = null;
        transaction = null;
        snapshots.clear();
    }

    /** Ends the transaction and the views, not the engine. */
    void endViews() {
        rollback();
        snapshots.forEach(view -> view.snapshot().close());
        snapshots.clear();
    }

    /** For messages. */
    TableState table(int number) {
        return committed.tables().get(number);
    }

    @Override
    public void close() {
        engine.close();
    }
}
