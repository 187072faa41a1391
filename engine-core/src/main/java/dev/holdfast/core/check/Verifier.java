// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.check;

import dev.holdfast.CorruptionException;
import dev.holdfast.VerifyReport;
import dev.holdfast.core.btree.BTree;
import dev.holdfast.core.btree.OverflowChains;
import dev.holdfast.core.btree.TreeCheck;
import dev.holdfast.core.catalog.Catalog;
import dev.holdfast.core.catalog.CatalogCheck;
import dev.holdfast.core.catalog.TableDescriptor;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageSeal;
import dev.holdfast.core.redo.RedoLog;
import dev.holdfast.core.space.AllocationMap;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.space.SpaceCheck;
import dev.holdfast.core.space.Spaces;
import dev.holdfast.core.undo.UndoCheck;
import dev.holdfast.core.undo.UndoSystem;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.checksum.ChecksumKinds;
import dev.holdfast.io.memory.PageMemory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Verifies a whole store: every page's checksum on disk, every tree, every undo chain, and that
 * each page belongs to exactly one of them and to the one that the allocation map names. One at a
 * time.
 */
public final class Verifier {
    /*
     * The log grants no room while it runs, so no mini-transaction is under way and nothing changes;
     * the catalog's lock is taken before that, so that no table is half created, its pages there
     * and its name not. A sharp checkpoint makes the files say what the pool says. Memory: a bit a
     * page, a page a tree level, and the findings.
     *
     * Who may own a page: the system, the undo segments, a tree by its downlinks and by the overflow
     * pointers of its rows, an undo record by the pointer in its before-image, a chain that is being
     * written or is condemned. A table that is being dropped owns what the maps say.
     *
     *   V1  a page is met once
     *   V2  a page that the map calls used is met, one that it calls free is not
     *   V3  the owner in the map is who it was met with
     *   V4  a page that is used reads whole from its file, and its LSN is of this log
     *   C1  rows of the catalog, tables in memory and spaces agree (CatalogCheck)
     */
    private static final int ALIGNMENT = 4096;

    private final Spaces spaces;
    private final Catalog catalog;
    private final UndoSystem undo;
    private final RedoLog log;
    private final EngineHealth health;
    private final Runnable sharpCheckpoint;
    private final ReentrantLock oneAtATime = new ReentrantLock();
    private FindingList findings;
    private PageLedger ledger;
    private long pages;
    private long rows;

    /**
     * A verifier of an engine that is open.
     *
     * @param sharpCheckpoint writes every dirty page and syncs the files
     */
    public Verifier(
            Spaces spaces,
            Catalog catalog,
            UndoSystem undo,
            RedoLog log,
            EngineHealth health,
            Runnable sharpCheckpoint) {
        this.spaces = spaces;
        this.catalog = catalog;
        this.undo = undo;
        this.log = log;
        this.health = health;
        this.sharpCheckpoint = sharpCheckpoint;
    }

    /**
     * Verifies everything.
     *
     * <p><b>Latches:</b> none held; no mini-transaction of the caller is active.
     *
     * @throws IOException if a file cannot be read at all
     */
    public VerifyReport run() throws IOException {
        oneAtATime.lock();
        try {
            catalog.pauseChanges();
            try {
                return runWithoutWriters();
            } finally {
                catalog.resumeChanges();
            }
        } finally {
            oneAtATime.unlock();
        }
    }

    private VerifyReport runWithoutWriters() throws IOException {
        log.space().pause();
        try {
            sharpCheckpoint.run();
            return verify();
        } finally {
            log.space().resume();
        }
    }

