// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.dblwr.DoublewriteBatch;
import dev.holdfast.core.page.PageId;
import dev.holdfast.io.async.IoClass;
import dev.holdfast.io.async.IoGroup;
import dev.holdfast.io.async.IoRequest;
import dev.holdfast.io.async.IoScheduler;
import dev.holdfast.io.file.StorageErrors;
import java.io.IOException;
import java.util.Arrays;

/**
 * The writes of one batch to the data files, all at the device together. There is one for each
 * doublewrite slot, used by who has the slot.
 */
final class BatchWrites {
    /*
     * A run, pages that are neighbours in the batch and on disk, is a request; its state stands at
     * the index of its first page. What failed is written again by the next call, from the same
     * copies, unless its space is gone by then.
     *
     * All requests have ended when a call returns, however it ends: the copies belong to the batch
     * again, and what was written was written before what the flusher does next (P10, P11).
     */
    private final PageStore store;
    private final IoGroup group;
    private final IoRequest[] requests;
    private final boolean[] isWritten;

    BatchWrites(PageStore store, IoScheduler scheduler, int pagesMax) {
        this.store = store;
        this.group = new IoGroup(scheduler, IoClass.CLEANER);
        this.requests = new IoRequest[pagesMax];
        this.isWritten = new boolean[pagesMax];
    }

    /** Forgets the batch before: nothing of this one is written. */
    void begin() {
        Arrays.fill(isWritten, false);
    }

    /**
     * Writes those runs of the batch that are not written yet.
     *
     * @throws IOException if some could not be; of several failures one that is no lack of room
     */
    void write(DoublewriteBatch batch) throws IOException {
        try {
            for (int from = 0; from < batch.count(); from = batch.endOfRun(from)) {
                submit(batch, from);
            }
        } finally {
            group.await();
        }
        IOException failure = null;
        for (int from = 0; from < batch.count(); from = batch.endOfRun(from)) {
            IOException found = isWritten[from] ? null : outcome(batch, from);
            isWritten[from] = found == null;
            if (failure == null || (found != null && StorageErrors.isSpaceExhausted(failure))) {
                failure = found;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void submit(DoublewriteBatch batch, int from) throws IOException {
        if (isWritten[from]) {
            return;
        }
        if (requests[from] == null) {
            requests[from] = group.newRequest();
        }
        IoRequest request = requests[from];
        long pageId = batch.pageId(from);
        if (store.prepareWrite(request, pageId, batch.images(from, batch.endOfRun(from)))) {
            group.submit(request);
        } else {
            isWritten[from] = true;
        }
    }

    /** What came of a run that was submitted. */
    private IOException outcome(DoublewriteBatch batch, int from) {
        Throwable failure = requests[from].failure();
        long pageId = batch.pageId(from);
        int spaceId = PageId.spaceId(pageId);
        if (failure == null) {
            return null;
        }
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException mistake) {
            throw mistake;
        }
        return new IOException(
                "file="
                        + store.fileName(spaceId)
                        + ", "
                        + PageId.describe(pageId)
                        + ", pages="
                        + (batch.endOfRun(from) - from),
                failure);
    }
}
