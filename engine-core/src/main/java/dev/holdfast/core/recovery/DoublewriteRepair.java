// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import dev.holdfast.CorruptionException;
import dev.holdfast.FormatException;
import dev.holdfast.core.dblwr.DoublewriteEntry;
import dev.holdfast.core.dblwr.DoublewriteRecovery;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageHeader.Fault;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageSeal;
import dev.holdfast.core.space.AllocationMap;
import dev.holdfast.core.space.SpaceFiles;
import dev.holdfast.core.space.SpaceHeader;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.memory.PageMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts back pages that a crash tore, from the copies of the doublewrite (P10), and finds those that
 * are damaged and have none.
 */
final class DoublewriteRepair {
    /*
     * An entry counts if the log LSN in it is not below the checkpoint: else the page may have been
     * changed, written and synced since, with the redo gone. Of the copies of a page that count and
     * are sound the one with the highest page LSN is used. It goes back if what is in the page's
     * place is unsound or older. What is older is no damage, but its redo may begin above its LSN:
     * the write of the copy was on its way, and a checkpoint before may have counted on an earlier,
     * durable write of the same page.
     *
     * Where the page bears no checksum a torn one can look sound, so a copy goes back unless the
     * page is newer, or the same.
     *
     * A page is sound if it bears a checksum of a kind that its space's header allows, or that one
     * of its copies bears: during a conversion the header on disk may be behind. So the headers,
     * which may themselves be torn, are repaired first. Of a header, and in a space whose header
     * cannot be read, any kind of checksum will do, but not none at all.
     *
     * A copy whose file is gone or shorter is left alone: the space was dropped or cut after the
     * copy was taken. Was it not, the open fails later, where the catalog or the space's header,
     * redone, names what is missing; they know for certain, even where the record of the drop is
     * below the checkpoint already (P19).
     *
     * Doubts. An entry without an image, or whose image is torn, still tells what was written. If
     * the change at its recovery LSN begins below the checkpoint, the write was durable once; is the
     * page on disk then not newer than that, the disk has lost the write, and redo, which begins at
     * the checkpoint, does not bring it back. If the page bears no checksum, the entry's stands in.
     * Pages that the log makes anew or frees are left out by the caller, who has read it. So are
     * those that were free at the checkpoint already: a freed page is written like any other, but if
     * a crash comes before that no redo makes up for it, and it stays as old as it was while later
     * checkpoints pass the record that freed it. The map on the disk tells: it was written before
     * the checkpoint passed the group that freed the page; and if the page came to use after the
     * checkpoint, the log makes it anew. The header tells the same of the end of a file that was to
     * be cut.
     *
     * All of it only reads until a copy is written, and a page that got its copy needs none: so a
     * crash in here, and beginning again, comes to the same.
     */
    private static final Logger LOG = LoggerFactory.getLogger(DoublewriteRepair.class);
    private static final int PAGE_ALIGNMENT = 4096;
    private static final int READ_TRIES_MAX = 4;
    private static final int KIND_MASK = Integer.SIZE - 1;

    /** All kinds of checksum but none at all. */
    private static final int ANY_CHECKSUM = ~PageSeal.kindBit(PageChecksums.NONE);

    private static final Comparator<DoublewriteEntry> NEWEST_FIRST =
            Comparator.comparingLong(DoublewriteEntry::pageLsn).reversed();

    private final StorageDirectory directory;
    private final SpaceFiles files;
    private final long checkpointLsn;
    private final int pageBytes;
    private final ByteBuffer page;
    private final ByteBuffer image;
    private final Map<Integer, Integer> allowedKinds = new HashMap<>();
    private final List<Long> repaired = new ArrayList<>();
    private final List<DoubtfulPage> doubts = new ArrayList<>();
    private long newestLsn;
    private String newestFile = "";
    private int copies;

    DoublewriteRepair(StorageDirectory directory, SpaceFiles files, long checkpointLsn) {
        this.directory = directory;
        this.files = files;
        this.checkpointLsn = checkpointLsn;
        this.pageBytes = files.pageBytes();
        this.page = aligned();
        this.image = aligned();
    }

    private ByteBuffer aligned() {
        return ByteBuffer.allocateDirect(pageBytes + PAGE_ALIGNMENT)
                .alignedSlice(PAGE_ALIGNMENT)
                .limit(pageBytes);
    }

    /**
     * What came of it.
     *
     * @param copies pages of which an entry counted
     * @param repaired pages that were put back
     * @param newestLsn the highest page LSN of an entry; the log must reach it
     * @param newestFile the file of that entry, empty if there is none
     * @param doubts pages that are damaged, unless the log makes them anew
     */
    record Result(
            int copies,
            List<Long> repaired,
            long newestLsn,
            String newestFile,
            List<DoubtfulPage> doubts) {}

