// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.Cursor;
import dev.holdfast.EngineException;
import dev.holdfast.Isolation;
import dev.holdfast.NoSuchTableException;
import dev.holdfast.Range;
import dev.holdfast.core.btree.LeafRecord;
import dev.holdfast.core.btree.LeafSnapshot;
import dev.holdfast.core.btree.TreeGoneException;
import dev.holdfast.core.btree.TreeLimits;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;

/** A cursor of the API over one table. Belongs to its view; used by the thread inside that. */
final class TableCursor implements Cursor {
    /*
     * It walks over private copies of leaves (LeafSnapshot), so it holds nothing between two calls.
     * The cut is where the walk goes on when a leaf has to be loaded: going up, with the keys that
     * are not below it; going down, with those below it. Whether a leaf is the next one (the cut is
     * its fence, P15), or the same one again, since it changed before its rows were decided, since a
     * version chain broke or since the transaction itself changed something, is all the same.
     *
     * The row that it stands on is copied out, so that views of it stay valid until the next move,
     * whatever happens to the leaf. A value in an overflow chain is read when it is asked for, by a
     * search for the key; under READ_COMMITTED at once, since the statement's snapshot ends with
     * the move. There every move has an LSN of its own; rows that an older one decided to show are
     * committed, and stay decided.
     *
     * A row whose older version could not be followed to its end for some times, since its leaf is
     * written all the time, is read by a search for its key instead, which gets a latch in the end.
     *
     * The leaf's memory is lent by the workspace from the first move to the close. If the view ends
     * before, the workspace has it back, and this cursor, which can't enter the view any more, does
     * not touch it. Key and value are the cursor's own: views of them are with the caller.
     */
    private enum Place {
        BEFORE,
        ON,
        AFTER
    }

    private static final int BYTES_MIN = 64;
    private static final byte[] NO_BYTES = {};

    /** After so many restarts at one row it is read by its key. */
    private static final int RESTARTS_MAX = 8;

    private static final int SHOWN = 1;
    private static final int SKIPPED = 0;
    private static final int CHANGED = -1;

    private final View view;
    private final TransactionSystem system;
    private final TableHandle table;
    private final boolean isReversed;
    private final boolean isEmptyRange;
    private final boolean wantsValues;
    private final byte[] from;
    private final byte[] to;
    private final int keyBytesMax;

    /** Null before the first move. */
    private LeafView rows;

    private LeafSnapshot leaf;
    private RowReader reader;

    /** In the order of keys, whatever the range's direction. */
    private Place place;

    private boolean closed;
    private boolean loaded;
    private long loadedChanges;
    private long lsn;
    private int slot;

    /** Times that the row at hand had to be begun again. */
    private int restarts;

    private byte[] cut;
    private int cutLength;

    private byte[] key = NO_BYTES;
    private int keyLength;
    private byte[] value = NO_BYTES;
    private int valueLength;
    private boolean valueInChain;

    private ByteBuffer keyView;
    private byte[] keyViewOf;
    private ByteBuffer valueView;
    private byte[] valueViewOf;

    TableCursor(View view, TableHandle table, Range range) {
        this(view, table, range, true);
    }

    private TableCursor(View view, TableHandle table, Range range, boolean wantsValues) {
        this.view = view;
        this.system = view.system();
        this.table = table;
        this.wantsValues = wantsValues;
        this.isReversed = range.isReversed();
        this.isEmptyRange = range.isEmpty();
        this.keyBytesMax = TreeLimits.keyBytesMax(system.pool().pageBytes());
        this.from = clamped(range.from(), keyBytesMax);
        this.to = range.to() == null ? null : clamped(range.to(), keyBytesMax);
        this.place = isReversed ? Place.AFTER : Place.BEFORE;
    }

    /** A cursor for a statement that is inside the view already and wants keys alone. */
    static TableCursor ofKeys(View view, TableHandle table, Range range) {
        return new TableCursor(view, table, range, false);
    }

    /**
     * No key is longer than the limit, so a longer bound is as good as the cut above its prefix.
     */
    private static byte[] clamped(byte[] bound, int keyBytesMax) {
        if (bound.length <= keyBytesMax) {
            return bound;
        }
        byte[] above = Arrays.copyOf(bound, keyBytesMax + 1);
        above[keyBytesMax] = 0;
        return above;
    }

    @Override
    public boolean next() {
        enter();
        try {
            return nextEntered();
        } finally {
            exit();
        }
    }

    /** {@link #next} for a statement that is inside the view already. */
    boolean nextEntered() {
        begin();
        try {
            return isReversed ? down() : up();
        } catch (TreeGoneException | EngineException e) {
            throw table.refusal(e);
        }
    }

    @Override
    public boolean previous() {
        enter();
        try {
            begin();
            return isReversed ? up() : down();
        } catch (TreeGoneException | EngineException e) {
            throw table.refusal(e);
        } finally {
            exit();
        }
    }

    @Override
    public boolean first() {
        place = isReversed ? Place.AFTER : Place.BEFORE;
        return next();
    }

    @Override
    public boolean last() {
        Place afterLast = isReversed ? Place.BEFORE : Place.AFTER;
        place = afterLast;
        return previous() || ended(afterLast);
    }

