// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.CorruptionException;
import dev.holdfast.LogSpaceTimeoutException;
import dev.holdfast.NoSuchTableException;
import dev.holdfast.StorageException;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.redo.RedoLog;
import dev.holdfast.core.redo.RedoWriter;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.checksum.PageChecksum;
import dev.holdfast.sync.TestHooks;
import java.util.Arrays;

/**
 * Gives the pages of one space another kind of checksum, while the space is used.
 *
 * <p>The steps, in this order: {@link #begin}; a sharp checkpoint; {@link #switchOver}; {@link
 * #convert} until it says that it is done; a sharp checkpoint; {@link #finish}. For one thread. An
 * engine that opens the space after a crash takes all steps again; what is done is not done twice.
 */
public final class SpaceConversion {
    /*
     *   begin       header {old, new}, logged
     *   checkpoint  that header is on the disk: who reads a page of the new kind after a crash, even
     *               before he has redone anything, knows that it may be there
     *   switch      pages that are written from now on get the new kind; the header notes the log's
     *               end, L, logged
     *   convert     each page in use whose LSN is not above L is changed: by a PATCH of no bytes
     *   checkpoint  every page in use has been written after the switch
     *   finish      header {new}, logged
     *
     * A page is changed by a group like any other, although no byte of it changes. So it gets a
     * higher LSN, its copy in the doublewrite is newer than what it replaces and than all older
     * copies, which may be of the old kind; the log cannot be cut before it is written; and a crash
     * leaves the old page, the new one, or a torn one beside a copy, which redo brings to the new
     * one. Marking it dirty without a group would need a recovery LSN that no checkpoint which is
     * under way has passed already, and that no copy falls short of; there is none. It costs some 60
     * bytes of log a page.
     *
     * Whether a page has been converted is told by its LSN and not by the kind in its frame, which
     * is as old as the last read of the page. All that is above L was changed after the switch, so
     * it was or will be written after it. That is also how a conversion goes on after a crash. How
     * far it got is in the header too: that group is behind those of the pages, so redo that knows
     * it has them.
     *
     * Which pages are in use the allocation map says, read after the switch. A free page is not read
     * by anybody, and when it is used again it is written anew. A page that is freed after that look
     * is changed by the group that frees it, so its LSN is above L and it is left: a PATCH behind a
     * PAGE_FREE would have recovery read a page that may be torn legally. (Pages of dropped trees and
     * condemned ones are freed without a change and without PAGE_FREE: those stay whole, so a PATCH
     * does no harm.) Pages that come to be while the conversion runs have the new kind.
     *
     * A page that cannot be read is left as it is and told of. Then the header keeps both kinds, so
     * that the page remains what it was; the next open or call tries again.
     */

    /**
     * Sync points: the header that allows both kinds is logged; the switch is made; all is done.
     */
    public static final String BEGUN = "space.conversion.begun";

    public static final String SWITCHED = "space.conversion.switched";
    public static final String FINISHED = "space.conversion.finished";

    /** Sync point: a page that was in use a moment ago is in the pool and not latched. */
    public static final String LOADED = "space.conversion.loaded";

    /** The header is told how far it is each time so many pages are done with. */
    private static final int PROGRESS_PAGES = 256;

    private static final int REDO_BYTES = RedoWriter.RECORD_OVERHEAD_MAX + 5 + SpaceKinds.BYTES;

    private final Space space;
    private final Spaces owner;
    private final BufferPool pool;
    private final RedoLog log;
    private final MiniTransaction mtr;
    private final PageChecksum to;
    private final DamageListener damage;
    private final long[] entries;
    private int entriesGroup = -1;
    private volatile boolean isDone;
    private boolean isBegun;
    private boolean foundDamage;
    private long conversionLsn;
    private volatile long position;
    private long notedPosition;

    /** Is told of pages that were left out. */
    @FunctionalInterface
    public interface DamageListener {
        void damaged(long pageId, RuntimeException failure);
    }

    /** Prepares the conversion to the kind; uses the mini-transaction alone. */
    public SpaceConversion(
            Space space, RedoLog log, MiniTransaction mtr, PageChecksum to, DamageListener damage) {
        this.space = space;
        this.owner = space.owner();
        this.pool = owner.pool();
        this.log = log;
        this.mtr = mtr;
        this.to = to;
        this.damage = damage;
        this.entries = new long[AllocationMap.pagesPerGroup(pool.pageBytes())];
    }

    /**
     * The kind that a space's conversion was to end with, or null if none is under way or it is
     * gone.
     */
    public static PageChecksum pending(Spaces spaces, Space space) {
        BufferPool pool = spaces.pool();
        SpaceKinds kinds;
        try {
            kinds = read(pool, space);
        } catch (NoSuchTableException dropped) {
            // By the drop that an open resumes beside us.
            return null;
        } catch (CorruptionException | StorageException notNow) {
            // It could be read a moment ago; the verifier names it, the next open tries again.
            return null;
        }
        return kinds.isConverting() ? spaces.files().checksums().byCode(kinds.sealKind()) : null;
    }