    /** Syncs the doublewrite files, then repairs. The caller syncs the data files. */
    Result run() throws IOException {
        try (DoublewriteRecovery doublewrite =
                DoublewriteRecovery.open(directory, files.store().uuid(), pageBytes)) {
            Map<Long, List<DoublewriteEntry>> pages = new TreeMap<>();
            Map<Long, List<DoublewriteEntry>> headers = new TreeMap<>();
            for (DoublewriteEntry entry : doublewrite.entries()) {
                if (entry.logLsn() >= checkpointLsn) {
                    boolean isHeader = PageId.pageNumber(entry.pageId()) == 0;
                    (isHeader ? headers : pages)
                            .computeIfAbsent(entry.pageId(), id -> new ArrayList<>())
                            .add(entry);
                }
            }
            for (List<DoublewriteEntry> entries : headers.values()) {
                visit(doublewrite, entries, ANY_CHECKSUM);
            }
            for (Map.Entry<Long, List<DoublewriteEntry>> entry : pages.entrySet()) {
                visit(doublewrite, entry.getValue(), kindsOf(PageId.spaceId(entry.getKey())));
            }
        }
        // Now that maps and headers are repaired too.
        for (DoubtfulPage doubt : List.copyOf(doubts)) {
            if (doubt.looksSound() && isNobodys(doubt.pageId())) {
                doubts.remove(doubt);
            }
        }
        return new Result(copies, repaired, newestLsn, newestFile, doubts);
    }

    /** The kinds of checksum that the pages of a space may bear, as its header says. */
    private int kindsOf(int spaceId) throws IOException {
        Integer known = allowedKinds.get(spaceId);
        if (known == null) {
            known = ANY_CHECKSUM;
            try {
                if (files.present(spaceId)) {
                    files.checkHeader(spaceId);
                    known = files.allowedKinds(spaceId);
                }
            } catch (CorruptionException | FormatException judgedWhenAllIsRepaired) {
                LOG.info(
                        "space header says nothing of checksums: file={}, found={}",
                        files.fileName(spaceId),
                        judgedWhenAllIsRepaired.getMessage());
            }
            allowedKinds.put(spaceId, known);
        }
        return known;
    }

    private void visit(DoublewriteRecovery doublewrite, List<DoublewriteEntry> entries, int kinds)
            throws IOException {
        entries.sort(NEWEST_FIRST);
        copies++;
        if (entries.get(0).pageLsn() > newestLsn) {
            newestLsn = entries.get(0).pageLsn();
            newestFile = entries.get(0).file();
        }
        long pageId = entries.get(0).pageId();
        int spaceId = PageId.spaceId(pageId);
        long pageNumber = Integer.toUnsignedLong(PageId.pageNumber(pageId));
        if (!files.present(spaceId) || pageNumber >= files.pagesInFile(spaceId)) {
            return;
        }
        IOException unreadable = read(pageId);
        int allowed = kinds;
        Fault fault = verify(page, pageId, allowed);
        if (fault == Fault.KIND_NOT_ALLOWED) {
            allowed |= kindsOfImages(doublewrite, entries) | kindsOfHeader(pageId);
            fault = verify(page, pageId, allowed);
        }
        boolean isSound = unreadable == null && fault == Fault.NONE;
        for (DoublewriteEntry entry : entries) {
            if (isSound && !wouldImprove(entry)) {
                break;
            }
            if (hasSoundImage(doublewrite, entry)) {
                if (!isSound || image.compareTo(page) != 0) {
                    putBack(entry);
                }
                return;
            }
        }
        if (isSound) {
            doubtContent(entries);
        } else {
            CorruptionException found =
                    unreadable == null
                            ? PageSeal.describe(
                                    fault,
                                    page,
                                    0,
                                    pageBytes,
                                    pageId,
                                    allowed,
                                    files.checksums(),
                                    files.fileName(spaceId))
                            : unreadable(pageId, unreadable);
            doubts.add(new DoubtfulPage(pageId, false, found));
        }
    }

    /** As the pool reads: an error of the device may pass, so it is met a few times first. */
    private IOException read(long pageId) {
        for (int tries = 1; ; tries++) {
            try {
                files.read(pageId, page.clear().limit(pageBytes));
                page.position(0);
                return null;
            } catch (IOException e) {
                if (tries == READ_TRIES_MAX) {
                    return e;
                }
            }
        }
    }

    private Fault verify(ByteBuffer bytes, long pageId, int kinds) {
        return PageSeal.verify(bytes, 0, pageBytes, pageId, kinds, files.checksums());
    }

    private int kindsOfImages(DoublewriteRecovery doublewrite, List<DoublewriteEntry> entries)
            throws IOException {
        int kinds = 0;
        for (DoublewriteEntry entry : entries) {
            if (hasSoundImage(doublewrite, entry)) {
                kinds |= 1 << kind(image);
            }
        }
        return kinds;
    }

