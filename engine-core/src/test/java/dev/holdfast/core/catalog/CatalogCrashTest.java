// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.TableOptions;
import dev.holdfast.core.btree.BTree;
import dev.holdfast.core.btree.OverflowOwner;
import dev.holdfast.core.btree.OverflowStore;
import dev.holdfast.core.btree.RecordRoom;
import dev.holdfast.core.btree.SettledVersions;
import dev.holdfast.core.btree.TreeCheck;
import dev.holdfast.core.btree.WritePosition;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.space.AllocationMap;
import dev.holdfast.core.space.CondemnedPages;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.space.SpaceCheck;
import dev.holdfast.core.space.StoreFiles;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.sim.CrashHarness;
import dev.holdfast.io.sim.CrashImage;
import dev.holdfast.io.sim.CrashReport;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * If this failed, a crash during the growth of a file or a change of the catalog could lose a
 * table, bring one back, or leave pages and files that nobody owns.
 */
@ExtendWith(SeedExtension.class)
final class CatalogCrashTest {
    private static final int ROUNDS_MAX = 200_000;

    /** Name → whether it has its own space, before and after a step that may be under way. */
    private record Tables(Map<String, Boolean> before, Map<String, Boolean> after) {}

    @Test
    void givenTablesThatComeAndGo_whenCrashedEverywhere_thenEachStepIsWholeOrAbsent(
            SeededRandom random) throws Exception {
        SimulatedDisk disk = SimulatedDisk.create();
        work(disk, random, 45);

        CrashReport report =
                new CrashHarness("catalog", disk.trace(), random.seed())
                        .images(SeedExtension.everydayOrSoak(400, 10_000))
                        .nested(2, 0.1, 0.3, 4)
                        .shrinkTries(20)
                        .run(CatalogCrashTest::recoverAndCheck);

        assertThat(report.lossyImages()).as(report.toText()).isPositive();
        assertThat(report.recoveryPaths().keySet())
                .as(report.toText())
                .anyMatch(path -> path.contains("dropResumed"))
                .anyMatch(path -> path.contains("condemned"))
                .anyMatch(path -> path.contains("fileDeleted"));
    }

    private static void work(SimulatedDisk disk, SeededRandom random, int steps)
            throws IOException {
        try (CrashStore store = new CrashStore(disk.directory())) {
            Map<String, Boolean> tables = new TreeMap<>();
            disk.mark(new Tables(tables, tables));
            int next = 0;
            for (int i = 0; i < steps; i++) {
                String name = pick(tables, random);
                Map<String, Boolean> after = new TreeMap<>(tables);
                int what = name.isEmpty() ? 0 : random.nextInt(7);
                if (what < 3) {
                    String created = "t" + next++;
                    boolean own = random.oneIn(3);
                    after.put(created, own);
                    disk.mark(new Tables(tables, after));
                    TableDescriptor table =
                            store.catalog.openOrCreate(
                                    created, own ? TableOptions.ownSpace() : TableOptions.shared());
                    fill(store, table, random);
                } else if (what < 6) {
                    after.remove(name);
                    disk.mark(new Tables(tables, after));
                    TableDescriptor table = store.catalog.drop(name);
                    disk.mark(new Tables(after, after));
                    if (random.chance(0.7)) {
                        assertThat(store.drops.tryFinish(table)).isTrue();
                    }
                } else {
                    String renamed = "r" + next++;
                    after.put(renamed, after.remove(name));
                    disk.mark(new Tables(tables, after));
                    store.catalog.rename(name, renamed);
                }
                tables = after;
                disk.mark(new Tables(tables, tables));
                if (random.oneIn(4)) {
                    store.checkpointer.checkpoint(random.nextBoolean());
                }
                if (random.oneIn(5)) {
                    runCondemned(store);
                }
            }
            assertThat(store.counters.sum(Counter.SPACE_PAGES_GROWN)).isPositive();
            assertThat(store.counters.sum(Counter.LEAF_SPLITS)).isPositive();
        }
    }

    private static String pick(Map<String, Boolean> tables, SeededRandom random) {
        List<String> names = new ArrayList<>(tables.keySet());
        return names.isEmpty() ? "" : random.pick(names);
    }

    /** Rows that split leaves, and a long value that is condemned at once. */
    private static void fill(CrashStore store, TableDescriptor table, SeededRandom random) {
        MiniTransaction mtr = store.newMtr();
        WritePosition position = new WritePosition(store.pool);
        for (int i = random.nextInt(60); i > 0; i--) {
            byte[] key = ByteBuffer.allocate(4).putInt(random.nextInt(1 << 20)).array();
            insert(table.tree(), mtr, position, key, random.bytes(400));
        }
        if (random.nextBoolean()) {
            OverflowStore values = new OverflowStore(store.pool, store.counters);
            byte[] value = random.bytes(random.between(5_000, 60_000));
            Space space = table.space();
            int head =
                    values.write(
                            mtr,
                            space,
                            table.treeId(),
                            value,
                            0,
                            value.length,
                            false,
                            new Nobody());
            long headId = PageId.of(space.spaceId(), head);
            mtr.begin(200, 1, true);
            try {
                assertThat(space.fixMap(mtr, headId)).isTrue();
                space.condemn(mtr, headId, true);
                mtr.commit();
            } catch (Throwable failure) {
                throw mtr.failed(failure);
            }
        }
    }

