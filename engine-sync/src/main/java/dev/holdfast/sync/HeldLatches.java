// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the calling thread holds, and the check that it waits only for ranks above.
 *
 * <p>All methods return true or throw, and are called inside {@code assert}, so that production
 * pays nothing: {@code assert HeldLatches.acquired(site, key);}.
 *
 * <p>{@link Latch} and {@link LatchArray} keep this list themselves. For a {@link BufferLatch} the
 * guard that owns the latch does, since only it knows the site of a latch that was got by a try or
 * an upgrade, or passed to another thread; the order is checked there on each acquire all the same.
 *
 * <p>In which mode a latch is held is not kept: an upgrade or a downgrade changes nothing here.
 */
public final class HeldLatches {
    /*
     * The lists of all threads are found through weak references, for who wants to know the holder
     * of a latch. A foreign list is read while its thread changes it: the count is volatile and
     * written after an entry is added, so what is read was there, if perhaps no longer.
     */

    private static final int CAPACITY_AT_FIRST = 16;
    private static final Set<Reference<HeldLatches>> ALL = ConcurrentHashMap.newKeySet();
    private static final ReferenceQueue<HeldLatches> ENDED = new ReferenceQueue<>();
    private static final ThreadLocal<HeldLatches> CURRENT =
            ThreadLocal.withInitial(HeldLatches::registered);

    private ContentionSite[] sites = new ContentionSite[CAPACITY_AT_FIRST];
    private long[] keys = new long[CAPACITY_AT_FIRST];
    private volatile int count;
    private final Thread thread = Thread.currentThread();

    private HeldLatches() {}

    private static HeldLatches registered() {
        Reference<? extends HeldLatches> ended = ENDED.poll();
        while (ended != null) {
            ALL.remove(ended);
            ended = ENDED.poll();
        }
        HeldLatches added = new HeldLatches();
        ALL.add(new WeakReference<>(added, ENDED));
        return added;
    }

    /**
     * Checks the order, and notes the latch as held.
     *
     * @param key what tells this latch from others of its site, such as a page id
     */
    public static boolean acquired(ContentionSite site, long key) {
        mayWaitFor(site);
        return acquiredWithoutWaiting(site, key);
    }

    /** Notes a latch that a try gave: it cannot have waited, so any order is allowed. */
    public static boolean acquiredWithoutWaiting(ContentionSite site, long key) {
        HeldLatches held = CURRENT.get();
        int index = held.indexOf(site, key);
        if (index >= 0) {
            throw new AssertionError("latch is held already: " + held.text(site, key));
        }
        held.push(site, key);
        return true;
    }

    /** Checks that the thread may wait for a latch of this site with what it holds now. */
    public static boolean mayWaitFor(ContentionSite site) {
        HeldLatches held = CURRENT.get();
        for (int i = 0; i < held.count; i++) {
            int rank = held.sites[i].rank();
            if (rank > site.rank() || (rank == site.rank() && !site.allowsSameRank())) {
                throw new AssertionError(
                        "latch order: wanted="
                                + site.siteName()
                                + ", rank="
                                + site.rank()
                                + ", held="
                                + held.list());
            }
        }
        return true;
    }

    /**
     * Checks that the thread may wait for the upgrade of a latch of this site, which it holds, with
     * what else it holds: nothing above it, and beside it only what the site allows.
     */
    public static boolean mayUpgrade(ContentionSite site) {
        HeldLatches held = CURRENT.get();
        int sameRank = 0;
        for (int i = 0; i < held.count; i++) {
            int rank = held.sites[i].rank();
            sameRank += rank == site.rank() ? 1 : 0;
            if (rank > site.rank() || (sameRank > 1 && !site.allowsSameRank())) {
                throw new AssertionError(
                        "latch order: upgrade="
                                + site.siteName()
                                + ", rank="
                                + site.rank()
                                + ", held="
                                + held.list());
            }
        }
        return true;
    }

    /** Forgets a latch that {@link #acquired} noted. */
    public static boolean released(ContentionSite site, long key) {
        HeldLatches held = CURRENT.get();
        int index = held.indexOf(site, key);
        if (index < 0) {
            throw new AssertionError("latch is not held: " + held.text(site, key));
        }
        held.remove(index);
        return true;
    }

    /** Whether the thread holds this latch. */
    public static boolean holds(ContentionSite site, long key) {
        return CURRENT.get().indexOf(site, key) >= 0;
    }

    /**
     * A thread that holds this latch, or held it a moment ago; null if none is known. Nothing is
     * known without assertions. Of several shared holders it is any.
     */
    public static Thread holderOf(ContentionSite site, long key) {
        for (Reference<HeldLatches> reference : ALL) {
            HeldLatches held = reference.get();
            if (held != null && held.indexOf(site, key) >= 0) {
                return held.thread;
            }
        }
        return null;
    }

    /**
     * The key under which {@link Latch} and {@link LatchArray} note the latch that {@link
     * CurrentWait} tells as storage and index; the index itself for other storages.
     */
    static long keyOf(Object storage, long index) {
        if (storage instanceof Latch) {
            return System.identityHashCode(storage);
        }
        return storage instanceof long[]
                ? (long) System.identityHashCode(storage) << Integer.SIZE | index
                : index;
    }

    /** Whether the thread holds no latch; {@link #describe} lists them for the message. */
    public static boolean holdsNone() {
        return CURRENT.get().count == 0;
    }

    /** The latches that the thread holds, in the order in which it got them. */
    public static String describe() {
        return CURRENT.get().list();
    }

    private int indexOf(ContentionSite site, long key) {
        // From the end: most latches are released soon after they were acquired.
        int from = count;
        ContentionSite[] sitesNow = sites;
        long[] keysNow = keys;
        for (int i = Math.min(from, keysNow.length) - 1; i >= 0; i--) {
            // Site first: it may be gone from a foreign list, or the arrays be of two lengths.
            if (i < sitesNow.length && site.equals(sitesNow[i]) && keysNow[i] == key) {
                return i;
            }
        }
        return -1;
    }

    private void push(ContentionSite site, long key) {
        if (count == keys.length) {
            sites = Arrays.copyOf(sites, 2 * count);
            keys = Arrays.copyOf(keys, 2 * count);
        }
        int index = count;
        sites[index] = site;
        keys[index] = key;
        count = index + 1;
    }

    private void remove(int index) {
        int last = count - 1;
        System.arraycopy(sites, index + 1, sites, index, last - index);
        System.arraycopy(keys, index + 1, keys, index, last - index);
        count = last;
        sites[last] = null;
    }

    private String text(ContentionSite site, long key) {
        return "site=" + site.siteName() + ", key=0x" + Long.toHexString(key) + ", held=" + list();
    }

    private String list() {
        StringBuilder text = new StringBuilder("[");
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? "" : ", ")
                    .append(sites[i].siteName())
                    .append('(')
                    .append(sites[i].rank())
                    .append(") 0x")
                    .append(Long.toHexString(keys[i]));
        }
        return text.append(']').toString();
    }
}