    /** Of a header that bears no checksum: whether it says so itself. */
    private int kindsOfHeader(long pageId) {
        boolean isHeader = PageId.pageNumber(pageId) == SpaceHeader.PAGE_NUMBER;
        int kinds = PageMemory.getInt(page, SpaceHeader.CHECKSUM_KINDS_OFFSET);
        return isHeader ? kinds & ~ANY_CHECKSUM : 0;
    }

    private static int kind(ByteBuffer bytes) {
        return PageMemory.getUnsignedByte(bytes, PageHeader.CHECKSUM_KIND_OFFSET) & KIND_MASK;
    }

    /** Whether a copy would be better than the page that was read, which looks sound. */
    private boolean wouldImprove(DoublewriteEntry entry) {
        long pageLsn = PageHeader.pageLsn(page, 0);
        return kind(page) == PageChecksums.NONE.code()
                ? entry.pageLsn() >= pageLsn
                : entry.pageLsn() > pageLsn;
    }

    /** Reads the image of an entry; judges it by the kind of checksum that it bears itself. */
    private boolean hasSoundImage(DoublewriteRecovery doublewrite, DoublewriteEntry entry)
            throws IOException {
        if (!doublewrite.readImage(entry, image)) {
            return false;
        }
        image.position(0);
        return verify(image, entry.pageId(), 1 << kind(image)) == Fault.NONE
                && PageHeader.pageLsn(image, 0) == entry.pageLsn();
    }

    private void putBack(DoublewriteEntry entry) throws IOException {
        files.write(entry.pageId(), image.duplicate());
        repaired.add(entry.pageId());
        LOG.warn(
                "page repaired from the doublewrite: file={}, {}, pageLsn={}",
                files.fileName(PageId.spaceId(entry.pageId())),
                PageId.describe(entry.pageId()),
                entry.pageLsn());
    }

    /** Compares a page that looks sound with what the entries say was written. */
    private void doubtContent(List<DoublewriteEntry> entries) {
        long pageId = entries.get(0).pageId();
        long pageLsn = PageHeader.pageLsn(page, 0);
        for (DoublewriteEntry entry : entries) {
            boolean wasDurable = entry.recoveryLsn() < checkpointLsn;
            if (wasDurable && pageLsn <= entry.recoveryLsn() && pageLsn < entry.pageLsn()) {
                CorruptionException lost =
                        damage(
                                pageId,
                                "write of a page was lost",
                                "pageLsn=" + entry.pageLsn(),
                                "pageLsn=" + pageLsn);
                doubts.add(new DoubtfulPage(pageId, true, lost));
                return;
            }
            if (pageLsn == entry.pageLsn()
                    && kind(page) == PageChecksums.NONE.code()
                    && !entry.hasImage()
                    && !entry.describes(page, 0, pageBytes)) {
                CorruptionException torn =
                        damage(
                                pageId,
                                "page is torn",
                                "the content that " + entry.file() + " describes",
                                "another");
                doubts.add(new DoubtfulPage(pageId, true, torn));
                return;
            }
        }
    }

    /** Whether the page was free at the checkpoint, or behind its file's end. */
    private boolean isNobodys(long pageId) throws IOException {
        int spaceId = PageId.spaceId(pageId);
        int pageNumber = PageId.pageNumber(pageId);
        int group = AllocationMap.groupOf(pageNumber, pageBytes);
        if (AllocationMap.isSystemPage(pageNumber, pageBytes)) {
            return false;
        }
        if (isSound(PageId.of(spaceId, SpaceHeader.PAGE_NUMBER))
                && Integer.compareUnsigned(pageNumber, SpaceHeader.pageCount(page, 0)) >= 0) {
            return true;
        }
        if (!isSound(PageId.of(spaceId, AllocationMap.mapPage(group, pageBytes)))) {
            return false;
        }
        int index = AllocationMap.indexOf(pageNumber, pageBytes);
        return AllocationMap.state(AllocationMap.entryAt(page, 0, index)) == AllocationMap.FREE;
    }

    /** Reads a page; it is one of those that tell of others. */
    private boolean isSound(long pageId) throws IOException {
        return read(pageId) == null
                && verify(page, pageId, kindsOf(PageId.spaceId(pageId))) == Fault.NONE;
    }

    private CorruptionException unreadable(long pageId, IOException cause) {
        return new CorruptionException(
                "page cannot be read",
                files.fileName(PageId.spaceId(pageId)),
                Integer.toUnsignedLong(PageId.spaceId(pageId)),
                Integer.toUnsignedLong(PageId.pageNumber(pageId)),
                "the page's bytes",
                cause.getMessage(),
                cause);
    }

    private CorruptionException damage(long pageId, String what, String expected, String found) {
        return new CorruptionException(
                what,
                files.fileName(PageId.spaceId(pageId)),
                Integer.toUnsignedLong(PageId.spaceId(pageId)),
                Integer.toUnsignedLong(PageId.pageNumber(pageId)),
                expected,
                found);
    }
}
