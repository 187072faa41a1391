// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.DiskFullException;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.NoSuchTableException;
import dev.holdfast.OptionMismatchException;
import dev.holdfast.TableExistsException;
import dev.holdfast.TableOptions;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.space.CondemnedPages;
import dev.holdfast.core.space.OwnedPages;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.space.SpaceCheck;
import dev.holdfast.core.space.SpaceFixture;
import dev.holdfast.io.sim.SimulatedDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** If this fails, tables are lost, doubled, or leave pages and files behind. */
final class CatalogTest {
    private static final int PAGE_BYTES = 4096;
    private static final int MAIN = 1;
    private static final TableOptions SHARED = TableOptions.shared();
    private static final TableOptions OWN = TableOptions.ownSpace();
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final SimulatedDisk disk = SimulatedDisk.create();
    private final List<String> heard = new ArrayList<>();
    private final List<Integer> usedTrees = new ArrayList<>();
    private final IdHighWaters ids = new IdHighWaters(0, 0);
    private SpaceFixture fixture;
    private Catalog catalog;
    private TableDrops drops;

    @BeforeEach
    void createStore() throws Exception {
        fixture = new SpaceFixture(PAGE_BYTES, disk.directory(), 256, (space, head) -> {});
        fixture.start(false);
        fixture.create(MAIN);
        Catalog.create(fixture.spaces, fixture.under.context);
        load();
    }

    @AfterEach
    void checkAndClose() throws Exception {
        List<String> findings = new ArrayList<>();
        new CatalogCheck(catalog).check(findings::add);
        for (Space space : fixture.spaces.all()) {
            new SpaceCheck(space).check(findings::add);
        }
        fixture.close();
        assertThat(findings).isEmpty();
        assertThat(disk.openFiles()).isEmpty();
    }

    @Test
    void givenANewStore_whenTablesAreCreated_thenTheyAreFoundAlsoAfterALoad() throws Exception {
        TableDescriptor accounts = catalog.openOrCreate("accounts", SHARED);
        TableDescriptor blobs = catalog.openOrCreate("blobs", OWN);

        load();

        assertThat(catalog.list())
                .extracting(TableDescriptor::name)
                .containsExactly("accounts", "blobs");
        TableDescriptor found = catalog.find("blobs").orElseThrow();
        assertThat(found.treeId()).isEqualTo(blobs.treeId());
        assertThat(found.isOwnSpace()).isTrue();
        assertThat(found.tree().rootPageId()).isEqualTo(blobs.tree().rootPageId());
        assertThat(catalog.byTreeId(accounts.treeId())).isPresent();
        assertThat(catalog.find("nobody")).isEmpty();
        assertThat(accounts.treeId()).isEqualTo(IdHighWaters.USER_TREE_MIN);
        assertThat(disk.directory().exists("space-16.hfs")).isTrue();
    }

    @Test
    void givenATable_whenOpenedAgain_thenItIsTheSameOrTheOptionIsNamed() {
        TableDescriptor first = catalog.openOrCreate("t", SHARED);

        assertThat(catalog.openOrCreate("t", SHARED)).isSameAs(first);

        assertThatThrownBy(() -> catalog.openOrCreate("t", OWN))
                .isInstanceOf(OptionMismatchException.class)
                .hasMessageContaining("ownSpace");
        assertThat(heard).containsExactly("created t");
    }

    @Test
    void givenBadNames_whenCreated_thenTheyAreRefused() {
        assertThatThrownBy(() -> catalog.openOrCreate("", SHARED))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> catalog.openOrCreate("ä".repeat(128), SHARED))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("256");