    @Override
    public boolean seek(byte[] wanted) {
        Objects.requireNonNull(wanted, "key");
        byte[] bound = clamped(wanted, keyBytesMax);
        enter();
        try {
            begin();
            return isReversed ? seekDown(bound) : seekUp(bound);
        } catch (TreeGoneException | EngineException e) {
            throw table.refusal(e);
        } finally {
            exit();
        }
    }

    private void enter() {
        if (closed) {
            throw new IllegalStateException("cursor is closed: " + table);
        }
        view.enter();
        if (table.isDropped()) {
            view.exit();
            throw new NoSuchTableException(table.name());
        }
    }

    private void exit() {
        view.statementEnded();
        view.exit();
    }

    private void begin() {
        lsn = view.statementLsn();
        if (rows == null) {
            rows = view.workspace().takeLeaf(view, table);
            leaf = rows.leaf();
            cut = rows.cut();
        }
    }

    private boolean up() {
        if (isEmptyRange || place == Place.AFTER) {
            return ended(Place.AFTER);
        }
        if (place == Place.BEFORE) {
            cutAt(from, from.length);
            leaf.jumps();
            loadUp();
        } else if (isLeafCurrent()) {
            slot++;
        } else {
            cutAbove(key, keyLength);
            loadUp();
        }
        return walkUp();
    }

    private boolean seekUp(byte[] wanted) {
        if (isEmptyRange) {
            return ended(Place.AFTER);
        }
        byte[] start = Arrays.compareUnsigned(wanted, from) > 0 ? wanted : from;
        cutAt(start, start.length);
        leaf.jumps();
        loadUp();
        return walkUp();
    }

    private boolean down() {
        if (isEmptyRange || place == Place.BEFORE) {
            return ended(Place.BEFORE);
        }
        if (place == Place.AFTER) {
            loadBelowEnd();
        } else if (isLeafCurrent()) {
            slot--;
        } else {
            cutAt(key, keyLength);
            loadDown();
        }
        return walkDown();
    }

    private boolean seekDown(byte[] wanted) {
        if (isEmptyRange) {
            return ended(Place.BEFORE);
        }
        if (to != null && Arrays.compareUnsigned(wanted, to) >= 0) {
            loadBelowEnd();
        } else {
            cutAbove(wanted, Math.min(wanted.length, keyBytesMax));
            leaf.jumps();
            loadDown();
        }
        return walkDown();
    }

    /**
     * Whether the leaf shows what the view sees. The statement that walks over keys makes the only
     * changes meanwhile, to rows that it has passed.
     */
    private boolean isLeafCurrent() {
        return loaded && (!wantsValues || loadedChanges == view.changes());
    }

    private boolean ended(Place at) {
        place = at;
        return false;
    }

    /** From the slot upwards to the first row that is seen. */
    private boolean walkUp() {
        while (true) {
            if (slot >= rows.count()) {
                cutLength = leaf.upperFence(cut);
                if (cutLength < 0 || (to != null && compareCut(to) >= 0)) {
                    return ended(Place.AFTER);
                }
                leaf.crosses(true, to);
                loadUp();
                continue;
            }
            if (to != null && leaf.compareKey(slot, to, to.length) >= 0) {
                return ended(Place.AFTER);
            }
            int shown = show();
            if (shown == SHOWN) {
                place = Place.ON;
                return true;
            }
            if (shown == SKIPPED) {
                slot++;
            } else {
                cutAt(key, keyLength);
                loadUp();
            }
        }
    }

    /** From the slot downwards to the first row that is seen. */
    private boolean walkDown() {
        while (true) {
            if (slot < 0) {
                cutLength = leaf.lowerFence(cut);
                if (cutLength < 0 || compareCut(from) <= 0) {
                    return ended(Place.BEFORE);
                }
                leaf.crosses(false, from);
                loadDown();
                continue;
            }
            if (leaf.compareKey(slot, from, from.length) < 0) {
                return ended(Place.BEFORE);
            }
            int shown = show();
            if (shown == SHOWN) {
                place = Place.ON;
                return true;
            }
            if (shown == SKIPPED) {
                slot--;
            } else {
                cutAbove(key, keyLength);
                loadDown();
            }
        }
    }

    private int compareCut(byte[] bound) {
        return Arrays.compareUnsigned(cut, 0, cutLength, bound, 0, bound.length);
    }

    private void cutAt(byte[] at, int length) {
        System.arraycopy(at, 0, cut, 0, length);
        cutLength = length;
    }

    /** The least cut that a key is below. */
    private void cutAbove(byte[] at, int length) {
        cutAt(at, length);
        cut[length] = 0;
        cutLength = length + 1;
    }

    private void loadUp() {
        beginLoad();
        do {
            slot = leaf.seek(cut, cutLength);
        } while (!rows.decide(lsn));
        loaded();
    }

    private void loadDown() {
        beginLoad();
        do {
            slot = leaf.seekBelow(cut, cutLength);
        } while (!rows.decide(lsn));
        loaded();
    }