    private static SpaceKinds read(BufferPool pool, Space space) {
        int frame = pool.fixShared(PageId.of(space.spaceId(), SpaceHeader.PAGE_NUMBER));
        try {
            return SpaceKinds.read(pool.chunk(frame), pool.offset(frame));
        } finally {
            pool.unfixShared(frame);
        }
    }

    public Space space() {
        return space;
    }

    /** Pages that are done with. */
    public long pagesDone() {
        return isDone ? space.pageCount() : Math.min(position, space.pageCount());
    }

    /** Whether all pages have the kind, durably, or the space is gone. */
    public boolean isDone() {
        return isDone || space.isDropped();
    }

    /** Whether there is anything to do between {@link #begin} and {@link #finish}. */
    public boolean isUnderWay() {
        return isBegun && !isDone();
    }

    /**
     * Logs the header that allows both kinds. If all pages have the kind already, all is done.
     *
     * <p><b>Latches:</b> none held, as with all other methods.
     */
    public void begin() {
        SpaceKinds kinds = readKinds();
        if (kinds == null) {
            return;
        }
        if (kinds.isOnly(to)) {
            isDone = true;
            return;
        }
        boolean goesOn =
                kinds.isConverting()
                        && kinds.sealKind() == to.code()
                        && owner.files().checksumFor(space.spaceId()) == to;
        if (goesOn && kinds.conversionLsn() != 0) {
            conversionLsn = kinds.conversionLsn();
            position = Integer.toUnsignedLong(kinds.convertedPages());
            notedPosition = position;
        } else {
            SpaceKinds wanted = kinds.converting(to);
            if (!wanted.hasPlace()) {
                leaveOut(SpaceHeader.PAGE_NUMBER, noPlace());
                return;
            }
            if (!writeKinds(wanted)) {
                return;
            }
        }
        isBegun = true;
        TestHooks.reached(BEGUN);
    }

    /** Pages that were left out, and conversions that were given up, hold up the others. */
    private StorageException noPlace() {
        return new StorageException(
                "header has no place for another checksum from outside: file="
                        + owner.files().fileName(space.spaceId())
                        + ", checksum="
                        + to.name()
                        + ", max="
                        + SpaceKinds.CUSTOM_MAX,
                null);
    }

    /** Lets pages get the new kind; the header that allows it is on the disk. */
    public void switchOver() {
        if (!isUnderWay() || conversionLsn != 0) {
            return;
        }
        owner.files().seal(space.spaceId(), to);
        conversionLsn = log.appendLsn();
        SpaceKinds kinds = readKinds();
        if (kinds != null) {
            writeKinds(kinds.converted(conversionLsn, 0));
        }
        TestHooks.reached(SWITCHED);
    }

    /**
     * Converts some pages.
     *
     * @param pagesMax how many pages may be changed
     * @return how many were, or -1 if it has come to the end
     */
    public int convert(int pagesMax) {
        int changed = 0;
        while (changed < pagesMax) {
            long page = position;
            if (!isUnderWay() || page >= space.pageCount()) {
                return changed == 0 ? -1 : changed;
            }
            if (isWorthALook(page) && convertPage((int) page)) {
                changed++;
            }
            position = page + 1;
            if (position - notedPosition >= PROGRESS_PAGES && !foundDamage) {
                noteProgress();
            }
        }
        return changed;
    }

    /** Logs the header that allows the new kind only, unless a page was left out. */
    public void finish() {
        if (!isUnderWay() || foundDamage) {
            return;
        }
        SpaceKinds kinds = SpaceKinds.of(to);
        if (!writeKinds(kinds)) {
            return;
        }
        if (!space.isDropped()) {
            owner.files().adopt(space.spaceId(), kinds);
        }
        isDone = true;
        TestHooks.reached(FINISHED);
    }

    private void noteProgress() {
        SpaceKinds kinds = readKinds();
        if (kinds != null) {
            writeKinds(kinds.converted(conversionLsn, (int) position));
        }
        notedPosition = position;
    }

    /** What the header says, or null if the space is gone. */
    private SpaceKinds readKinds() {
        try {
            return read(pool, space);
        } catch (NoSuchTableException dropped) {
            return null;
        } catch (CorruptionException | StorageException failure) {
            leaveOut(SpaceHeader.PAGE_NUMBER, failure);
            return null;
        }
    }

