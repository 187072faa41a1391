// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.latch;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Who runs: Holdfast's latches, and what the JDK has instead. In the order of their turns. */
public enum Entrant {
    LATCH(HoldfastLatch.TITLE, HoldfastLatch::new, true),
    LATCH_READ_MOSTLY(HoldfastReadMostly.TITLE, HoldfastReadMostly::new, true),
    LATCH_OPTIMISTIC(HoldfastOptimistic.TITLE, HoldfastOptimistic::new, true),
    LATCH_ARRAY(HoldfastLatchArray.TITLE, HoldfastLatchArray::new, true),
    BUFFER_LATCH(HoldfastBufferLatch.TITLE, HoldfastBufferLatch::new, true),
    READ_WRITE_LOCK(JdkReadWriteLock.TITLE, JdkReadWriteLock::new, false),
    STAMPED_LOCK(JdkStampedLock.TITLE, JdkStampedLock::new, false),
    STAMPED_OPTIMISTIC(JdkStampedOptimistic.TITLE, JdkStampedOptimistic::new, false),
    REENTRANT_LOCK(JdkReentrantLock.TITLE, JdkReentrantLock::new, false),
    SYNCHRONIZED(JdkSynchronized.TITLE, JdkSynchronized::new, false);

    private final String title;
    private final Supplier<Contender> maker;
    private final boolean isOurs;

    Entrant(String title, Supplier<Contender> maker, boolean isOurs) {
        this.title = title;
        this.maker = maker;
        this.isOurs = isOurs;
    }

    public String title() {
        return title;
    }

    /**
     * Makes a new one, as each turn does: where an object lies in memory is then left to chance.
     */
    public Contender make() {
        return maker.get();
    }

    public boolean isOurs() {
        return isOurs;
    }

    /** Whether readers hold nothing. */
    public boolean isOptimistic() {
        return this == LATCH_OPTIMISTIC || this == STAMPED_OPTIMISTIC;
    }

    /** Whether this one is compared with {@code other}: a reader that holds only with such. */
    public boolean isComparedWith(Entrant other) {
        return isOurs && !other.isOurs && (isOptimistic() || !other.isOptimistic());
    }

    /**
     * Who runs where: without readers the optimistic ones are what they are built on, and where a
     * latch's word lies is of interest only while the latch is most of the work.
     */
    public static List<Entrant> of(LatchLoad load, LatchSection section) {
        List<Entrant> all = new ArrayList<>(List.of(values()));
        if (load == LatchLoad.WRITE_ONLY) {
            all.removeIf(Entrant::isOptimistic);
        }
        if (section != LatchSection.SHORT) {
            all.removeIf(entrant -> entrant == LATCH_ARRAY || entrant == BUFFER_LATCH);
        }
        return all;
    }
}