    private static void insert(
            BTree tree, MiniTransaction mtr, WritePosition position, byte[] key, byte[] value) {
        while (true) {
            mtr.begin(BTree.redoBytesMax(key.length, value.length), 0, false);
            try {
                boolean found = tree.fixLeafForWrite(mtr, key, key.length, position);
                if (!found && tree.hasRoom(position, 0, key.length, value.length)) {
                    tree.insert(mtr, position, 0, 0, 0, key, key.length, value, 0, value.length);
                    mtr.commit();
                    return;
                }
                mtr.abandon();
                if (found) {
                    return;
                }
            } catch (Throwable failure) {
                throw mtr.failed(failure);
            }
            tree.makeRoom(
                    mtr,
                    position,
                    key,
                    key.length,
                    new RecordRoom(0, value.length),
                    SettledVersions.NONE,
                    false);
        }
    }

    private static String recoverAndCheck(CrashImage image) throws Exception {
        List<Object> marks = image.marks();
        int filesBefore = ownFiles(image);
        try (CrashStore store = new CrashStore(image.disk().directory())) {
            Map<String, Boolean> found = new TreeMap<>();
            for (TableDescriptor table : store.catalog.list()) {
                found.put(table.name(), table.isOwnSpace());
            }
            if (marks.isEmpty()) {
                assertThat(found).isEmpty();
            } else {
                Tables tables = (Tables) marks.get(marks.size() - 1);
                assertThat(found).isIn(tables.before(), tables.after());
            }
            int dropping = store.catalog.dropping().size();
            boolean fileDeleted = store.files.spaceIds().length < 3 + filesBefore;
            boolean condemned = runCondemned(store);
            store.drops.run();
            assertThat(store.catalog.dropping()).isEmpty();
            checkAll(store);
            return (dropping > 0 ? "dropResumed " : "")
                    + (condemned ? "condemned " : "")
                    + (fileDeleted ? "fileDeleted" : "");
        }
    }

    private static int ownFiles(CrashImage image) throws IOException {
        int files = 0;
        for (String name : image.disk().directory().list("")) {
            files += StoreFiles.spaceOf(name) >= StoreFiles.OWN_SPACE_MIN ? 1 : 0;
        }
        return files;
    }

    /** Returns whether there was a condemned page. */
    private static boolean runCondemned(CrashStore store) {
        long before = store.counters.sum(Counter.SPACE_PAGES_FREED);
        boolean hasWork = true;
        for (int rounds = 0; hasWork; rounds++) {
            assertThat(rounds).as("rounds of the agent").isLessThan(ROUNDS_MAX);
            store.condemned.run();
            hasWork = false;
            for (Space space : store.spaces.all()) {
                // The growth agent may have the space at the moment; then once more.
                hasWork |= CondemnedPages.hasWork(space);
            }
        }
        return store.counters.sum(Counter.SPACE_PAGES_FREED) > before;
    }

    /** Trees are sound, and each page that is owned belongs to a tree that there is. */
    private static void checkAll(CrashStore store) throws IOException {
        List<String> findings = new ArrayList<>();
        new CatalogCheck(store.catalog).check(findings::add);
        Set<Integer> owners = new HashSet<>();
        owners.add(AllocationMap.SYSTEM_OWNER);
        owners.add(IdHighWaters.CATALOG_TREE);
        Set<Long> reached = new HashSet<>();
        walk(store.catalog.tree(), findings, reached);
        for (TableDescriptor table : store.catalog.list()) {
            owners.add(table.treeId());
            walk(table.tree(), findings, reached);
        }
        for (Space space : store.spaces.all()) {
            new SpaceCheck(space).check(findings::add);
            new SpaceCheck(space)
                    .visitEntries(
                            (page, state, owner) -> {
                                if (state != AllocationMap.FREE && !owners.contains(owner)) {
                                    findings.add("page of nobody: page=" + page + ", " + owner);
                                }
                            });
        }
        for (long pageId : reached) {
            Space space = store.spaces.get(PageId.spaceId(pageId));
            if (space.ownerOf(PageId.pageNumber(pageId)) < IdHighWaters.CATALOG_TREE) {
                findings.add("page of a tree is free: " + PageId.describe(pageId));
            }
        }
        assertThat(findings).isEmpty();
    }

    private static void walk(BTree tree, List<String> findings, Set<Long> reached) {
        new TreeCheck(
                        tree,
                        (pageId, invariant, what, expected, found) ->
                                findings.add(PageId.describe(pageId) + ": " + what + " " + found),
                        pageId -> {
                            if (!reached.add(pageId)) {
                                findings.add("page twice: " + PageId.describe(pageId));
                            }
                        })
                .run();
    }

    /** No undo record owns the chain: it is condemned in the next group. */
    private static final class Nobody implements OverflowOwner {
        @Override
        public int redoBytesMax() {
            return 0;
        }

        @Override
        public void latch(MiniTransaction m) {}

        @Override
        public void own(MiniTransaction m, int headPageNumber, int totalLength) {}
    }
}
