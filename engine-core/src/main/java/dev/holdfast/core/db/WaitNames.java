// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.core.buffer.FrameLatches;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.sync.ContentionSite;
import dev.holdfast.sync.WaitWatchdog;
import java.util.Optional;

/**
 * Says what a thread waits for in the words of an engine: the page of a frame latch, the tree of a
 * row. A wait in another engine of the JVM is told of as the watchdog tells of any.
 */
final class WaitNames {
    private final FrameLatches frames;

    WaitNames(FrameLatches frames) {
        this.frames = frames;
    }

    /** As {@link WaitWatchdog.Namer}. */
    String nameOf(ContentionSite site, Object storage, long key) {
        if (frames.areIn(storage)) {
            return frames.describe(key);
        }
        if (storage != null || !(site instanceof CoreSites known)) {
            return WaitWatchdog.nameOfStorage(site, storage, key);
        }
        return switch (known) {
            case PAGE_READ -> PageId.describe(key);
            case ROW_LOCK -> "tree=" + Long.toUnsignedString(key);
            case COMMITTING_READER -> "transaction=" + key;
            case LOG_SPACE -> "bytes=" + key;
            case FILE_LENGTH -> "space=" + Long.toUnsignedString(key);
            default -> WaitWatchdog.nameOfStorage(site, null, key);
        };
    }

    /** As {@link WaitWatchdog.Holders}. */
    Optional<Thread> holderOf(ContentionSite site, Object storage, long key) {
        return frames.areIn(storage)
                ? frames.holderOf(site, key)
                : WaitWatchdog.holderAsNoted(site, storage, key);
    }
}
