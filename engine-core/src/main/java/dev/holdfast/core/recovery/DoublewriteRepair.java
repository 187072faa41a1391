// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import dev.holdfast.core.dblwr.DoublewriteRecovery;
import dev.holdfast.core.dblwr.DoublewriteRecovery.Copy;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageHeader.Fault;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageSeal;
import dev.holdfast.core.space.SpaceFiles;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.memory.PageMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts back pages that a crash tore, from the copies of the doublewrite (P10). */
final class DoublewriteRepair {
    /*
     * A copy counts if its entry and image are sound and the log LSN in the entry is not below the
     * checkpoint: else the page may have been changed, written and synced since, with the redo gone.
     * Of several copies of a page the one with the highest page LSN counts. It goes back if what is
     * in the page's place is unsound or older. What is older is no damage, but its redo may begin
     * above its LSN: the write of the copy was on its way, and a checkpoint before may have counted
     * on an earlier, durable write of the same page.
     *
     * Where the copy bears no checksum a torn page can look sound, so it goes back unless the page
     * is newer.
     *
     * A page is judged by the checksum kind that its own copy bears, since the space's header, which
     * lists the kinds, may itself be torn. A copy whose file is gone or shorter is left alone: the
     * space was dropped or cut after the copy was taken. Was it not, the open fails later, where
     * the catalog or the space's header, redone, names what is missing; they know for certain, even
     * where the record of the drop is below the checkpoint already (P19).
     */
    private static final Logger LOG = LoggerFactory.getLogger(DoublewriteRepair.class);
    private static final int PAGE_ALIGNMENT = 4096;
    private static final int READ_TRIES_MAX = 4;
    private static final int KIND_MASK = Integer.SIZE - 1;

    private final StorageDirectory directory;
    private final SpaceFiles files;
    private final long checkpointLsn;
    private final int pageBytes;
    private final ByteBuffer page;

    DoublewriteRepair(StorageDirectory directory, SpaceFiles files, long checkpointLsn) {
        this.directory = directory;
        this.files = files;
        this.checkpointLsn = checkpointLsn;
        this.pageBytes = files.pageBytes();
        this.page =
                ByteBuffer.allocateDirect(pageBytes + PAGE_ALIGNMENT)
                        .alignedSlice(PAGE_ALIGNMENT)
                        .limit(pageBytes);
    }

    /**
     * What came of it.
     *
     * @param copies that counted
     * @param repaired pages that were put back
     * @param newestLsn the highest page LSN of a copy; the log must reach it
     */
    record Result(int copies, List<Long> repaired, long newestLsn) {}

    /** Syncs the doublewrite files, then repairs. The caller syncs the data files. */
    Result run() throws IOException {
        Map<Long, Copy> newest = new TreeMap<>();
        for (Copy copy : DoublewriteRecovery.read(directory, files.store().uuid(), pageBytes)) {
            if (copy.logLsn() >= checkpointLsn && isSound(copy)) {
                newest.merge(copy.pageId(), copy, DoublewriteRepair::newer);
            }
        }
        List<Long> repaired = new ArrayList<>();
        long newestLsn = 0;
        for (Copy copy : newest.values()) {
            newestLsn = Math.max(newestLsn, copy.pageLsn());
            if (isWanted(copy)) {
                files.write(copy.pageId(), copy.image().duplicate().position(0).limit(pageBytes));
                repaired.add(copy.pageId());
                LOG.warn(
                        "page repaired from the doublewrite: file={}, {}, pageLsn={}",
                        files.fileName(PageId.spaceId(copy.pageId())),
                        PageId.describe(copy.pageId()),
                        copy.pageLsn());
            }
        }
        return new Result(newest.size(), repaired, newestLsn);
    }

    private static Copy newer(Copy left, Copy right) {
        return right.pageLsn() > left.pageLsn() ? right : left;
    }

    private boolean isSound(Copy copy) {
        return verify(copy.image(), copy.pageId(), kindOf(copy.image())) == Fault.NONE
                && PageHeader.pageLsn(copy.image(), 0) == copy.pageLsn();
    }

    private Fault verify(ByteBuffer bytes, long pageId, int kind) {
        return PageSeal.verify(bytes, 0, pageBytes, pageId, 1 << kind);
    }

    private static int kindOf(ByteBuffer image) {
        return PageMemory.getUnsignedByte(image, PageHeader.CHECKSUM_KIND_OFFSET) & KIND_MASK;
    }

    private boolean isWanted(Copy copy) throws IOException {
        int spaceId = PageId.spaceId(copy.pageId());
        long pageNumber = Integer.toUnsignedLong(PageId.pageNumber(copy.pageId()));
        if (!files.present(spaceId) || pageNumber >= files.pagesInFile(spaceId)) {
            return false;
        }
        read(copy.pageId());
        int kind = kindOf(copy.image());
        if (verify(page, copy.pageId(), kind) != Fault.NONE) {
            return true;
        }
        long pageLsn = PageHeader.pageLsn(page, 0);
        return kind == PageChecksums.NONE.code()
                ? copy.pageLsn() >= pageLsn
                : copy.pageLsn() > pageLsn;
    }

    /** As the pool reads: an error of the device may pass, so it is met a few times first. */
    private void read(long pageId) throws IOException {
        for (int tries = 1; ; tries++) {
            try {
                files.read(pageId, page.clear().limit(pageBytes));
                return;
            } catch (IOException e) {
                if (tries == READ_TRIES_MAX) {
                    throw e;
                }
            }
        }
    }
}
