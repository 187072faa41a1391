// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import dev.holdfast.sync.ContentionSite;
import java.io.IOException;
import java.util.function.LongConsumer;

/**
 * Does the IO that nobody waits for: a few threads read, a few write, urgent classes first,
 * neighbouring pages in one transfer.
 *
 * <p>Queues are bounded: who submits more than the device does waits, or is refused. Every accepted
 * request is completed, once. Safe for all threads.
 */
public final class IoScheduler implements AutoCloseable {
    /*
     * Reads and writes have lanes of their own, since a device does both at once and neither may
     * queue behind the other: a read-ahead behind a batch of the cleaner would come too late, and a
     * cleaner behind read-ahead would let the pool run out of frames.
     *
     * What users wait for is not here. A miss is read, and the log written, by the thread that needs
     * it: handing it over costs two wake-ups, 6 to 12 microseconds each, beside a read of 80.
     */
    private final IoLane reads;
    private final IoLane writes;

    private IoScheduler(IoLane reads, IoLane writes) {
        this.reads = reads;
        this.writes = writes;
    }

    /**
     * A scheduler; its threads are started by the first requests.
     *
     * @param fullQueue counts waits for a place in a queue
     * @param latency gets the nanoseconds of each transfer; called by IO threads, must not wait
     */
    public static IoScheduler start(
            IoSchedulerOptions options, ContentionSite fullQueue, LongConsumer latency) {
        IoLane reads = new IoLane("read", options.readThreads(), options, fullQueue, latency);
        IoLane writes = new IoLane("write", options.writeThreads(), options, fullQueue, latency);
        return new IoScheduler(reads, writes);
    }

    /**
     * Accepts the request; waits while the class has no place. Interrupts do not end the wait.
     *
     * <p><b>Latches:</b> none held but those whose holders may wait for pages to be written, as
     * that of the checkpoint, or read; it waits, and may start a thread.
     *
     * @throws IOException if the scheduler is closed; the completion is then not called. A request
     *     that meets the closing itself may be accepted and complete as failed
     */
    public void submit(IoClass who, IoRequest request) throws IOException {
        boolean isAccepted = lane(request).submit(who, request, true);
        assert isAccepted : "a place was waited for: " + request;
    }

    /**
     * Accepts the request if the class has a place now. Never waits.
     *
     * @return whether it was accepted; else the completion is not called
     * @throws IOException if the scheduler is closed
     */
    public boolean trySubmit(IoClass who, IoRequest request) throws IOException {
        return lane(request).submit(who, request, false);
    }

    private IoLane lane(IoRequest request) {
        return request.isWrite() ? writes : reads;
    }

    /** How many threads were started. */
    int startedThreads() {
        return reads.startedThreads() + writes.startedThreads();
    }

    /** How many transfers of the device's were made. */
    public long transfers() {
        return reads.transfers() + writes.transfers();
    }

    /** How many requests were done by the transfer of another. */
    public long merged() {
        return reads.merged() + writes.merged();
    }

    /** How many requests of the class were accepted. */
    public long accepted(IoClass who) {
        return reads.accepted(who) + writes.accepted(who);
    }

    /** How many requests of the class found no place. */
    public long refused(IoClass who) {
        return reads.refused(who) + writes.refused(who);
    }

    /** How many completions threw: mistakes of those who submitted. */
    public long completionFailures() {
        return reads.completionFailures() + writes.completionFailures();
    }

    /** Two lines for the report. */
    public String report() {
        return reads.toRow() + '\n' + writes.toRow();
    }

    /** As {@link #close(long)} with no limit of time worth the name. */
    @Override
    public void close() throws IOException {
        close(Long.MAX_VALUE);
    }

    /**
     * Does all that was accepted, accepts nothing more, and ends the threads. A second call waits
     * for what the first had to leave at the device.
     *
     * @throws IOException if the time is up before. What was not begun has then been completed as
     *     failed; what is at the device is completed when that comes back, and holds up nobody
     */
    public void close(long timeoutNanos) throws IOException {
        long now = System.nanoTime();
        long deadline = now + Math.min(timeoutNanos, Long.MAX_VALUE / 2);
        reads.drain();
        writes.drain();
        String left = writes.finish(deadline) + reads.finish(deadline);
        if (!left.isEmpty()) {
            throw new IOException("IO scheduler did not come to an end" + left);
        }
    }
}