        assertThat(catalog.openOrCreate("x".repeat(255), SHARED).name()).hasSize(255);
    }

    @Test
    void givenATable_whenRenamed_thenOnlyTheNewNameFindsIt() throws Exception {
        TableDescriptor table = catalog.openOrCreate("old", SHARED);
        catalog.openOrCreate("other", SHARED);

        catalog.rename("old", "a much longer name than it had before");
        assertThatThrownBy(() -> catalog.rename("other", "a much longer name than it had before"))
                .isInstanceOf(TableExistsException.class);
        assertThatThrownBy(() -> catalog.rename("old", "older"))
                .isInstanceOf(NoSuchTableException.class);

        assertThat(table.name()).startsWith("a much");
        assertThat(catalog.find("old")).isEmpty();
        load();
        assertThat(catalog.find("a much longer name than it had before").orElseThrow().treeId())
                .isEqualTo(table.treeId());
    }

    @Test
    void givenATableInTheMainSpace_whenDropped_thenItsPagesAreFreeAndTheNameToo() throws Exception {
        catalog.openOrCreate("before", SHARED);
        Space main = fixture.spaces.get(MAIN);
        long known = main.freePagesKnown();
        TableDescriptor table = catalog.openOrCreate("t", SHARED);

        TableDescriptor dropped = catalog.drop("t");
        assertThat(dropped).isSameAs(table);
        assertThat(table.isDropping()).isTrue();
        assertThat(catalog.byTreeId(table.treeId())).as("rollback needs it").isPresent();
        TableDescriptor again = catalog.openOrCreate("t", SHARED);
        assertThat(drops.tryFinish(table)).isTrue();

        assertThat(again.treeId()).isEqualTo(table.treeId() + 1);
        assertThat(catalog.byTreeId(table.treeId())).isEmpty();
        assertThat(main.freePagesKnown()).isEqualTo(known - 1);
        assertThat(heard)
                .containsExactly(
                        "created before", "created t", "dropping t", "created t", "removed t");
        assertThatThrownBy(() -> catalog.drop("nobody")).isInstanceOf(NoSuchTableException.class);
        load();
        assertThat(catalog.find("t").orElseThrow().treeId()).isEqualTo(again.treeId());
    }

    @Test
    void givenATableWithItsOwnSpace_whenDropped_thenItsFileIsGone() throws Exception {
        TableDescriptor table = catalog.openOrCreate("t", OWN);

        catalog.drop("t");
        assertThat(disk.directory().exists("space-16.hfs")).isTrue();
        assertThat(drops.tryFinish(table)).isTrue();

        assertThat(disk.directory().exists("space-16.hfs")).isFalse();
        TableDescriptor next = catalog.openOrCreate("t", OWN);
        assertThat(next.space().spaceId()).as("ids are not used twice").isEqualTo(17);
        assertThat(catalog.dropping()).isEmpty();
    }

    @Test
    void givenAUserOfADroppedTable_whenTheAgentRuns_thenItWaitsForTheUser() {
        TableDescriptor table = catalog.openOrCreate("t", SHARED);
        usedTrees.add(table.treeId());
        catalog.drop("t");

        drops.run();
        assertThat(catalog.byTreeId(table.treeId())).isPresent();

        usedTrees.clear();
        drops.run();
        assertThat(catalog.byTreeId(table.treeId())).isEmpty();
    }

    @Test
    void givenAnInterruptedDrop_whenTheCatalogIsLoaded_thenTheAgentGoesOn() throws Exception {
        TableDescriptor shared = catalog.openOrCreate("s", SHARED);
        catalog.openOrCreate("o", OWN);
        catalog.drop("s");
        catalog.drop("o");

        load();
        assertThat(catalog.list()).isEmpty();
        drops.run();

        assertThat(catalog.byTreeId(shared.treeId())).isEmpty();
        assertThat(disk.directory().exists("space-16.hfs")).isFalse();
        load();
        assertThat(catalog.all()).isEmpty();
    }

    @Test
    void givenADropCutAfterItsPagesWereFreed_whenTheyServeAnother_thenNeitherIsAccused()
            throws Exception {
        TableDescriptor first = catalog.openOrCreate("first", SHARED);
        catalog.drop("first");
        new OwnedPages(fixture.spaces, new MiniTransaction(fixture.under.context))
                .freeAll(first.space(), first.treeId());

        TableDescriptor second = catalog.openOrCreate("second", SHARED);
        load();
        List<String> findings = new ArrayList<>();
        new CatalogCheck(catalog).check(findings::add);

        assertThat(second.row().rootPage()).isEqualTo(first.row().rootPage());
        assertThat(findings).isEmpty();
        drops.run();
        assertThat(catalog.all()).extracting(TableDescriptor::name).containsExactly("second");
    }

    @Test
    void givenAFileThatNoRowNames_whenTheCatalogIsLoaded_thenItIsDeleted() throws Exception {
        fixture.files.create(77);

        load();

        assertThat(disk.directory().exists("space-77.hfs")).isFalse();
    }

    @Test
    void givenManyTables_whenAllAreDropped_thenTheCatalogShrinksAgain() throws Exception {
        Space main = fixture.spaces.get(MAIN);
        for (int i = 0; i < 400; i++) {
            catalog.openOrCreate("table number " + i + " " + "x".repeat(i % 100), SHARED);
        }
        load();
        assertThat(catalog.list()).hasSize(400);

        for (TableDescriptor table : catalog.list()) {
            assertThat(drops.tryFinish(catalog.drop(table.name()))).isTrue();
        }
        for (int i = 0; i < 100; i++) {
            fixture.condemned.run();
        }

        int[] used = {0};
        new SpaceCheck(main).visitEntries((page, state, owner) -> used[0] += owner == 1 ? 1 : 0);
        assertThat(used[0]).as("pages of the catalog tree").isLessThanOrEqualTo(2);
        assertThat(CondemnedPages.hasWork(main)).isFalse();
        assertThat(ids.treeId()).isEqualTo(IdHighWaters.USER_TREE_MIN + 399);
    }

    @Test
    void givenAFullDisk_whenATableIsCreated_thenNothingIsLeftOfIt() {
        disk.limitCapacity(disk.usedBytes());

        assertThatThrownBy(() -> catalog.openOrCreate("t", OWN))
                .isInstanceOf(DiskFullException.class);

        assertThat(catalog.list()).isEmpty();
        assertThat(fixture.files.spaceIds()).containsExactly(MAIN);
        disk.unlimitCapacity();
        assertThat(catalog.openOrCreate("t", OWN).space().spaceId()).isEqualTo(17);
    }

    @Test
    void givenAChangeThatTakesLong_whenAnotherOneComes_thenItGivesUpAfterItsLimit()
            throws Exception {
        CatalogLock lock =
                new CatalogLock(fixture.under.counters, fixture.under.health, 20_000_000);
        lock.lock();

        Throwable[] thrown = new Throwable[1];
        Thread other =
                new Thread(
                        () -> {
                            try {
                                lock.lock();
                            } catch (Throwable failure) {
                                thrown[0] = failure;
                            }
                        });
        other.start();
        other.join();

        assertThat(thrown[0])
                .isInstanceOf(LockTimeoutException.class)
                .hasMessageContaining("catalog");
        lock.unlock();
    }

    private void load() throws Exception {
        heard.clear();
        catalog = new Catalog(fixture.spaces, fixture.under.context, ids, new Heard(), LIMIT_NANOS);
        catalog.load();
        drops = new TableDrops(catalog, table -> usedTrees.contains(table.treeId()));
    }

    /** Writes down what a listener hears. */
    private final class Heard implements CatalogListener {
        @Override
        public void created(TableDescriptor table) {
            heard.add("created " + table.name());
        }

        @Override
        public void renamed(TableDescriptor table) {
            heard.add("renamed " + table.name());
        }

        @Override
        public void dropping(TableDescriptor table) {
            heard.add("dropping " + table.name());
        }

        @Override
        public void removed(TableDescriptor table) {
            heard.add("removed " + table.name());
        }
    }
}
