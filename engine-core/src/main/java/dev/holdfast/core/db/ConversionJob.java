// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.ChecksumConversion;
import dev.holdfast.CorruptionException;
import dev.holdfast.Finding;
import dev.holdfast.core.catalog.Catalog;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.space.SpaceConversion;
import dev.holdfast.core.space.Spaces;
import dev.holdfast.io.checksum.PageChecksum;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One conversion of checksums, in short steps; see {@link SpaceConversion} for their order. */
final class ConversionJob {
    /*
     *   FIND -> BEGIN -> REACH_DISK -> SWITCH -> PAGES -> REACH_DISK_AGAIN -> FINISH -> ENDED
     *
     * All files go through a phase together, so that two checkpoints do for all of them, and what
     * the job is to do is in the files as soon as it has begun. A table that is created after FIND
     * has the new kind from its first page: files are listed, and the kind of new ones is set, while
     * the catalog's lock keeps creations away.
     */
    private static final Logger LOG = LoggerFactory.getLogger(ConversionJob.class);
    private static final int ROUND_PAGES = 16;
    private static final String PENDING = "PENDING";

    /** What a step returns if it wants to go on at once, without a pause. */
    private static final int AT_ONCE = -1;

    private enum Phase {
        FIND,
        BEGIN,
        REACH_DISK,
        SWITCH,
        PAGES,
        REACH_DISK_AGAIN,
        FINISH,
        ENDED
    }

    private final StorageLayer storage;
    private final Catalog catalog;

    /** Null if files are to get what their headers say. */
    private final PageChecksum kind;

    private final CountDownLatch ended = new CountDownLatch(1);
    private final List<Finding> damaged = new ArrayList<>();

    /** Guarded by the list, as it is. */
    private long damagedOmitted;

    /** Written by the agent alone; read by who wants to know how far it is. */
    private volatile List<SpaceConversion> files = List.of();

    private Phase phase = Phase.FIND;
    private int next;
    private long targetLsn;

    private final Logger log;

    ConversionJob(StorageLayer storage, Catalog catalog, PageChecksum kind) {
        this(storage, catalog, kind, LOG);
    }

    /** The same, with another log. */
    ConversionJob(StorageLayer storage, Catalog catalog, PageChecksum kind, Logger log) {
        this.log = log;
        this.storage = storage;
        this.catalog = catalog;
        this.kind = kind;
    }

    boolean hasEnded() {
        return ended.getCount() == 0;
    }

    boolean awaitEnd(long millis) throws InterruptedException {
        return ended.await(millis, TimeUnit.MILLISECONDS);
    }

    /** Does a step; returns how many pages it has changed or written, or -1 to go on at once. */
    int step() {
        switch (phase) {
            case FIND -> {
                files = kind == null ? findPending() : findAll();
                go(files.isEmpty() ? Phase.ENDED : Phase.BEGIN);
            }
            case BEGIN -> forEach(SpaceConversion::begin, Phase.REACH_DISK);
            case REACH_DISK -> {
                return approach(Phase.SWITCH);
            }
            case SWITCH -> forEach(SpaceConversion::switchOver, Phase.PAGES);
            case PAGES -> {
                return convert();
            }
            case REACH_DISK_AGAIN -> {
                return approach(Phase.FINISH);
            }
            case FINISH -> forEach(SpaceConversion::finish, Phase.ENDED);
            case ENDED -> end();
        }
        return hasEnded() ? 0 : AT_ONCE;
    }

    private void go(Phase to) {
        phase = to;
        next = 0;
        // Not the closed LSN: a group of somebody else may be open below those of the last phase.
        targetLsn = storage.log().appendLsn();
    }

    private void forEach(Consumer<SpaceConversion> work, Phase after) {
        if (next < files.size()) {
            work.accept(files.get(next));
            next++;
        } else {
            go(after);
        }
    }

    private int approach(Phase after) {
        boolean underWay = false;
        for (SpaceConversion file : files) {
            underWay |= file.isUnderWay();
        }
        int written = underWay ? storage.checkpointer().approach(targetLsn) : AT_ONCE;
        if (written == AT_ONCE) {
            go(after);
        }
        return written;
    }

    private int convert() {
        if (next == files.size()) {
            go(Phase.REACH_DISK_AGAIN);
            return AT_ONCE;
        }
        int changed = files.get(next).convert(ROUND_PAGES);
        if (changed == AT_ONCE) {
            next++;
        }
        return changed;
    }

    private void end() {
        if (!files.isEmpty()) {
            storage.log().makeDurable(targetLsn);
            String result = progress().toText().trim();
            storage.health().say(() -> log.info("conversion of checksums has ended: {}", result));
        }
        ended.countDown();
    }

    private List<SpaceConversion> findAll() {
        List<SpaceConversion> found = new ArrayList<>();
        catalog.pauseChanges();
        try {
            storage.spaces().files().newSpacesChecksum(kind);
            for (Space space : spaces()) {
                found.add(conversion(space, kind));
            }
        } finally {
            catalog.resumeChanges();
        }
        return found;
    }

    private List<SpaceConversion> findPending() {
        List<SpaceConversion> found = new ArrayList<>();
        for (Space space : spaces()) {
            PageChecksum pending = SpaceConversion.pending(storage.spaces(), space);
            if (pending != null) {
                found.add(conversion(space, pending));
            }
        }
        return found;
    }

    private List<Space> spaces() {
        Spaces spaces = storage.spaces();
        List<Space> all = spaces.all();
        all.sort(Comparator.comparingInt(Space::spaceId));
        return all;
    }

    private SpaceConversion conversion(Space space, PageChecksum to) {
        return new SpaceConversion(space, storage.log(), storage.newMtr(), to, this::damaged);
    }

    private void damaged(long pageId, RuntimeException failure) {
        boolean isKept;
        synchronized (damaged) {
            isKept = damaged.size() < ChecksumConversion.DAMAGED_MAX;
            if (isKept) {
                damaged.add(
                        new Finding(
                                PageId.describe(pageId),
                                "V4 a used page is whole on disk",
                                "a page that can be read",
                                String.valueOf(failure.getMessage())));
            } else {
                damagedOmitted++;
            }
        }
        if (failure instanceof CorruptionException corruption) {
            storage.health().damaged(corruption, "conversion of checksums");
        } else if (isKept) {
            String page = PageId.describe(pageId);
            storage.health().say(() -> log.warn("page is not converted: {}", page, failure));
        }
    }

    /** How far it is. */
    ChecksumConversion progress() {
        List<SpaceConversion> all = files;
        int filesDone = 0;
        long pagesDone = 0;
        long pages = 0;
        for (SpaceConversion file : all) {
            filesDone += file.isDone() ? 1 : 0;
            pages += file.space().pageCount();
            pagesDone += file.pagesDone();
        }
        String name = kind != null ? kind.name() : all.isEmpty() ? "" : PENDING;
        synchronized (damaged) {
            return new ChecksumConversion(
                    name,
                    !hasEnded(),
                    filesDone,
                    all.size(),
                    pagesDone,
                    pages,
                    damaged,
                    damagedOmitted);
        }
    }
}
