// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import dev.holdfast.sync.ContentionSite;
import dev.holdfast.sync.CurrentWait;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

/** One direction of a scheduler: its queues and the threads that empty them. */
final class IoLane {
    /*
     * Field         written by                   read by             guard
     * inboxes       submitters; IO threads       IO threads          none; lock to take out
     * pending       IO threads                   IO threads          lock
     * passedOver    IO threads                   IO threads          lock
     * busyCount     IO threads                   close               lock
     * state         close                        all                 volatile, written under lock
     * roomWaiters   submitters without a place   IO threads          atomic
     * startedCount  who starts a thread          all                 volatile; startLock to write
     *
     * A request goes to its class's inbox, without a lock. An IO thread that looks for work empties
     * the inboxes into the ordered requests and takes a run of neighbours from them, for well under
     * a microsecond, under the lock; never during a transfer or a completion. How nobody sleeps
     * while there is work is told in IoThread. Besides, who leaves work behind wakes another.
     *
     * Threads are started when a request finds none asleep, up to the limit: a lane that nobody uses
     * has none, and one whose device keeps up with a single thread stays with few. A thread may be
     * asleep again before it is counted, so who starts one looks for sleepers again under the lock.
     *
     * An IO thread takes the next of the most urgent class that has any, but for one turn in
     * TURNS_MAX of a class that was passed over so often: urgent work is never more than that much
     * slower for it, and no class starves.
     *
     * Close: no request is accepted any more, but all that were are done. When the time is up, those
     * that were not begun are completed as failed by the closing thread. What is at the device then
     * is completed by its IO thread when the device comes back, if ever: the threads are daemons.
     * Who put a request in while CLOSED was being set sees that (both sides have a fence) and takes
     * out what the closing thread did not find, or finds nothing left.
     */
    static final int TURNS_MAX = 32;

    /** Sync point: a thread has found nothing and has not yet said that it will sleep. */
    static final String FOUND_NOTHING = "io.lane.foundNothing";

    /** Sync point: a thread has said that it will sleep, and has found work all the same. */
    static final String FOUND_WORK = "io.lane.foundWork";

    /** Sync point: a thread was started, and is not yet counted. */
    static final String STARTED = "io.lane.started";

    /** Sync point: a submitter has found the scheduler open, and has not put its request in. */
    static final String ACCEPTING = "io.lane.accepting";

    private static final long JOIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private enum State {
        OPEN,
        DRAINING,
        CLOSED
    }

    private enum Found {
        RUN,
        NOTHING,
        END
    }

    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle = lock.newCondition();
    private final IoInbox[] inboxes = new IoInbox[IoClass.values().length];
    private final PendingRequests[] pending = new PendingRequests[inboxes.length];
    private final int[] passedOver = new int[inboxes.length];
    private final ReentrantLock roomLock = new ReentrantLock();
    private final Condition room = roomLock.newCondition();
    private final AtomicInteger roomWaiters = new AtomicInteger();
    private final ContentionSite fullQueue;
    private final LongConsumer latency;
    private final IoThread[] threads;
    private final ReentrantLock startLock = new ReentrantLock();
    private volatile int startedCount;
    private int busyCount;
    private volatile State state = State.OPEN;

    private final LongAdder[] accepted = adders();
    private final LongAdder[] refused = adders();
    private final LongAdder transfers = new LongAdder();
    private final LongAdder merged = new LongAdder();
    private final LongAdder completionFailures = new LongAdder();

    IoLane(
            String name,
            int threadsMax,
            IoSchedulerOptions options,
            ContentionSite fullQueue,
            LongConsumer latency) {
        this.name = name;
        this.fullQueue = fullQueue;
        this.latency = latency;
        for (int i = 0; i < inboxes.length; i++) {
            inboxes[i] = new IoInbox(options.pendingMax());
            pending[i] = new PendingRequests(options.pendingMax());
        }
        threads = new IoThread[threadsMax];
        for (int i = 0; i < threadsMax; i++) {
            threads[i] = new IoThread(new IoRun(options.mergeBytesMax()));
        }
    }

    /** Accepts the request, waiting for a place if it must and may. */
    boolean submit(IoClass who, IoRequest request, boolean waits) throws IOException {
        request.submitted();
        boolean isAccepted = false;
        try {
            isAccepted = tryOffer(who, request) || (waits && offerWhenThereIsRoom(who, request));
        } finally {
            // Once accepted it is no longer ours.
            if (!isAccepted) {
                request.refused();
            }
        }
        (isAccepted ? accepted : refused)[who.ordinal()].increment();
        return isAccepted;
    }

    private boolean tryOffer(IoClass who, IoRequest request) throws IOException {
        if (state != State.OPEN) {
            throw new IOException("IO scheduler is closed: " + request);
        }
        TestHooks.reached(ACCEPTING);
        if (!inboxes[who.ordinal()].offer(request)) {
            return false;
        }
        // Pairs with the fences of IoThread.announceSleep and of finish.
        VarHandle.fullFence();
        if (state == State.CLOSED) {
            failLeft();
        } else {
            wakeOne();
        }
        return true;
    }