    private VerifyReport verify() throws IOException {
        findings = new FindingList();
        ledger = new PageLedger();
        pages = 0;
        rows = 0;
        Set<Integer> dropping = new HashSet<>();
        Set<Integer> trees = new HashSet<>();
        trees.add(catalog.tree().treeId());
        check(catalog.tree());
        rows = 0;
        long tables = 0;
        Map<Integer, Integer> spaceOfTree = new HashMap<>();
        for (TableDescriptor table : catalog.all()) {
            trees.add(table.treeId());
            spaceOfTree.put(table.treeId(), table.space().spaceId());
            if (table.isDropping()) {
                dropping.add(table.treeId());
            } else {
                check(table.tree());
                tables++;
            }
        }
        // A drop that is being finished is not listed any more, and may have to wait for this.
        for (TableDescriptor table : catalog.dropping()) {
            trees.add(table.treeId());
            dropping.add(table.treeId());
        }
        new CatalogCheck(catalog)
                .check(
                        line ->
                                findings.add(
                                        "catalog", "C1 rows, memory and spaces agree", "", line));
        checkUndo(spaceOfTree, dropping);
        for (Space space : spaces.all()) {
            new SpaceCheck(space)
                    .check(line -> findings.add(space.toString(), "S1 allocation map", "", line));
            checkOwners(space, trees, dropping);
            checkFile(space);
        }
        return new VerifyReport(pages, tables, rows, findings.findings(), findings.omitted());
    }

    private void check(BTree tree) {
        TreeCheck check =
                new TreeCheck(
                        tree,
                        findings::add,
                        pageId -> {
                            if (!ledger.meet(pageId)) {
                                twice(pageId, "tree=" + tree.treeId());
                            }
                        });
        check.run();
        rows += check.records();
    }

    private void twice(long pageId, String by) {
        findings.add(pageId, "V1", "a page is met once", "nobody else's", by);
    }

    private void checkUndo(Map<Integer, Integer> spaceOfTree, Set<Integer> dropping) {
        List<long[]> uncertain = new ArrayList<>();
        OverflowChains chains = new OverflowChains(spaces.pool(), findings::add);
        UndoCheck.Visitor visitor =
                new UndoCheck.Visitor() {
                    @Override
                    public boolean page(long pageId) {
                        boolean fresh = ledger.meet(pageId);
                        if (!fresh) {
                            twice(pageId, "undo");
                        }
                        return fresh;
                    }

                    @Override
                    public void chain(int treeId, int headPage, boolean certain) {
                        Integer spaceId = spaceOfTree.get(treeId);
                        if (spaceId == null || dropping.contains(treeId)) {
                            return;
                        }
                        long head = PageId.of(spaceId, headPage);
                        if (certain) {
                            chains.visit(head, treeId, pageId -> meetOnce(pageId, treeId));
                        } else {
                            uncertain.add(new long[] {head, treeId});
                        }
                    }

                    @Override
                    public void finding(
                            long pageId,
                            String invariant,
                            String what,
                            String expected,
                            String found) {
                        findings.add(pageId, invariant, what, expected, found);
                    }
                };
        new UndoCheck(undo, visitor).run(log.appendLsn());
        // A chain that an active transaction wrote may be a row's by now, or an older version's.
        for (long[] chain : uncertain) {
            chains.visit(chain[0], (int) chain[1], ledger::meet);
        }
        for (Space space : spaces.all()) {
            new SpaceCheck(space)
                    .visitEntries(
                            (page, state, owner) ->
                                    condemned(chains, space, page, state, owner, dropping));
        }
    }

    private void condemned(
            OverflowChains chains,
            Space space,
            int page,
            int state,
            int owner,
            Set<Integer> dropping) {
        if (state == AllocationMap.CONDEMNED_CHAIN && !dropping.contains(owner)) {
            long head = PageId.of(space.spaceId(), page);
            chains.visit(head, owner, pageId -> meetOnce(pageId, owner));
        }
    }

    private boolean meetOnce(long pageId, int treeId) {
        boolean fresh = ledger.meet(pageId);
        if (!fresh) {
            twice(pageId, "overflow chain of tree=" + treeId);
        }
        return fresh;
    }

