// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import dev.holdfast.io.file.StorageFile;

/**
 * The requests of one class that wait, in the order of their places. Guarded by the lane's lock.
 */
final class PendingRequests {
    /*
     * A sorted array and not a tree: the queue is bounded by some hundreds, so that an insertion
     * moves a few cache lines at most, allocates nothing and needs no links in the request. Finding
     * the neighbours of a request is looking at the next element. A slot array that is scanned for
     * neighbours, as the lineage had it, costs its length for every request.
     *
     * The next to go is the first at or behind where the last one ended, and then from the front
     * again: so every request's turn comes, and a device that likes order gets it.
     */
    private final IoRequest[] requests;
    private int count;

    /** Index of the first request at or behind the place where the last run ended. */
    private int hand;

    /** That place; no file before the first run. */
    private StorageFile handFile;

    private long handPosition;

    PendingRequests(int countMax) {
        requests = new IoRequest[countMax];
    }

    int count() {
        return count;
    }

    boolean isFull() {
        return count == requests.length;
    }

    void add(IoRequest request) {
        assert !isFull() : "count=" + count;

        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (request.compareWith(requests[middle].file(), requests[middle].position()) >= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        System.arraycopy(requests, low, requests, low + 1, count - low);
        requests[low] = request;
        count++;
        if (handFile != null && request.compareWith(handFile, handPosition) < 0) {
            hand++;
        }
    }

    /**
     * Removes the next request and all its neighbours behind and before it.
     *
     * @param run gets them, in order
     * @param bytesMax how long the run may become; a single request may be longer
     * @return how many there are, at least one
     */
    int takeRun(IoRequest[] run, int bytesMax) {
        assert count > 0 : "nothing waits";

        int from = hand >= count ? 0 : hand;
        int to = from + 1;
        long bytes = requests[from].length();
        while (to < count && to - from < run.length && fits(to - 1, to, bytes, bytesMax)) {
            bytes += requests[to].length();
            to++;
        }
        while (from > 0 && to - from < run.length && fits(from - 1, from, bytes, bytesMax)) {
            from--;
            bytes += requests[from].length();
        }
        int taken = to - from;
        System.arraycopy(requests, from, run, 0, taken);
        System.arraycopy(requests, to, requests, from, count - to);
        for (int i = count - taken; i < count; i++) {
            requests[i] = null;
        }
        count -= taken;
        hand = from;
        handFile = run[taken - 1].file();
        handPosition = run[taken - 1].end();
        return taken;
    }

    /** Whether the two are neighbours of one file; the added one is whichever is not in the run. */
    private boolean fits(int first, int second, long bytes, int bytesMax) {
        IoRequest one = requests[first];
        IoRequest other = requests[second];
        return one.file() == other.file()
                && one.end() == other.position()
                && bytes + Math.max(one.length(), other.length()) <= bytesMax;
    }
}
