// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.undo;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.space.AllocationMap;
import dev.holdfast.core.space.OperationEpochs;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** All undo spaces of an engine: hands out segments, and knows at open what a crash left. */
public final class UndoSystem {
    private final BufferPool pool;
    private final Counters counters;
    private final UndoSpace[] spaces;
    private final UndoHistory history;

    /** Set once, before there are transactions. */
    private Runnable onFree = () -> {};

    /** Over spaces that are formatted; {@link #recover} comes next. */
    public UndoSystem(
            List<Space> undoSpaces, BufferPool pool, OperationEpochs epochs, Counters counters) {
        this.pool = pool;
        this.counters = counters;
        this.spaces = new UndoSpace[undoSpaces.size()];
        for (int i = 0; i < spaces.length; i++) {
            spaces[i] = new UndoSpace(undoSpaces.get(i), pool);
        }
        this.history = new UndoHistory(this, epochs);
    }

    BufferPool pool() {
        return pool;
    }

    Counters counters() {
        return counters;
    }

    public UndoHistory history() {
        return history;
    }

    /** The undo space of an id, or {@code null}. */
    UndoSpace space(int spaceId) {
        for (UndoSpace space : spaces) {
            if (space.spaceId() == spaceId) {
                return space;
            }
        }
        return null;
    }

    List<UndoSpace> spaces() {
        return List.of(spaces);
    }

    /**
     * Takes a segment that is free, or makes a new one.
     *
     * <p><b>Latches:</b> none held; the mini-transaction is not active.
     *
     * @return {@code null} if every space has all the segments that it can have, and all are in use
     */
    public UndoSegment take(MiniTransaction mtr) {
        int first = (int) Thread.currentThread().getId();
        for (int i = 0; i < spaces.length; i++) {
            UndoSpace space = spaces[Math.floorMod(first + i, spaces.length)];
            UndoSegment segment = space.isInService() ? space.takeFree() : null;
            if (segment != null) {
                return segment;
            }
        }
        for (int i = 0; i < spaces.length; i++) {
            UndoSpace space = spaces[Math.floorMod(first + i, spaces.length)];
            UndoSegment segment = space.isInService() ? space.create(mtr) : null;
            if (segment != null) {
                return segment;
            }
        }
        return null;
    }

    /**
     * Says what to run after each time that {@link #take} may find what it did not before; set
     * once, before there are transactions.
     */
    public void onFree(Runnable listener) {
        onFree = listener;
    }

    /** Gives a segment back whose transaction has ended. */
    public void giveBack(UndoSegment segment) {
        segment.space.giveBack(segment);
        onFree.run();
    }

    /** A space that was emptied gives out segments again. */
    void backInService(UndoSpace space) {
        space.inService(true);
        onFree.run();
    }

    /**
     * Reads the directories: finds the segments, hands those with history to purge, those without a
     * loser to transactions, and returns the losers.
     */
    public List<Loser> recover() {
        List<Loser> losers = new ArrayList<>();
        for (UndoSpace space : spaces) {
            int slots = UndoDirectory.slots(pool.pageBytes());
            for (int slot = 0; slot < slots; slot++) {
                UndoSegment segment = adopt(space, slot);
                if (segment != null) {
                    recover(segment, losers);
                }
            }
        }
        return losers;
    }

    private UndoSegment adopt(UndoSpace space, int slot) {
        int frame = pool.fixShared(UndoDirectory.pageId(space.spaceId()));
        int head = UndoDirectory.head(pool.chunk(frame), pool.offset(frame), slot);
        int tail = UndoDirectory.tail(pool.chunk(frame), pool.offset(frame), slot);
        pool.unfixShared(frame);
        return head == UndoDirectory.NO_PAGE ? null : space.adopt(slot, head, tail);
    }

    private void recover(UndoSegment segment, List<Loser> losers) {
        int frame = pool.fixShared(segment.tailPageId());
        segment.tailTop = UndoPage.top(pool.chunk(frame), pool.offset(frame));
        segment.logPage = UndoPage.logPage(pool.chunk(frame), pool.offset(frame));
        segment.logOffset = UndoPage.logOffset(pool.chunk(frame), pool.offset(frame));
        pool.unfixShared(frame);
        long loser = segment.logOffset == 0 ? 0 : activeTransaction(segment);
        if (loser != 0) {
            losers.add(new Loser(segment, loser));
        } else {
            giveBack(segment);
        }
        history.skipPurged(segment);
        history.announce(segment);
    }

    /**
     * The transaction of the newest log if it did not commit, else zero. The page of its header may
     * have been purged, and be anything by now: then it did commit.
     */
    private long activeTransaction(UndoSegment segment) {
        int owner = segment.space.space().ownerOf(segment.logPage);
        if (owner != AllocationMap.UNDO_OWNER) {
            return 0;
        }
        int frame = pool.fixShared(segment.pageId(segment.logPage));
        ByteBuffer chunk = pool.chunk(frame);
        int page = pool.offset(frame);
        int entry = page + segment.logOffset;
        boolean isActive =
                PageMemory.getByte(chunk, page + PageHeader.TYPE_OFFSET) == PageType.UNDO_LOG
                        && UndoPage.slot(chunk, page) == segment.slot
                        && segment.logOffset + UndoEntry.LOG_HEADER_BYTES
                                <= UndoPage.top(chunk, page)
                        && UndoEntry.type(chunk, entry) == UndoEntry.LOG_HEADER
                        && UndoEntry.logState(chunk, entry) == UndoEntry.LOG_ACTIVE;
        long transactionId = isActive ? UndoEntry.logTransactionId(chunk, entry) : 0;
        pool.unfixShared(frame);
        return transactionId;
    }

    /** A transaction that had not committed when the engine ended. */
    public record Loser(UndoSegment segment, long transactionId) {}
}
