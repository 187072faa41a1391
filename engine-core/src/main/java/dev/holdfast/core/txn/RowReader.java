// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.CorruptionException;
import dev.holdfast.EngineException;
import dev.holdfast.core.btree.LeafRecord;
import dev.holdfast.core.btree.ReadPosition;
import dev.holdfast.core.btree.TreeGoneException;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.Objects;

/** Reads one row as a view sees it. Stateless but for the workspace; for one thread at a time. */
final class RowReader {
    /*
     * The fast path, a row whose newest version is visible and whose value is in the leaf, enters no
     * epoch and takes no latch: search, read, look the writer up, copy, validate. Whatever needs
     * more than the leaf goes through slow(), where the leaf's version is taken along and validated
     * inside an epoch.
     *
     * A row of a leaf that is written all the time may change before each validation. The search
     * comes back with the leaf latched then, which slow() keeps until the chain has been followed as
     * far as pages in the pool lead.
     *
     * A wait for a writer that is getting its commit number begins only after the position has been
     * released and the epoch left (P4, P6).
     */
    static final String WRITER_SEEN = "txn.reader.writerSeen";

    private static final int ABSENT = -1;
    private static final int AGAIN = -2;

    private final View view;
    private final TransactionSystem system;
    private final BufferPool pool;
    private final Workspace workspace;

    /** What the last read found: set before a method returns a length. */
    private byte[] result;

    RowReader(View view) {
        this.view = view;
        this.system = view.system();
        this.pool = system.pool();
        this.workspace = view.workspace();
    }

    /** Refuses what nothing could be put into, before anything is read. */
    static void checkTarget(ByteBuffer target) {
        Objects.requireNonNull(target, "target");
        if (target.isReadOnly()) {
            throw new ReadOnlyBufferException();
        }
    }

    byte[] get(TableHandle table, byte[] key, long lsn) {
        int length = read(table, key, lsn, Sink.ARRAY, null);
        byte[] found = length == ABSENT ? null : result;
        result = null;
        return found;
    }

    /** Returns the length, or -1; moves the target's position if the value fits. */
    int get(TableHandle table, byte[] key, ByteBuffer target, long lsn) {
        int length = read(table, key, lsn, Sink.BUFFER, target);
        if (length >= 0 && length <= target.remaining()) {
            target.position(target.position() + length);
        }
        return length;
    }

    boolean contains(TableHandle table, byte[] key, long lsn) {
        return read(table, key, lsn, Sink.NOTHING, null) != ABSENT;
    }

    /** Where the value goes. */
    private enum Sink {
        ARRAY,
        BUFFER,
        NOTHING
    }

    private int read(TableHandle table, byte[] key, long lsn, Sink sink, ByteBuffer target) {
        ReadPosition position = workspace.read;
        try {
            while (true) {
                table.tree().search(key, key.length, position);
                int length;
                try {
                    length = fast(table, key, lsn, sink, target);
                } catch (IndexOutOfBoundsException torn) {
                    // Bytes of several moments; under a latch it is damage.
                    if (position.isLatched()) {
                        throw unreadable(position.pageId(), torn);
                    }
                    length = AGAIN;
                }
                if (length != AGAIN) {
                    return length;
                }
                system.counters().increment(Counter.ROW_READ_RESTARTS);
            }
        } catch (TreeGoneException | EngineException e) {
            throw table.refusal(e);
        } finally {
            position.release();
        }
    }

    private RuntimeException unreadable(long pageId, IndexOutOfBoundsException cause) {
        CorruptionException damage =
                new CorruptionException(
                        "record of a leaf is not readable",
                        "space-" + PageId.spaceId(pageId),
                        Integer.toUnsignedLong(PageId.spaceId(pageId)),
                        Integer.toUnsignedLong(PageId.pageNumber(pageId)),
                        "offsets inside the page",
                        cause.toString());
        damage.addSuppressed(cause);
        return damage;
    }

