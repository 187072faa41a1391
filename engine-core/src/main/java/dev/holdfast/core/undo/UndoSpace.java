// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.undo;

import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.core.space.AllocationMap;
import dev.holdfast.core.space.PageReservation;
import dev.holdfast.core.space.Space;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.ReentrantLock;

/** One undo space: its segments, and which of them are free to be taken by a transaction. */
public final class UndoSpace {
    /*
     * Free segments are a stack, so that the ones used last, whose pages are in the pool and in the
     * caches, are used next. Its head is {version 32, slot + 1: 32} in one word: the version makes
     * a CAS fail when the same slot has come back in between.
     */
    private static final long SLOT_MASK = 0xFFFF_FFFFL;

    private final Space space;
    private final int slots;
    private final AtomicReferenceArray<UndoSegment> segments;
    private final AtomicLong freeHead = new AtomicLong();

    /** Guards the choice of a slot for a new segment. No latch is taken under it. */
    private final ReentrantLock slotLock = new ReentrantLock();

    /** Guarded by slotLock. */
    private final BitSet taken = new BitSet();

    private volatile boolean inService = true;

    UndoSpace(Space space, BufferPool pool) {
        this.space = space;
        this.slots = UndoDirectory.slots(pool.pageBytes());
        this.segments = new AtomicReferenceArray<>(slots);
    }

    /** Makes the directory page of a new undo space, as the first page that it allocates. */
    public static void format(MiniTransaction mtr, Space space) {
        try (PageReservation reservation = space.reserve(1, UndoDirectory.PAGE_NUMBER - 1, true)) {
            mtr.begin(4 * RedoWriter.RECORD_OVERHEAD_MAX + 64, 2, true);
            try {
                reservation.fixMaps(mtr);
                int frame =
                        space.allocate(
                                mtr,
                                reservation,
                                AllocationMap.UNDO_OWNER,
                                PageType.UNDO_DIRECTORY);
                assert mtr.pageId(frame) == UndoDirectory.pageId(space.spaceId())
                        : "page=" + mtr.pageId(frame);
                mtr.commit();
            } catch (Throwable t) {
                throw mtr.failed(t);
            }
        }
    }

    int spaceId() {
        return space.spaceId();
    }

    Space space() {
        return space;
    }

    boolean isInService() {
        return inService;
    }

    void inService(boolean now) {
        inService = now;
    }

    /** Takes a free segment, or {@code null} if there is none. */
    UndoSegment takeFree() {
        while (true) {
            long head = freeHead.get();
            int slot = (int) (head & SLOT_MASK) - 1;
            if (slot < 0) {
                return null;
            }
            UndoSegment segment = segments.get(slot);
            if (segment == null) {
                continue;
            }
            if (freeHead.compareAndSet(head, nextVersion(head) | segment.nextFree)) {
                return segment;
            }
        }
    }

    /** Makes a segment free to be taken again. */
    void giveBack(UndoSegment segment) {
        while (true) {
            long head = freeHead.get();
            segment.nextFree = (int) (head & SLOT_MASK);
            if (freeHead.compareAndSet(head, nextVersion(head) | segment.slot + 1)) {
                return;
            }
        }
    }

    private static long nextVersion(long head) {
        return (head & ~SLOT_MASK) + SLOT_MASK + 1;
    }

    /**
     * Makes a new segment of one page, owned by the caller.
     *
     * <p><b>Latches:</b> none held.
     *
     * @return {@code null} if the space has all the segments it can have
     */
    UndoSegment create(MiniTransaction mtr) {
        int slot = takeSlot();
        if (slot >= 0 && !inService) {
            // Taken out of service between the caller's look and here.
            giveUpSlot(slot);
            return null;
        }
        if (slot < 0) {
            return null;
        }
        boolean created = false;
        try (PageReservation reservation = space.reserve(1, UndoDirectory.PAGE_NUMBER, false)) {
            UndoSegment segment = createAt(mtr, reservation, slot);
            created = true;
            return segment;
        } finally {
            if (!created) {
                giveUpSlot(slot);
            }
        }
    }

    private UndoSegment createAt(MiniTransaction mtr, PageReservation reservation, int slot) {
        // Made before the first change, after which nothing may fail (P9).
        int page = reservation.pageNumber(0);
        UndoSegment segment = new UndoSegment(this, slot, page);
        mtr.begin(8 * RedoWriter.RECORD_OVERHEAD_MAX + 128, 3, false);
        try {
            int directory = mtr.fixExclusive(UndoDirectory.pageId(spaceId()));
            reservation.fixMaps(mtr);
            int frame =
                    space.allocate(mtr, reservation, AllocationMap.UNDO_OWNER, PageType.UNDO_LOG);
            initialize(mtr, frame, slot, UndoDirectory.NO_PAGE, 0, 0);
            mtr.patchInt(directory, UndoDirectory.headOffset(slot), page);
            mtr.patchInt(directory, UndoDirectory.tailOffset(slot), page);
            mtr.commit();
            segments.set(slot, segment);
            return segment;
        } catch (Throwable t) {
            throw mtr.failed(t);
        }
    }

    static void initialize(
            MiniTransaction mtr, int frame, int slot, int previous, int logPage, int logOffset) {
        mtr.changing(frame);
        UndoPage.initialize(
                mtr.chunk(frame),
                mtr.offset(frame),
                slot,
                previous,
                UndoDirectory.NO_PAGE,
                logPage,
                logOffset);
        mtr.patched(frame, UndoPage.SLOT_OFFSET, UndoPage.ENTRIES_OFFSET - UndoPage.SLOT_OFFSET);
    }

    private int takeSlot() {
        slotLock.lock();
        try {
            int slot = taken.nextClearBit(0);
            if (slot >= slots) {
                return -1;
            }
            taken.set(slot);
            return slot;
        } finally {
            slotLock.unlock();
        }
    }

    private void giveUpSlot(int slot) {
        slotLock.lock();
        try {
            taken.clear(slot);
        } finally {
            slotLock.unlock();
        }
    }

    /** Takes over a segment that is on disk; at open, before the space has users. */
    UndoSegment adopt(int slot, int head, int tail) {
        UndoSegment segment = new UndoSegment(this, slot, head);
        segment.tailPage = tail;
        taken.set(slot);
        segments.set(slot, segment);
        return segment;
    }

    /** Whether somebody is making a segment just now, or a slot is left from that. */
    boolean isCreating() {
        slotLock.lock();
        try {
            return taken.cardinality() != segments().size();
        } finally {
            slotLock.unlock();
        }
    }

    /** Forgets a segment whose chain was given back. */
    void remove(UndoSegment segment) {
        segments.set(segment.slot, null);
        giveUpSlot(segment.slot);
    }

    /** The segments there are. */
    List<UndoSegment> segments() {
        List<UndoSegment> all = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            UndoSegment segment = segments.get(slot);
            if (segment != null) {
                all.add(segment);
            }
        }
        return all;
    }
}
