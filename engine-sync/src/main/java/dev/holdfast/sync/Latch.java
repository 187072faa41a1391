// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A latch that is an object, on a cache line of its own: for the handful of latches that every
 * thread meets. Not reentrant; the thread that acquires it releases it.
 *
 * <p>Modes and guarantees are those of {@link BufferLatch}. {@link HeldLatches} is kept here, under
 * assertions.
 *
 * <p>Releasing exclusive is a store and a fence. {@link #readMostly} makes a latch whose readers,
 * once they meet, write to no common cache line; acquiring that one exclusively costs a look at as
 * many lines as it has stripes if there have been such readers since the last time.
 */
public final class Latch extends PaddedWord {
    /*
     * field     written by                                     read by       mode
     * state     its holders; who acquires                      all           CAS; a release store by
     *                                                                        the exclusive holder
     * queue     who holds the queue lock; a woken thread        who releases  CAS, see TwoWordAccess
     * stripes   never                                          readers       final
     *
     * The state is LatchWord's without the bits of the queue. While it is held exclusively nobody
     * else changes it, hence the store. How wake-ups are not lost stands in TwoWordAccess, how
     * readers are spread in ReaderStripes.
     */
    private static final VarHandle STATE;
    private static final VarHandle QUEUE;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            STATE = lookup.findVarHandle(PaddedWord.class, "state", long.class);
            QUEUE = lookup.findVarHandle(PaddedWord.class, "queue", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static final TwoWordAccess ACCESS =
            new TwoWordAccess() {
                @Override
                long stateVolatile(Object storage) {
                    return (long) STATE.getVolatile((Latch) storage);
                }

                @Override
                boolean compareAndSetState(Object storage, long expected, long update) {
                    return STATE.compareAndSet((Latch) storage, expected, update);
                }

                @Override
                long queueVolatile(Object storage) {
                    return (long) QUEUE.getVolatile((Latch) storage);
                }

                @Override
                boolean compareAndSetQueue(Object storage, long expected, long update) {
                    return QUEUE.compareAndSet((Latch) storage, expected, update);
                }

                @Override
                public void gather(Object storage, int index) {
                    ((Latch) storage).gatheredState();
                }
            };

    static final String JOINING = "sync.joiningShared";
    static final String SPREADING = "sync.spreading";
    static final String ENTERING = "sync.enteringStripe";
    static final String ENTERED = "sync.enteredStripe";
    static final String GATHERING = "sync.gathering";

    private static final int INDEX = 0;

    /** No version: those have the bits below it clear. */
    private static final long NOT_ACQUIRED = -1;

    // Behind the words: the rest of their line. The site is read on slow paths only.
    long after0;
    long after1;
    long after2;
    long after3;
    long after4;
    long after5;
    long after6;

    private final ContentionSite site;

    public Latch(ContentionSite site) {
        this(site, null);
    }

    Latch(ContentionSite site, ReaderStripes stripes) {
        super(stripes);
        this.site = site;
    }

    /** A latch for what is read far more often than changed, and by many threads at once. */
    public static Latch readMostly(ContentionSite site) {
        int processors = Runtime.getRuntime().availableProcessors();
        return new Latch(site, new ReaderStripes(ReaderStripes.stripes(processors)));
    }

    public ContentionSite site() {
        return site;
    }

    /** As {@link BufferLatch#optimisticVersion}. */
    public long optimisticVersion() {
        return (long) STATE.getAcquire(this);
    }

    /** As {@link BufferLatch#validate}. */
    public boolean validate(long version) {
        // Orders the reads before it against the one behind it; pairs with the store fence that
        // follows the acquire of exclusive.
        VarHandle.acquireFence();
        return LatchWord.validates((long) STATE.getOpaque(this), version);
    }

    /** As the form of {@link BufferLatch} with a version. */
    public boolean tryUpgradeToExclusive(long version) {
        long state = gatheredState();
        while (LatchWord.admitsUpgrade(state, version)) {
            long seen =
                    (long)
                            STATE.compareAndExchange(
                                    this, state, LatchWord.exclusiveAcquired(state));
            if (seen == state) {
                // Pairs with validate: the change is not seen before the exclusive bit.
                VarHandle.storeStoreFence();
                assert HeldLatches.acquiredWithoutWaiting(site, key());
                return true;
            }
            state = seen;
        }
        return false;
    }

    /** As {@link BufferLatch#acquireShared}. */
    public void acquireShared() {
        assert HeldLatches.mayWaitFor(site);

        if (!tryShared()) {
            ParkingLot.acquire(ACCESS, this, INDEX, Mode.SHARED, site, ParkingLot.FOREVER);
        }
        assert HeldLatches.acquired(site, key());
    }

    /** As {@link BufferLatch#tryAcquireShared}. */
    public boolean tryAcquireShared() {
        boolean acquired = tryShared();
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key());
        return acquired;
    }

    private boolean tryShared() {
        long state = (long) STATE.getAcquire(this);
        if (LatchWord.isSpread(state) && enterStripe()) {
            return true;
        }
        // Opaque: the bar only keeps the order of arrival, see LatchWord.
        long bar = (long) QUEUE.getOpaque(this);
        while (LatchWord.admitsShared(state | bar)) {
            TestHooks.reached(JOINING);
            long seen =
                    (long) STATE.compareAndExchange(this, state, LatchWord.sharedAcquired(state));
            if (seen == state) {
                return true;
            }
            if (stripes != null && stripes.met()) {
                spread();
            }
            state = (long) STATE.getAcquire(this);
        }
        return false;
    }

    private boolean enterStripe() {
        TestHooks.reached(ENTERING);
        if (!stripes.enter()) {
            return false;
        }
        TestHooks.reached(ENTERED);
        // Behind the CAS of enter; pairs with the CAS in gather, which looks at the stripes then.
        if (LatchWord.isSpread((long) STATE.getVolatile(this))) {
            return true;
        }
        giveUpShare();
        return false;
    }

    /** From now on readers are counted in their stripes, if nobody wants the latch otherwise. */
    void spread() {
        long state = (long) STATE.getVolatile(this);
        long queue = (long) QUEUE.getVolatile(this);
        TestHooks.reached(SPREADING);
        if (LatchWord.admitsSpread(state | queue)
                && STATE.compareAndSet(this, state, LatchWord.spread(state))
                && (long) QUEUE.getVolatile(this) != 0) {
            // Who queued since we looked may have found the state as it was before, and sleeps.
            gather();
        }
    }

    /** The state with all shared holders in it. Volatile. */
    private long gatheredState() {
        long state = (long) STATE.getVolatile(this);
        return LatchWord.isSpread(state) ? gather() : state;
    }

    private long gather() {
        long state = (long) STATE.getVolatile(this);
        while (LatchWord.isSpread(state)) {
            if (STATE.compareAndSet(this, state, LatchWord.gathered(state))) {
                if (!TestHooks.fault(PlantedFault.READERS_NOT_GATHERED)) {
                    for (int i = 0; i < stripes.stripes(); i++) {
                        gather(i);
                    }
                }
                stripes.gathered();
                giveUpShareInState();
            }
            state = (long) STATE.getVolatile(this);
        }
        return state;
    }

    /** Our own share keeps the count from reaching zero meanwhile. */
    private void gather(int stripe) {
        long units = stripes.unitsVolatile(stripe);
        while (units > 0) {
            STATE.getAndAdd(this, units);
            TestHooks.reached(GATHERING);
            if (stripes.tryEmpty(stripe, units)) {
                return;
            }
            STATE.getAndAdd(this, -units);
            units = stripes.unitsVolatile(stripe);
        }
    }

    /** As the form of {@link BufferLatch} with a time-out. */
    public boolean tryAcquireShared(long timeoutNanos) {
        assert timeoutNanos <= 0 || HeldLatches.mayWaitFor(site);

        boolean acquired =
                tryShared()
                        || ParkingLot.acquire(ACCESS, this, INDEX, Mode.SHARED, site, timeoutNanos);
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key());
        return acquired;
    }

    /** As {@link BufferLatch#releaseShared}. */
    public void releaseShared() {
        assert HeldLatches.released(site, key());

        giveUpShare();
    }

    private void giveUpShare() {
        if (stripes == null || !stripes.leave()) {
            giveUpShareInState();
        }
    }

    private void giveUpShareInState() {
        // Opaque: the look before is for the hand-over alone, the one behind it decides.
        long queue = (long) QUEUE.getOpaque(this);
        if (LatchWord.releaseWakes(queue)
                && LatchWord.sharedReleaseWakes(queue | (long) STATE.getAcquire(this))) {
            ParkingLot.release(ACCESS, this, INDEX, Release.SHARED);
            return;
        }
        TestHooks.reached(ParkingLot.RELEASING);
        long state = (long) STATE.getAndAdd(this, -LatchWord.SHARED_ONE);
        assert LatchWord.sharedHolders(state) > 0 : LatchWord.describe(state);

        if (LatchWord.sharedReleaseWakes(state | (long) QUEUE.getVolatile(this))) {
            ParkingLot.release(ACCESS, this, INDEX, Release.NONE);
        }
    }

    /**
     * As {@link BufferLatch#acquireExclusive}.
     *
     * @return the version that it was acquired at, for {@link #releaseExclusive(long)}
     */
    public long acquireExclusive() {
        assert HeldLatches.mayWaitFor(site);

        long version = tryExclusive();
        if (version == NOT_ACQUIRED) {
            ParkingLot.acquire(ACCESS, this, INDEX, Mode.EXCLUSIVE, site, ParkingLot.FOREVER);
            VarHandle.storeStoreFence();
            version = (long) STATE.get(this) & LatchWord.VERSION_MASK;
        }
        assert HeldLatches.acquired(site, key());
        return version;
    }

    /** As {@link BufferLatch#tryAcquireExclusive}. */
    public boolean tryAcquireExclusive() {
        boolean acquired = tryExclusive() != NOT_ACQUIRED;
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key());
        return acquired;
    }

    private long tryExclusive() {
        long state = (long) STATE.getAcquire(this);
        if (LatchWord.isSpread(state)) {
            state = gather();
        }
        while (LatchWord.admitsExclusive(state)) {
            long seen =
                    (long)
                            STATE.compareAndExchange(
                                    this, state, LatchWord.exclusiveAcquired(state));
            if (seen == state) {
                VarHandle.storeStoreFence();
                return state;
            }
            state = seen;
        }
        return NOT_ACQUIRED;
    }

    /** As the form of {@link BufferLatch} with a time-out. */
    public boolean tryAcquireExclusive(long timeoutNanos) {
        assert timeoutNanos <= 0 || HeldLatches.mayWaitFor(site);

        boolean acquired =
                LatchForms.acquireWithin(ACCESS, this, INDEX, Mode.EXCLUSIVE, site, timeoutNanos);
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key());
        return acquired;
    }

    /** As {@link BufferLatch#releaseExclusive}. */
    public void releaseExclusive() {
        // Plain: it is the holder's own.
        releaseExclusive((long) STATE.get(this) & LatchWord.VERSION_MASK);
    }

    /**
     * The same, and need not look for the version: about two nanoseconds.
     *
     * @param version that {@link #acquireExclusive} returned, if nothing was lowered since
     */
    public void releaseExclusive(long version) {
        assert HeldLatches.released(site, key());
        assert (long) STATE.get(this) == (version | LatchWord.EXCLUSIVE) : this;

        // Opaque: the look before is for the hand-over alone.
        if (LatchWord.releaseWakes((long) QUEUE.getOpaque(this))) {
            ParkingLot.release(ACCESS, this, INDEX, Release.EXCLUSIVE);
            return;
        }
        TestHooks.reached(ParkingLot.RELEASING);
        // Release; pairs with the acquiring reads of the state. The fence pairs with the CAS of who
        // queues: it sees the latch free, or we see it here.
        STATE.setRelease(this, version + LatchWord.VERSION_ONE);
        VarHandle.fullFence();
        if (LatchWord.releaseWakes((long) QUEUE.getOpaque(this))
                && !TestHooks.fault(PlantedFault.QUEUE_NOT_SEEN)) {
            ParkingLot.release(ACCESS, this, INDEX, Release.NONE);
        }
    }

    /** As {@link BufferLatch#acquireUpdate}. */
    public void acquireUpdate() {
        assert HeldLatches.mayWaitFor(site);

        LatchForms.acquire(ACCESS, this, INDEX, Mode.UPDATE, site);
        assert HeldLatches.acquired(site, key());
    }

    /** As {@link BufferLatch#tryAcquireUpdate}. */
    public boolean tryAcquireUpdate() {
        boolean acquired = LatchForms.tryAcquire(ACCESS, this, INDEX, Mode.UPDATE);
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key());
        return acquired;
    }

    /** As the form of {@link BufferLatch} with a time-out. */
    public boolean tryAcquireUpdate(long timeoutNanos) {
        assert timeoutNanos <= 0 || HeldLatches.mayWaitFor(site);

        boolean acquired =
                LatchForms.acquireWithin(ACCESS, this, INDEX, Mode.UPDATE, site, timeoutNanos);
        assert !acquired || HeldLatches.acquiredWithoutWaiting(site, key());
        return acquired;
    }

    /** As {@link BufferLatch#releaseUpdate}. */
    public void releaseUpdate() {
        assert HeldLatches.released(site, key());

        release(Release.UPDATE);
    }

    /** As {@link BufferLatch#upgradeToExclusive}. */
    public void upgradeToExclusive() {
        assert HeldLatches.mayUpgrade(site);

        LatchForms.acquire(ACCESS, this, INDEX, Mode.UPGRADE, site);
    }

    /** As the form of {@link BufferLatch} without a version. */
    public boolean tryUpgradeToExclusive() {
        return LatchForms.tryAcquire(ACCESS, this, INDEX, Mode.UPGRADE);
    }

    /** As {@link BufferLatch#downgradeToUpdate}. */
    public void downgradeToUpdate() {
        release(Release.TO_UPDATE);
    }

    /** As {@link BufferLatch#downgradeToShared}. */
    public void downgradeToShared() {
        release(Release.TO_SHARED);
    }

    private void release(Release how) {
        LatchForms.release(ACCESS, this, INDEX, how);
        // Who queued behind the look at the queue in there has seen the state before it changed.
        if (LatchWord.releaseWakes((long) QUEUE.getVolatile(this))) {
            ParkingLot.release(ACCESS, this, INDEX, Release.NONE);
        }
    }

    /** As {@link BufferLatch#awaitNotExclusive}. */
    public void awaitNotExclusive() {
        if (isExclusive()) {
            assert HeldLatches.mayWaitFor(site);

            ParkingLot.acquire(ACCESS, this, INDEX, Mode.NOT_EXCLUSIVE, site, ParkingLot.FOREVER);
        }
    }

    /** Whether readers are counted in stripes at present. */
    boolean isSpread() {
        return LatchWord.isSpread((long) STATE.getAcquire(this));
    }

    /** Whether somebody holds the latch exclusively; for assertions. */
    public boolean isExclusive() {
        return LatchWord.isExclusive((long) STATE.getAcquire(this));
    }

    /** Whether somebody holds the latch for update; for assertions. */
    public boolean isUpdate() {
        return LatchWord.isUpdate((long) STATE.getAcquire(this));
    }

    /** Whether somebody holds the latch shared; for assertions. */
    public boolean isShared() {
        boolean held = LatchWord.sharedHolders((long) STATE.getAcquire(this)) > 0;
        for (int i = 0; stripes != null && !held && i < stripes.stripes(); i++) {
            held = stripes.unitsVolatile(i) > 0;
        }
        return held;
    }

    @Override
    public String toString() {
        long word = (long) STATE.getAcquire(this) | (long) QUEUE.getAcquire(this);
        return site.siteName() + '[' + LatchWord.describe(word) + ']';
    }

    private long key() {
        return HeldLatches.keyOf(this, INDEX);
    }
}