    private boolean offerWhenThereIsRoom(IoClass who, IoRequest request) throws IOException {
        CurrentWait wait = CurrentWait.begin(fullQueue, 0);
        roomLock.lock();
        roomWaiters.incrementAndGet();
        try {
            while (!tryOffer(who, request)) {
                fullQueue.counters().countPark();
                room.awaitUninterruptibly();
            }
            return true;
        } finally {
            roomWaiters.decrementAndGet();
            roomLock.unlock();
            wait.end();
        }
    }

    /** After places became free, or the state changed. */
    private void signalRoom() {
        // Pairs with the increment of roomWaiters: either we see it or it sees the free place.
        VarHandle.fullFence();
        if (roomWaiters.get() > 0) {
            roomLock.lock();
            try {
                room.signalAll();
            } finally {
                roomLock.unlock();
            }
        }
    }

    /** Sees to it that somebody who does nothing looks for work, if there is such a thread. */
    private void wakeOne() {
        // Read once: a thread that is counted after this look is looked at under the lock.
        int count = startedCount;
        if (!tryWakeOne(count) && count < threads.length) {
            startOne();
        }
    }

    private boolean tryWakeOne(int count) {
        for (int i = 0; i < count; i++) {
            if (threads[i].tryWake()) {
                return true;
            }
        }
        return false;
    }

    private void startOne() {
        Throwable failure = null;
        startLock.lock();
        try {
            int index = startedCount;
            // The last thread too may have done its first request and be asleep by now.
            if (!tryWakeOne(index) && index < threads.length) {
                threads[index].start(newThread(index));
                TestHooks.reached(STARTED);
                startedCount = index + 1;
            }
        } catch (OutOfMemoryError noThreadToBeHad) {
            // The others do it. Without any the requests fail, and nobody waits for ever.
            failure = startedCount == 0 ? noThreadToBeHad : null;
        } finally {
            startLock.unlock();
        }
        if (failure != null) {
            failLeft(failure);
        }
    }