    private void loadBelowEnd() {
        leaf.jumps();
        if (to != null) {
            cutAt(to, to.length);
            loadDown();
            return;
        }
        beginLoad();
        do {
            leaf.seekLast();
            slot = leaf.count() - 1;
        } while (!rows.decide(lsn));
        loaded();
    }

    private void beginLoad() {
        loaded = false;
    }

    private void loaded() {
        loaded = true;
        loadedChanges = view.changes();
    }

    /** Takes the slot's row over if the view sees it; its key in any case. */
    private int show() {
        keyLength = leaf.keyLength(slot);
        key = room(key, keyLength);
        leaf.key(slot, key);
        byte state = rows.state(slot);
        if (state == LeafView.GONE) {
            return SKIPPED;
        }
        if (state == LeafView.OLDER) {
            return showOlder();
        }
        ByteBuffer chunk = leaf.chunk();
        int record = leaf.record(slot);
        valueInChain = LeafRecord.isOverflow(chunk, record);
        if (valueInChain) {
            return showChain();
        }
        int length = LeafRecord.valueLength(chunk, record, leaf.recordLength(slot));
        value = room(value, length);
        PageMemory.copyOut(chunk, LeafRecord.valueAt(chunk, record), value, 0, length);
        valueLength = length;
        return SHOWN;
    }

    private int showOlder() {
        VersionChain chain = view.workspace().chain;
        VersionChain.Outcome outcome;
        int token = system.epochs().enter();
        try {
            outcome = rows.older(slot, key, keyLength, lsn);
        } finally {
            system.epochs().leave(token);
        }
        if (outcome == VersionChain.Outcome.COMMITTING) {
            system.awaitCommitted(chain.transactionId());
            return CHANGED;
        }
        if (outcome == VersionChain.Outcome.RESTART) {
            restarts++;
            if (restarts <= RESTARTS_MAX) {
                return CHANGED;
            }
            restarts = 0;
            return readByKey() ? SHOWN : SKIPPED;
        }
        restarts = 0;
        if (outcome == VersionChain.Outcome.ABSENT || chain.isDeleted()) {
            return SKIPPED;
        }
        valueInChain = chain.isOverflow();
        if (valueInChain) {
            return showChain();
        }
        value = room(value, chain.valueLength());
        valueLength = chain.valueLength();
        System.arraycopy(chain.value(), 0, value, 0, valueLength);
        return SHOWN;
    }

    private int showChain() {
        if (!wantsValues || view.isolation() == Isolation.SNAPSHOT) {
            return SHOWN;
        }
        return readByKey() ? SHOWN : SKIPPED;
    }

    /** Reads the value of the row by its key; false if the row is gone by now. */
    private boolean readByKey() {
        if (reader == null) {
            reader = new RowReader(view);
        }
        byte[] whole = reader.get(table, Arrays.copyOf(key, keyLength), lsn);
        if (whole == null) {
            return false;
        }
        value = whole;
        valueLength = whole.length;
        valueInChain = false;
        return true;
    }

    /** Memory for so many bytes: what there is, or more, whose content does not matter. */
    private static byte[] room(byte[] bytes, int length) {
        return bytes.length >= length && bytes.length > 0
                ? bytes
                : new byte[Math.max(BYTES_MIN, Math.max(length, 2 * bytes.length))];
    }

    /** The key of the row that {@link #nextEntered} came to. */
    byte[] keyEntered() {
        return Arrays.copyOf(key, keyLength);
    }

    /** {@link #close} for a statement that is inside the view already. */
    void endEntered() {
        closed = true;
        if (rows != null) {
            view.workspace().giveBackLeaf(rows);
        }
    }

    @Override
    public byte[] key() {
        enterOn();
        try {
            return Arrays.copyOf(key, keyLength);
        } finally {
            view.exit();
        }
    }

    @Override
    public byte[] value() {
        enterOn();
        try {
            fetchValue();
            return Arrays.copyOf(value, valueLength);
        } finally {
            view.exit();
        }
    }

    @Override
    public ByteBuffer keyView() {
        enterOn();
        try {
            if (keyViewOf != key) {
                keyView = ByteBuffer.wrap(key).asReadOnlyBuffer();
                keyViewOf = key;
            }
            return keyView.clear().limit(keyLength);
        } finally {
            view.exit();
        }
    }

    @Override
    public ByteBuffer valueView() {
        enterOn();
        try {
            fetchValue();
            if (valueViewOf != value) {
                valueView = ByteBuffer.wrap(value).asReadOnlyBuffer();
                valueViewOf = value;
            }
            return valueView.clear().limit(valueLength);
        } finally {
            view.exit();
        }
    }

    private void enterOn() {
        enter();
        if (place != Place.ON) {
            view.exit();
            throw new IllegalStateException("cursor stands on no entry: " + table);
        }
    }

    private void fetchValue() {
        if (valueInChain && !readByKey()) {
            throw new IllegalStateException("entry was removed by its own transaction: " + table);
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        // If the view has ended, or ends just now, its workspace takes the memory back by itself.
        if (rows != null && view.tryEnter()) {
            view.workspace().giveBackLeaf(rows);
            view.exit();
        }
    }
}
