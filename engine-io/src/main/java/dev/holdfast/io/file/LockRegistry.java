// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.util.List;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;

/** Which directories are locked within this JVM, by whatever class loader. */
final class LockRegistry {
    /*
     * The operating system's lock does not guard a process against itself: POSIX drops it when any
     * descriptor of the file is closed, a second one included. So this registry is asked before
     * the lock file is opened at all.
     *
     * A directory has two keys, its real path and the system's file key, so that neither a symbolic
     * link nor a bind mount makes a second directory of it. Each key is entered twice. The map is
     * the truth for this class loader. The system properties are the one place that all class
     * loaders of a JVM share; a host may replace them as a whole, which is why they are not the
     * only place.
     */

    private static final String PROPERTY_PREFIX = "dev.holdfast.lock.";
    private static final ConcurrentHashMap<String, String> HELD = new ConcurrentHashMap<>();

    private LockRegistry() {}

    /**
     * Enters all keys or none.
     *
     * @return the holder that was given if the keys are now entered, else the one who has one of
     *     them
     */
    static Entry tryEnter(List<String> keys, String holder) {
        Properties shared = System.getProperties();
        for (int i = 0; i < keys.size(); i++) {
            String key = keys.get(i);
            String other = HELD.putIfAbsent(key, holder);
            if (other == null) {
                Object elsewhere = shared.putIfAbsent(PROPERTY_PREFIX + key, holder);
                if (elsewhere == null) {
                    continue;
                }
                HELD.remove(key);
                other = elsewhere.toString();
            }
            leave(keys.subList(0, i));
            return new Entry(false, other);
        }
        return new Entry(true, holder);
    }

    /** Takes out keys that were entered. */
    static void leave(List<String> keys) {
        Properties shared = System.getProperties();
        for (int i = keys.size() - 1; i >= 0; i--) {
            shared.remove(PROPERTY_PREFIX + keys.get(i));
            HELD.remove(keys.get(i));
        }
    }

    /** The outcome of an attempt: whether it succeeded, and who holds the directory now. */
    record Entry(boolean isEntered, String holder) {}
}
