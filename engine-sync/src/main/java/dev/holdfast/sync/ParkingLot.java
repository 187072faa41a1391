// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/**
 * The slow path of every latch: spins, sleeps and wakes, for any storage of latch words.
 *
 * <p>A latch is known here by its storage object and its index in it, so all accesses to one latch
 * must name the same object.
 *
 * <p><b>Fairness.</b> A latch may be taken by whoever comes while it is free, queue or no queue: on
 * few processors that is faster by far than handing it to a thread that has yet to wake up. Bounds
 * on it: nobody joins the holders past a queue, unless all in it wait for update only; a waiter
 * that was woken and found the latch taken goes back to the front; after {@value #PASSED_OVER_MAX}
 * such failures the next release hands the latch over instead of freeing it. So nobody waits for
 * more than what was queued before him plus a bounded number of others, in whichever mode. Who
 * upgrades waits for the holders of that moment alone.
 *
 * <p><b>Woken at once</b> are one writer, or the readers up to the next writer with at most one
 * that wants update ({@link LotStripe}).
 */
final class ParkingLot {
    /*
     * After WTF::ParkingLot (Pizlo) and parking_lot (d'Antras): latches have no queue of their own,
     * queues live in a striped table keyed by the latch. Differences: the word is changed here, as
     * part of queueing and waking, not by a callback; a woken bit keeps a second waiter from being
     * woken while the first is on its way (as Go's sync.Mutex does), so that between the two a
     * release costs one CAS although there is a queue; hand-over is decided by count of failures,
     * not by a clock.
     *
     * Why no wake-up is lost. The rule is: a word with waiters and without woken is held by somebody
     * whose release comes here. (a) The waiters bit is set under the queue lock by a CAS that fails
     * if the word has changed, so the holder that keeps the waiter out releases after it and sees
     * the bit. (b) Releases of exclusive and update come here when they see waiters without woken;
     * they choose whom to wake and set woken by the CAS that releases, under the queue lock. (c)
     * Otherwise shared and exclusive are given up by a fetch-and-add; if somebody has queued between
     * the look and it, the old value shows it, and the releaser comes here and chooses then. (Those
     * who take and release the latch in between come too, and one of all chooses.) The last shared
     * holder will come: where nobody else is to wake the queue, the bar keeps others from joining
     * (LatchWord.wokenAcquired, updateWaitBars). (d) Who was woken clears the bit when it
     * takes the latch, and is then the holder of the rule; or when it queues again, by the CAS of
     * (a); or when its time is up, and then it chooses again whom to wake. (e) Who leaves the queue
     * because its time is up does so under the queue lock, and wakes whom it alone kept out; if it
     * is out already, it has been woken, and (d) holds.
     *
     * A latch may have a tag that says what it guards at present, as the page id of a frame does.
     * Who waits for a tagged latch looks at the tag each time before it queues, under the queue
     * lock and behind the CAS that sets the waiters bit; who changes the tag, under exclusive,
     * looks at the bit behind that, and takes everybody out of the queue. So nobody sleeps for what
     * the latch does not guard any more. Who gives up for that reason and was woken chooses again
     * whom to wake, as in (d).
     *
     * Nobody sleeps for readers that are spread (ReaderStripes): who wants to gathers them first. Who
     * spreads them looks at the queue behind that, and gathers them again if somebody is there.
     *
     * An upgrade: the bit is set by the CAS of (a), no shared holder is added after it, and the last
     * of them, of whom there is exactly one, makes the sleeper exclusive.
     *
     * To sleep costs one CAS and one queue lock. Releasing with somebody to wake costs the same (a
     * fetch-and-add more in the race of (c)), and the unpark happens outside the queue lock. Giving
     * up when the time is over costs another of both.
     *
     * Tried on paper and dropped: releasing first and waking after always. Others take and release
     * the latch in between, and each of them comes here; and no hand-over is possible any more.
     *
     * Nothing in here may throw or load a class while the queue lock is held. Hence no switch over
     * the mode: it is compiled to a class of its own.
     */

    /** How often a woken waiter may find the latch taken before it is handed over. */
    static final int PASSED_OVER_MAX = 2;

    /** A time-out that never comes. */
    static final long FOREVER = Long.MAX_VALUE;

    private static final int QUEUED = 0;
    private static final int ACQUIRED = 1;
    private static final int TAG_CHANGED = 2;

    static final String BEFORE_QUEUEING = "sync.beforeQueueing";
    static final String RELEASING = "sync.releasing";
    static final String BEFORE_WAKING = "sync.beforeWaking";
    static final String BEFORE_LEAVING = "sync.beforeLeaving";
    static final String WOKEN = "sync.woken";

    private static final int STRIPES = 256;
    private static final LotStripe[] LOT = new LotStripe[STRIPES];

    static {
        for (int i = 0; i < STRIPES; i++) {
            LOT[i] = new LotStripe();
        }
    }

    private ParkingLot() {}

    /**
     * Waits and returns with the latch held in {@code mode}, or not.
     *
     * @param timeoutNanos how long to wait at most, or {@link #FOREVER}
     * @return false if the time is over; never with {@link #FOREVER}
     */
    static boolean acquire(
            WordAccess access,
            Object storage,
            int index,
            Mode mode,
            ContentionSite site,
            long timeoutNanos) {
        return acquire(access, storage, index, mode, site, timeoutNanos, false, 0);
    }

    /**
     * Waits only while the latch's tag is {@code tag}.
     *
     * @return false if the tag was another: nothing is held. With true the tag was right when the
     *     thread went to sleep last, and may have changed before it got the latch
     */
    static boolean acquireTagged(
            WordAccess access,
            Object storage,
            int index,
            Mode mode,
            ContentionSite site,
            long tag) {
        return acquire(access, storage, index, mode, site, FOREVER, true, tag);
    }

    private static boolean acquire(
            WordAccess access,
            Object storage,
            int index,
            Mode mode,
            ContentionSite site,
            long timeoutNanos,
            boolean tagged,
            long tag) {
        if (timeoutNanos <= 0) {
            return false;
        }
        long deadlineNanos = timeoutNanos == FOREVER ? 0 : System.nanoTime() + timeoutNanos;
        SiteCounters counters = site.counters();
        long token = counters.waitBegan();
        boolean acquired =
                spin(access, storage, index, mode, counters, false)
                        || sleep(
                                access,
                                storage,
                                index,
                                mode,
                                site,
                                timeoutNanos != FOREVER,
                                deadlineNanos,
                                tagged,
                                tag);
        counters.waitEnded(token);
        if (!acquired && !tagged) {
            counters.countTimeout();
        }
        return acquired;
    }

    private static boolean spin(
            WordAccess access,
            Object storage,
            int index,
            Mode mode,
            SiteCounters counters,
            boolean woken) {
        access.gather(storage, index);
        boolean acquired = tryAcquire(access, storage, index, mode, woken);
        if (acquired
                || (!woken
                        && mode != Mode.UPGRADE
                        && LatchWord.hasWaiters(access.wordAcquire(storage, index)))) {
            // Behind a queue a spin would have to outlast all that stand in it.
            return acquired;
        }
        int roundsToTry = counters.spinRoundsToTry();
        int rounds = 0;
        while (!acquired && rounds < roundsToTry) {
            Thread.onSpinWait();
            rounds++;
            acquired = tryAcquire(access, storage, index, mode, woken);
        }
        counters.countSpin(rounds, acquired);
        return acquired;
    }

    private static boolean sleep(
            WordAccess access,
            Object storage,
            int index,
            Mode mode,
            ContentionSite site,
            boolean timed,
            long deadlineNanos,
            boolean tagged,
            long tag) {
        TestHooks.reached(BEFORE_QUEUEING);
        LotStripe stripe = stripe(storage, index);
        Waiter waiter = Waiter.current();
        waiter.storage = storage;
        waiter.index = index;
        waiter.mode = mode;
        waiter.tagged = tagged;
        waiter.tag = tag;
        waiter.timesPassedOver = 0;
        boolean woken = false;
        boolean interrupted = false;
        boolean acquired = true;
        CurrentWait wait = CurrentWait.sleeping(site, storage, index);
        int entry = queueUnlessAdmitted(access, stripe, waiter, woken);
        while (entry == QUEUED) {
            site.counters().countPark();
            if (timed) {
                interrupted |= waiter.awaitSignalUntil(site, deadlineNanos);
                if (waiter.signal() == Waiter.NONE && leave(access, stripe, waiter)) {
                    acquired = false;
                    break;
                }
            }
            interrupted |= waiter.awaitSignal(site);
            if (waiter.signal() == Waiter.GRANTED || mode == Mode.NOT_EXCLUSIVE) {
                break;
            }
            TestHooks.reached(WOKEN);
            woken = true;
            if (spin(access, storage, index, mode, site.counters(), true)) {
                break;
            }
            if (timed && System.nanoTime() - deadlineNanos >= 0) {
                release(access, storage, index, Release.WAKE_UP);
                acquired = false;
                break;
            }
            waiter.timesPassedOver++;
            entry = queueUnlessAdmitted(access, stripe, waiter, woken);
        }
        wait.end();
        waiter.clear();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return acquired && entry != TAG_CHANGED;
    }

    /** Queues the waiter, or acquires for it, or finds that its tag is gone. */
    private static int queueUnlessAdmitted(
            WordAccess access, LotStripe stripe, Waiter waiter, boolean woken) {
        WaitQueue queue = stripe.queue;
        Mode mode = waiter.mode;
        waiter.prepare();
        queue.lock();
        while (true) {
            if (tryAcquire(access, waiter.storage, waiter.index, mode, woken)) {
                queue.unlock();
                return ACQUIRED;
            }
            long word = access.wordAcquire(waiter.storage, waiter.index);
            if (mode.isAdmittedBy(word, woken)) {
                continue;
            }
            if (LatchWord.isSpread(word)) {
                queue.unlock();
                access.gather(waiter.storage, waiter.index);
                queue.lock();
                continue;
            }
            long waiting = mode.queued(woken ? LatchWord.wokenCleared(word) : word);
            if (waiting == word
                    || access.compareAndSet(waiter.storage, waiter.index, word, waiting)) {
                break;
            }
        }
        // Behind the CAS: who has changed the tag reads the word behind that, see tagChanged.
        if (waiter.tagged && access.tagVolatile(waiter.storage, waiter.index) != waiter.tag) {
            changeAndUnlock(
                    access,
                    stripe,
                    waiter.storage,
                    waiter.index,
                    woken ? Release.WAKE_UP : Release.NONE);
            return TAG_CHANGED;
        }
        if (woken || mode == Mode.UPGRADE) {
            queue.addFirst(waiter);
        } else {
            queue.addLast(waiter);
        }
        queue.unlock();
        return QUEUED;
    }

    /** Acquires {@code mode} if the word admits it. Never waits. */
    static boolean tryAcquire(
            WordAccess access, Object storage, int index, Mode mode, boolean woken) {
        while (true) {
            long word = access.wordAcquire(storage, index);
            if (!mode.isAdmittedBy(word, woken)) {
                return false;
            }
            if (mode == Mode.NOT_EXCLUSIVE) {
                return true;
            }
            long acquired = mode.acquired(word);
            if (woken
                    ? access.acquireWoken(storage, index, word, acquired)
                    : access.compareAndSet(storage, index, word, acquired)) {
                return true;
            }
        }
    }

    /** Gives up a place in the queue; false if the waiter has been taken out of it meanwhile. */
    private static boolean leave(WordAccess access, LotStripe stripe, Waiter waiter) {
        TestHooks.reached(BEFORE_LEAVING);
        stripe.queue.lock();
        if (!waiter.isQueued()) {
            stripe.queue.unlock();
            return false;
        }
        stripe.queue.remove(waiter);
        changeAndUnlock(access, stripe, waiter.storage, waiter.index, Release.NONE);
        return true;
    }

    /**
     * Gives up or lowers what the caller holds, where the word said that somebody may have to be
     * woken.
     */
    static void release(WordAccess access, Object storage, int index, Release how) {
        TestHooks.reached(BEFORE_WAKING);
        LotStripe stripe = stripe(storage, index);
        stripe.queue.lock();
        changeAndUnlock(access, stripe, storage, index, how);
    }

    /**
     * Wakes all that are queued, so that each looks at the tag again.
     *
     * <p><b>Latches:</b> held exclusively by the caller, who has changed the tag.
     */
    static void tagChanged(WordAccess access, Object storage, int index) {
        LotStripe stripe = stripe(storage, index);
        stripe.queue.lock();
        long word;
        do {
            word = access.wordAcquire(storage, index);
            assert LatchWord.isExclusive(word) : LatchWord.describe(word);
        } while (LatchWord.hasWaiters(word)
                && !access.compareAndSet(
                        storage,
                        index,
                        word,
                        LatchWord.queueLeft(LatchWord.wokenCleared(word), false, false)));
        Waiter chain = stripe.takeOutAll(storage, index);
        stripe.queue.unlock();
        Waiter.signalAll(chain, Waiter.TRY);
    }

    /** Changes the word, takes out of the queue who may enter now, and wakes them unlocked. */
    private static void changeAndUnlock(
            WordAccess access, LotStripe stripe, Object storage, int index, Release how) {
        long word;
        long changed;
        boolean upgrades;
        do {
            word = access.wordAcquire(storage, index);
            changed = how.applied(word);
            upgrades = LatchWord.upgradeIsDue(changed);
            changed =
                    stripe.decide(storage, index, upgrades ? LatchWord.upgraded(changed) : changed);
        } while (changed != word && !access.compareAndSet(storage, index, word, changed));
        Waiter chain =
                upgrades ? stripe.takeOutUpgrader(storage, index) : stripe.takeOut(storage, index);
        boolean grants = upgrades || stripe.grants();
        stripe.queue.unlock();

        assert upgrades
                        || chain != null
                        || how == Release.NONE
                        || how == Release.WAKE_UP
                        || !LatchWord.hasWaiters(word)
                        || LatchWord.hasWaiters(changed)
                : "waiters bit without a waiter, another storage object? "
                        + LatchWord.describe(word);
        int signal = grants ? Waiter.GRANTED : Waiter.TRY;
        if (TestHooks.fault(PlantedFault.WAKE_UP_LOST)) {
            TestHooks.onUnplanted(() -> Waiter.signalAll(chain, signal));
        } else {
            Waiter.signalAll(chain, signal);
        }
    }

    private static LotStripe stripe(Object storage, int index) {
        // The index is an offset, often a multiple of 64: multiply, and take the high bits.
        int hash = (System.identityHashCode(storage) + index) * 0x9E3779B9;
        return LOT[hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(STRIPES))];
    }
}