    private void checkOwners(Space space, Set<Integer> trees, Set<Integer> dropping) {
        int spaceId = space.spaceId();
        int pageBytes = spaces.pool().pageBytes();
        new SpaceCheck(space)
                .visitEntries(
                        (page, state, owner) -> {
                            if (AllocationMap.isSystemPage(page, pageBytes)) {
                                return;
                            }
                            long pageId = PageId.of(spaceId, page);
                            boolean isMet = ledger.isMet(spaceId, page);
                            boolean mayBeUnmet =
                                    state == AllocationMap.FREE
                                            || state == AllocationMap.CONDEMNED
                                            || dropping.contains(owner);
                            boolean mayBeMet =
                                    state == AllocationMap.USED
                                            || state == AllocationMap.CONDEMNED_CHAIN;
                            if (isMet ? !mayBeMet : !mayBeUnmet) {
                                findings.add(
                                        pageId,
                                        "V2",
                                        "used pages are met, free ones are not",
                                        "state=" + state + ", owner=" + owner,
                                        isMet ? "met" : "not met");
                            }
                            if (isMet) {
                                checkOwner(pageId, owner, trees);
                            }
                        });
    }

    private void checkOwner(long pageId, int owner, Set<Integer> trees) {
        int frame;
        try {
            frame = spaces.pool().fixShared(pageId);
        } catch (CorruptionException alreadyFound) {
            // Its tree or its file check says so.
            return;
        }
        int treeId =
                PageMemory.getInt(
                        spaces.pool().chunk(frame),
                        spaces.pool().offset(frame) + PageHeader.TREE_ID_OFFSET);
        spaces.pool().unfixShared(frame);
        boolean agrees =
                owner == AllocationMap.UNDO_OWNER
                        ? treeId == 0
                        : owner == treeId && trees.contains(treeId);
        if (!agrees) {
            findings.add(
                    pageId,
                    "V3",
                    "the map's owner is the page's tree",
                    "owner=" + Integer.toUnsignedString(owner),
                    "tree=" + Integer.toUnsignedString(treeId));
        }
    }

    private void checkFile(Space space) throws IOException {
        int pageBytes = spaces.pool().pageBytes();
        ByteBuffer image =
                ByteBuffer.allocateDirect(pageBytes + ALIGNMENT)
                        .alignedSlice(ALIGNMENT)
                        .limit(pageBytes);
        int kinds = spaces.files().allowedKinds(space.spaceId());
        long appendLsn = log.appendLsn();
        List<IOException> failures = new ArrayList<>();
        new SpaceCheck(space)
                .visitEntries(
                        (page, state, owner) -> {
                            if (state == AllocationMap.USED && failures.isEmpty()) {
                                try {
                                    checkPage(
                                            PageId.of(space.spaceId(), page),
                                            image,
                                            kinds,
                                            appendLsn);
                                } catch (IOException e) {
                                    failures.add(e);
                                }
                            }
                        });
        if (!failures.isEmpty()) {
            findings.add(
                    space.toString(), "V4 the file can be read", "", failures.get(0).toString());
        }
    }

    private void checkPage(long pageId, ByteBuffer image, int kinds, long appendLsn)
            throws IOException {
        // A close does not wait for the rest of a large store: it makes the engine fail.
        health.check();
        int pageBytes = spaces.pool().pageBytes();
        spaces.files().read(pageId, image.clear().limit(pageBytes));
        pages++;
        ChecksumKinds known = spaces.files().checksums();
        PageHeader.Fault fault = PageSeal.verify(image, 0, pageBytes, pageId, kinds, known);
        if (fault != PageHeader.Fault.NONE) {
            findings.add(pageId, "V4", "a used page is whole on disk", "NONE", fault.name());
            return;
        }
        long lsn = PageHeader.pageLsn(image, 0);
        if (lsn > appendLsn) {
            findings.add(
                    pageId,
                    "V4",
                    "a page's LSN is of this log",
                    "at most " + appendLsn,
                    "pageLsn=" + lsn);
        }
    }
}