    private Thread newThread(int index) {
        IoThread me = threads[index];
        String threadName = "holdfast-io-" + name + "-" + (index + 1);
        Thread thread = new Thread(null, () -> work(me), threadName, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(IoLane.class.getClassLoader());
        return thread;
    }

    private void work(IoThread me) {
        IoRun run = me.run();
        while (take(me)) {
            long start = System.nanoTime();
            run.transfer();
            long took = System.nanoTime() - start;
            latency.accept(took / run.transferCount());
            transfers.add(run.transferCount());
            merged.add((long) run.count() - run.transferCount());
            if (run.complete() != null) {
                completionFailures.increment();
            }
        }
    }

    /** Waits for the next run; false if there will be none. */
    private boolean take(IoThread me) {
        boolean isAnnounced = false;
        while (true) {
            Found found = look(me.run());
            if (found != Found.NOTHING) {
                if (isAnnounced) {
                    stayAwake(me);
                }
                return found == Found.RUN;
            }
            if (isAnnounced) {
                me.sleep();
            } else {
                TestHooks.reached(FOUND_NOTHING);
                me.announceSleep();
            }
            isAnnounced = !isAnnounced;
        }
    }

    /** Takes its announcement back, or passes on the wake-up that answered it. */
    private void stayAwake(IoThread me) {
        TestHooks.reached(FOUND_WORK);
        if (!me.tryStayAwake()) {
            wakeOne();
        }
    }

    private Found look(IoRun run) {
        boolean leavesWork;
        lock.lock();
        try {
            if (run.wasTaken()) {
                busyCount--;
            }
            if (busyCount == 0) {
                idle.signalAll();
            }
            if (state == State.CLOSED) {
                return Found.END;
            }
            emptyInboxes();
            PendingRequests queue = choose();
            if (queue == null) {
                return Found.NOTHING;
            }
            run.takeFrom(queue);
            busyCount++;
            leavesWork = hasWork();
        } finally {
            lock.unlock();
        }
        signalRoom();
        if (leavesWork) {
            wakeOne();
        }
        return Found.RUN;
    }

    private void emptyInboxes() {
        for (int i = 0; i < inboxes.length; i++) {
            while (!pending[i].isFull()) {
                IoRequest request = inboxes[i].poll();
                if (request == null) {
                    break;
                }
                pending[i].add(request);
            }
        }
    }

    private PendingRequests choose() {
        int chosen = -1;
        for (int i = 0; i < pending.length; i++) {
            if (pending[i].count() > 0 && (chosen < 0 || passedOver[i] >= TURNS_MAX)) {
                chosen = i;
            }
        }
        if (chosen < 0) {
            return null;
        }
        for (int i = 0; i < pending.length; i++) {
            passedOver[i] = i == chosen || pending[i].count() == 0 ? 0 : passedOver[i] + 1;
        }
        return pending[chosen];
    }

    private boolean hasWork() {
        for (int i = 0; i < pending.length; i++) {
            if (pending[i].count() > 0 || !inboxes[i].isEmpty()) {
                return true;
            }
        }
        return false;
    }

    /** Accepts nothing any more. */
    void drain() {
        lock.lock();
        try {
            if (state == State.OPEN) {
                state = State.DRAINING;
            }
        } finally {
            lock.unlock();
        }
        signalRoom();
    }

    /** Waits until all is done, or until it is that late; then fails what was not begun. */
    String finish(long deadlineNanos) {
        boolean wasInterrupted = false;
        int busy;
        boolean isLate;
        lock.lock();
        try {
            long nanos = deadlineNanos - System.nanoTime();
            while (nanos > 0 && (busyCount > 0 || hasWork())) {
                try {
                    nanos = idle.awaitNanos(nanos);
                } catch (InterruptedException theFlagIsPutBackBelow) {
                    wasInterrupted = true;
                }
            }
            busy = busyCount;
            isLate = busy > 0 || hasWork();
            state = State.CLOSED;
        } finally {
            lock.unlock();
        }
        VarHandle.fullFence();
        int notBegun = failLeft();
        for (IoThread thread : threads) {
            thread.tryWake();
        }
        if (busy == 0) {
            wasInterrupted |= joinThreads();
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
        return isLate ? ", lane=" + name + ", busy=" + busy + ", notBegun=" + notBegun : "";
    }

    /** Those that have nothing to do any more; returns whether this thread was interrupted. */
    private boolean joinThreads() {
        boolean wasInterrupted = false;
        long deadline = System.nanoTime() + JOIN_NANOS;
        for (IoThread one : threads) {
            Thread thread = one.thread();
            long nanos = deadline - System.nanoTime();
            while (thread != null && thread.isAlive() && nanos > 0) {
                try {
                    TimeUnit.NANOSECONDS.timedJoin(thread, nanos);
                } catch (InterruptedException theFlagIsPutBackByTheCaller) {
                    wasInterrupted = true;
                }
                nanos = deadline - System.nanoTime();
            }
        }
        return wasInterrupted;
    }

    private int failLeft() {
        return failLeft(null);
    }

    /** Completes as failed what was not begun; returns how many. */
    private int failLeft(Throwable cause) {
        List<IoRequest> left = new ArrayList<>();
        lock.lock();
        try {
            takeAll(left);
        } finally {
            lock.unlock();
        }
        for (IoRequest request : left) {
            String what = cause == null ? "closed before the transfer began: " : "no IO thread: ";
            try {
                request.complete(new IOException(what + request, cause));
            } catch (RuntimeException | Error ofTheOwner) {
                completionFailures.increment();
            }
        }
        return left.size();
    }

    private void takeAll(List<IoRequest> left) {
        IoRequest[] one = new IoRequest[1];
        emptyInboxes();
        while (hasWork()) {
            for (PendingRequests queue : pending) {
                while (queue.count() > 0) {
                    queue.takeRun(one, 0);
                    left.add(one[0]);
                }
            }
            // A submitter may be between its place and its request: it is waited for.
            Thread.onSpinWait();
            emptyInboxes();
        }
    }

    /** One line of the report. */
    String toRow() {
        StringBuilder row = new StringBuilder(name);
        row.append(": threads=").append(startedCount).append(" of ").append(threads.length);
        lock.lock();
        try {
            int count = 0;
            for (PendingRequests queue : pending) {
                count += queue.count();
            }
            row.append(", busy=").append(busyCount).append(", pending=").append(count);
        } finally {
            lock.unlock();
        }
        row.append(", transfers=").append(transfers.sum());
        row.append(", merged=").append(merged.sum());
        row.append(", completionFailures=").append(completionFailures.sum());
        for (IoClass who : IoClass.values()) {
            row.append(", ").append(who).append('=').append(accepted[who.ordinal()].sum());
            row.append(" (refused=").append(refused[who.ordinal()].sum()).append(')');
        }
        return row.toString();
    }

    int startedThreads() {
        return startedCount;
    }

    long transfers() {
        return transfers.sum();
    }

    long merged() {
        return merged.sum();
    }

    long completionFailures() {
        return completionFailures.sum();
    }

    long accepted(IoClass who) {
        return accepted[who.ordinal()].sum();
    }

    long refused(IoClass who) {
        return refused[who.ordinal()].sum();
    }

    private static LongAdder[] adders() {
        LongAdder[] adders = new LongAdder[IoClass.values().length];
        for (int i = 0; i < adders.length; i++) {
            adders[i] = new LongAdder();
        }
        return adders;
    }
}