    /**
     * Logs the header, or leaves the file if that page cannot be read any more; returns whether it
     * did not have to.
     */
    private boolean writeKinds(SpaceKinds kinds) {
        try {
            logKinds(kinds);
            return true;
        } catch (CorruptionException failure) {
            if (owner.health().failed()) {
                throw failure;
            }
            leaveOut(SpaceHeader.PAGE_NUMBER, failure);
            return false;
        }
    }

    private void logKinds(SpaceKinds kinds) {
        byte[] bytes = kinds.encode();
        beginAlone();
        try {
            if (space.isDropped()) {
                mtr.abandon();
                return;
            }
            if (kinds.isConverting()) {
                // Before there can be a page that needs it.
                owner.files().adopt(space.spaceId(), kinds);
            }
            int frame = mtr.fixExclusive(PageId.of(space.spaceId(), SpaceHeader.PAGE_NUMBER));
            mtr.changing(frame);
            SpaceKinds.write(bytes, mtr.chunk(frame), mtr.offset(frame));
            mtr.patched(frame, SpaceHeader.SEAL_KIND_OFFSET, SpaceKinds.BYTES);
            mtr.commit();
        } catch (Throwable failure) {
            throw mtr.failed(failure);
        } finally {
            space.resizing().unlock();
        }
    }

    /** By the map as it was a moment ago: a page that is taken into use since has the new kind. */
    private boolean isWorthALook(long page) {
        int group = AllocationMap.groupOf((int) page, pool.pageBytes());
        if (group != entriesGroup && !readEntries(group)) {
            return false;
        }
        int index = AllocationMap.indexOf((int) page, pool.pageBytes());
        return AllocationMap.state(entries[index]) != AllocationMap.FREE;
    }

    private boolean readEntries(int group) {
        long mapId = space.mapPageId(group);
        Arrays.fill(entries, AllocationMap.FREE);
        entriesGroup = group;
        try {
            int frame = pool.fixShared(mapId);
            for (int i = 0; i < entries.length; i++) {
                entries[i] = AllocationMap.entryAt(pool.chunk(frame), pool.offset(frame), i);
            }
            pool.unfixShared(frame);
            return true;
        } catch (NoSuchTableException dropped) {
            return false;
        } catch (CorruptionException | StorageException failure) {
            if (Integer.toUnsignedLong(PageId.pageNumber(mapId)) < space.pageCount()) {
                leaveOut(PageId.pageNumber(mapId), failure);
            }
            return false;
        }
    }

    /** Changes the page if it was not changed since the switch. */
    private boolean convertPage(int page) {
        long pageId = PageId.of(space.spaceId(), page);
        try {
            // Wanted once: it enters the pool at its cold end.
            pool.load(pageId, true);
            TestHooks.reached(LOADED);
            return changePage(pageId);
        } catch (NoSuchTableException dropped) {
            return false;
        } catch (CorruptionException | StorageException failure) {
            // Freed meanwhile, it may be anything.
            entriesGroup = -1;
            if (isWorthALook(Integer.toUnsignedLong(page))) {
                leaveOut(page, failure);
            }
            return false;
        }
    }

    private boolean changePage(long pageId) {
        beginAlone();
        try {
            int page = PageId.pageNumber(pageId);
            if (space.isDropped() || Integer.toUnsignedLong(page) >= space.pageCount()) {
                mtr.abandon();
                return false;
            }
            int frame = mtr.fixExclusive(pageId);
            long pageLsn = PageHeader.pageLsn(mtr.chunk(frame), mtr.offset(frame));
            if (pageLsn > conversionLsn) {
                mtr.abandon();
                return false;
            }
            mtr.changing(frame);
            mtr.patched(frame, PageHeader.BODY_OFFSET, 0);
            mtr.commit();
            owner.counters().increment(Counter.SPACE_PAGES_CONVERTED);
            return true;
        } catch (Throwable failure) {
            throw mtr.failed(failure);
        } finally {
            space.resizing().unlock();
        }
    }

    /**
     * Begins a group with the file's length held. Who holds that waits for log space, so it is not
     * waited for with log space held; nor do we, who may stand behind all other users of the log,
     * let growth wait for us meanwhile.
     */
    private void beginAlone() {
        beginGroup();
        while (!space.resizing().tryLock()) {
            mtr.abandon();
            space.resizing().lock();
            space.resizing().unlock();
            beginGroup();
        }
    }

    /** Waits for log space without a limit, but as an ordinary user of it. */
    private void beginGroup() {
        while (true) {
            try {
                mtr.begin(REDO_BYTES, 0, false);
                return;
            } catch (LogSpaceTimeoutException tryAgain) {
                owner.health().check();
            }
        }
    }

    private void leaveOut(int page, RuntimeException failure) {
        foundDamage = true;
        damage.damaged(PageId.of(space.spaceId(), page), failure);
    }
}
