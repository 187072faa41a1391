// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.ChecksumException;
import dev.holdfast.CorruptionException;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageHeader.Fault;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageSeal;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.core.watch.Counters;
import dev.holdfast.io.checksum.ChecksumKinds;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Reads one page into a frame and verifies it; the one place where a read error gets its type. */
final class PageReader {
    private static final int TRIES_MAX = 4;

    private final PageStore store;
    private final WriteAhead log;
    private final Counters counters;
    private final int pageBytes;

    PageReader(PageStore store, WriteAhead log, Counters counters, int pageBytes) {
        this.store = store;
        this.log = log;
        this.counters = counters;
        this.pageBytes = pageBytes;
    }

    /**
     * Reads the page.
     *
     * @throws CorruptionException if what is there is not this page, whole, of this log's past, or
     *     if it cannot be read, or its checksum is one of the host's and throws: a sector that the
     *     device does not give is damage as any other, and whoever can go round a damaged page can
     *     go round this one
     */
    void read(long pageId, ByteBuffer chunk, int offset) {
        readBytes(pageId, chunk, offset);
        try {
            verify(pageId, chunk, offset);
        } catch (ChecksumException ofTheHost) {
            counters.increment(Counter.PAGES_CORRUPT);
            throw unverified(pageId, ofTheHost);
        }
    }

    private void verify(long pageId, ByteBuffer chunk, int offset) {
        int allowedKinds = store.allowedKinds(PageId.spaceId(pageId));
        ChecksumKinds kinds = store.checksums();
        Fault fault = PageSeal.verify(chunk, offset, pageBytes, pageId, allowedKinds, kinds);
        if (fault != Fault.NONE) {
            counters.increment(Counter.PAGES_CORRUPT);
            throw PageSeal.describe(
                    fault, chunk, offset, pageBytes, pageId, allowedKinds, kinds, fileName(pageId));
        }
        long pageLsn = PageHeader.pageLsn(chunk, offset);
        long appendLsn = log.appendLsn();
        if (pageLsn > appendLsn) {
            counters.increment(Counter.PAGES_CORRUPT);
            throw damaged(pageId, "pageLsn at most " + appendLsn, "pageLsn=" + pageLsn);
        }
    }

    /**
     * Whether the bytes are this page, whole, of this log's past. Counts nothing: who reads ahead
     * may be about a page that is the tree's no longer, and whoever wants it finds out himself.
     */
    boolean isSound(long pageId, ByteBuffer chunk, int offset) {
        int allowedKinds = store.allowedKinds(PageId.spaceId(pageId));
        return PageSeal.verify(chunk, offset, pageBytes, pageId, allowedKinds, store.checksums())
                        == Fault.NONE
                && PageHeader.pageLsn(chunk, offset) <= log.appendLsn();
    }

    private void readBytes(long pageId, ByteBuffer chunk, int offset) {
        for (int tries = 1; ; tries++) {
            try {
                store.read(pageId, chunk.duplicate().limit(offset + pageBytes).position(offset));
                counters.increment(Counter.PAGE_READS);
                return;
            } catch (EOFException e) {
                counters.increment(Counter.PAGES_CORRUPT);
                throw damaged(pageId, "a page", "the end of the file");
            } catch (IOException e) {
                if (tries == TRIES_MAX) {
                    counters.increment(Counter.PAGES_CORRUPT);
                    throw unreadable(pageId, e);
                }
                counters.increment(Counter.PAGE_READ_RETRIES);
            }
        }
    }

    private CorruptionException damaged(long pageId, String expected, String found) {
        return new CorruptionException(
                "page is damaged",
                fileName(pageId),
                Integer.toUnsignedLong(PageId.spaceId(pageId)),
                Integer.toUnsignedLong(PageId.pageNumber(pageId)),
                expected,
                found);
    }

    private CorruptionException unreadable(long pageId, IOException failure) {
        return new CorruptionException(
                "page cannot be read",
                fileName(pageId),
                Integer.toUnsignedLong(PageId.spaceId(pageId)),
                Integer.toUnsignedLong(PageId.pageNumber(pageId)),
                "a page",
                "tries=" + TRIES_MAX + ", error=" + failure.getMessage(),
                failure);
    }

    private CorruptionException unverified(long pageId, ChecksumException failure) {
        return new CorruptionException(
                "page cannot be verified",
                fileName(pageId),
                Integer.toUnsignedLong(PageId.spaceId(pageId)),
                Integer.toUnsignedLong(PageId.pageNumber(pageId)),
                "a checksum",
                "error=" + failure.getMessage(),
                failure);
    }

    private String fileName(long pageId) {
        return store.fileName(PageId.spaceId(pageId));
    }
}
