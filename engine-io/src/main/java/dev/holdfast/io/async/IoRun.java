// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import dev.holdfast.io.file.FileMode;
import java.io.IOException;
import java.nio.ByteBuffer;

/** The neighbours that one IO thread transfers as one. Belongs to that thread. */
final class IoRun {
    /*
     * A channel has no gather for positions, so the bytes of a run go through one buffer. If the
     * transfer of a run fails, each request is tried by itself: the error is then that of the request
     * it belongs to, and its neighbours do not suffer. A read or a write done twice is no harm.
     */
    private static final int REQUESTS_MAX = 1024;

    private final IoRequest[] requests;
    private final Throwable[] failures;
    private final int mergeBytesMax;

    /** Made when neighbours first meet; null as long as there was no need or no memory. */
    private ByteBuffer merged;

    private int count;

    /** Into how many transfers they went. */
    private int transferCount;

    /** Whether the thread is counted as busy. */
    private boolean wasTaken;

    IoRun(int mergeBytesMax) {
        this.mergeBytesMax = mergeBytesMax;
        this.requests = new IoRequest[mergeBytesMax == 0 ? 1 : REQUESTS_MAX];
        this.failures = new Throwable[requests.length];
    }

    void takeFrom(PendingRequests pending) {
        count = pending.takeRun(requests, mergeBytesMax);
        wasTaken = true;
    }

    /** Whether a run was taken since the last time that this was asked. */
    boolean wasTaken() {
        boolean was = wasTaken;
        wasTaken = false;
        return was;
    }

    int count() {
        return count;
    }

    /** How many transfers were made of the requests; at least one. */
    int transferCount() {
        return transferCount;
    }

    /** Does the transfer; what came of each request is kept until {@link #complete}. */
    void transfer() {
        if (count > 1 && tryTransferMerged()) {
            transferCount = 1;
            countMerged();
            return;
        }
        transferCount = count;
        for (int i = 0; i < count; i++) {
            failures[i] = transfer(requests[i], requests[i].buffer());
        }
    }

    /** Tells each owner; the first exception that a completion threw is returned. */
    Throwable complete() {
        Throwable thrown = null;
        for (int i = 0; i < count; i++) {
            IoRequest request = requests[i];
            Throwable failure = failures[i];
            requests[i] = null;
            failures[i] = null;
            try {
                request.complete(failure);
            } catch (Throwable ofTheOwner) {
                thrown = thrown == null ? ofTheOwner : thrown;
            }
        }
        count = 0;
        return thrown;
    }

    private boolean tryTransferMerged() {
        if (merged == null && !tryAllocate()) {
            return false;
        }
        IoRequest first = requests[0];
        int bytes = (int) (requests[count - 1].end() - first.position());
        merged.clear().limit(bytes);
        if (first.isWrite()) {
            for (int i = 0; i < count; i++) {
                ByteBuffer source = requests[i].buffer();
                merged.put(offset(i), source, source.position(), requests[i].length());
            }
        }
        if (transfer(first, merged) != null) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            ByteBuffer buffer = requests[i].buffer();
            if (!first.isWrite()) {
                buffer.put(buffer.position(), merged, offset(i), requests[i].length());
            }
            buffer.position(buffer.limit());
        }
        return true;
    }

    private void countMerged() {
        IoRequest first = requests[0];
        if (first.isWrite()) {
            first.file().statistics().writesMerged(count - 1L);
        } else {
            first.file().statistics().readsMerged(count - 1L);
        }
    }

    private boolean tryAllocate() {
        try {
            merged =
                    ByteBuffer.allocateDirect(mergeBytesMax + FileMode.DIRECT_ALIGNMENT)
                            .alignedSlice(FileMode.DIRECT_ALIGNMENT);
            return true;
        } catch (OutOfMemoryError eachGoesByItself) {
            return false;
        }
    }

    private int offset(int index) {
        return (int) (requests[index].position() - requests[0].position());
    }

    private static Throwable transfer(IoRequest request, ByteBuffer bytes) {
        try {
            if (request.isWrite()) {
                request.file().write(request.position(), bytes);
            } else {
                request.file().read(request.position(), bytes);
            }
            return null;
        } catch (IOException | RuntimeException | Error e) {
            return e;
        }
    }
}
