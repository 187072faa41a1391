// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.util.Arrays;

/**
 * What the calling thread holds, and the check that it waits only for ranks above.
 *
 * <p>All methods return true or throw, and are called inside {@code assert}, so that production
 * pays nothing: {@code assert HeldLatches.acquired(site, key);}.
 *
 * <p>{@link Latch} and {@link LatchArray} keep this list themselves. For a {@link BufferLatch} the
 * guard that owns the latch does, since only it knows the site of a latch that was got by a try or
 * an upgrade, or passed to another thread; the order is checked there on each acquire all the same.
 */
public final class HeldLatches {
    private static final int CAPACITY_AT_FIRST = 16;
    private static final ThreadLocal<HeldLatches> CURRENT =
            ThreadLocal.withInitial(HeldLatches::new);

    private ContentionSite[] sites = new ContentionSite[CAPACITY_AT_FIRST];
    private long[] keys = new long[CAPACITY_AT_FIRST];
    private int count;

    private HeldLatches() {}

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
        for (int i = count - 1; i >= 0; i--) {
            if (keys[i] == key && sites[i].equals(site)) {
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
        sites[count] = site;
        keys[count] = key;
        count++;
    }

    private void remove(int index) {
        System.arraycopy(sites, index + 1, sites, index, count - index - 1);
        System.arraycopy(keys, index + 1, keys, index, count - index - 1);
        count--;
        sites[count] = null;
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