    private int fast(TableHandle table, byte[] key, long lsn, Sink sink, ByteBuffer target) {
        ReadPosition position = workspace.read;
        if (!position.found()) {
            return position.validate() ? ABSENT : AGAIN;
        }
        ByteBuffer chunk = position.chunk();
        int record = position.record();
        int flags = LeafRecord.flags(chunk, record);
        if ((flags & LeafRecord.HAS_VERSION) != 0) {
            long writer = LeafRecord.txnId(chunk, record);
            if (writer != view.ownId()) {
                TestHooks.reached(WRITER_SEEN);
                Visibility visibility = Visibility.of(system.table().lookup(writer), lsn);
                if (visibility == Visibility.COMMITTING) {
                    return awaitCommitting(writer);
                }
                if (visibility != Visibility.VISIBLE) {
                    return slow(table, key, lsn, sink, target);
                }
            }
        }
        if ((flags & LeafRecord.DELETED) != 0) {
            return position.validate() ? ABSENT : AGAIN;
        }
        if ((flags & LeafRecord.OVERFLOW) != 0) {
            return slow(table, key, lsn, sink, target);
        }
        int length = LeafRecord.valueLength(chunk, record, position.recordLength());
        copy(chunk, LeafRecord.valueAt(chunk, record), length, sink, target);
        return position.validate() ? length : AGAIN;
    }

    private void copy(ByteBuffer chunk, int at, int length, Sink sink, ByteBuffer target) {
        if (sink == Sink.ARRAY) {
            byte[] copy = new byte[checked(length)];
            PageMemory.copyOut(chunk, at, copy, 0, length);
            result = copy;
        } else if (sink == Sink.BUFFER && length <= target.remaining()) {
            target.put(target.position(), chunk, at, length);
        }
    }

    /** A length that was not validated yet may be anything. */
    private int checked(int length) {
        if (length > pool.pageBytes()) {
            throw new IndexOutOfBoundsException(length);
        }
        return length;
    }

    private int awaitCommitting(long writer) {
        workspace.read.release();
        system.awaitCommitted(writer);
        return AGAIN;
    }

    private int slow(TableHandle table, byte[] key, long lsn, Sink sink, ByteBuffer target) {
        ReadPosition position = workspace.read;
        VersionChain chain = workspace.chain;
        ByteBuffer chunk = position.chunk();
        int record = position.record();
        int length = LeafRecord.valueLength(chunk, record, position.recordLength());
        PageMemory.copyOut(
                chunk,
                LeafRecord.valueAt(chunk, record),
                chain.leafValueRoom(checked(length)),
                0,
                length);
        chain.start(
                LeafRecord.flags(chunk, record),
                LeafRecord.txnId(chunk, record),
                LeafRecord.roll(chunk, record),
                length);
        int frame = position.frame();
        long version = position.isLatched() ? pool.tryOptimisticVersion(frame) : position.version();
        VersionChain.Outcome outcome;
        int token = system.epochs().enter();
        try {
            outcome =
                    chain.resolve(
                            table.tree().treeId(),
                            key,
                            key.length,
                            frame,
                            version,
                            lsn,
                            view.ownId(),
                            position);
            position.release();
            if (outcome != VersionChain.Outcome.RESTART) {
                position.settled();
            }
            if (outcome == VersionChain.Outcome.FOUND && !chain.isDeleted()) {
                return deliver(table, sink, target);
            }
        } finally {
            system.epochs().leave(token);
        }
        if (outcome == VersionChain.Outcome.COMMITTING) {
            return awaitCommitting(chain.transactionId());
        }
        return outcome == VersionChain.Outcome.RESTART ? AGAIN : ABSENT;
    }

    /** Inside the epoch: hands out the value that the chain found. */
    private int deliver(TableHandle table, Sink sink, ByteBuffer target) {
        VersionChain chain = workspace.chain;
        if (!chain.isOverflow()) {
            if (sink == Sink.ARRAY) {
                result = chain.copyOfValue();
            } else if (sink == Sink.BUFFER && chain.valueLength() <= target.remaining()) {
                target.put(target.position(), chain.value(), 0, chain.valueLength());
            }
            return chain.valueLength();
        }
        int total = system.lengthOf(table, chain.value());
        boolean fits = sink != Sink.BUFFER || total <= target.remaining();
        if (sink == Sink.NOTHING || !fits) {
            return total;
        }
        if (sink == Sink.ARRAY) {
            result = system.readOverflow(table, chain.value());
        } else {
            system.readOverflow(table, chain.value(), target);
        }
        return total;
    }
}
