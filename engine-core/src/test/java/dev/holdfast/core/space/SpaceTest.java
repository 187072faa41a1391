// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.DiskFullException;
import dev.holdfast.NoSuchTableException;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.io.sim.SimulatedDisk;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** If this fails, pages are lost, given twice, reused too early, or a full disk does harm. */
final class SpaceTest {
    private static final int PAGE_BYTES = 4096;
    private static final int EXTENT = AllocationMap.pagesPerExtent(PAGE_BYTES);
    private static final int TREE = 16;
    private static final int REDO_BYTES = 4000;
    private static final int NO_HINT = PageId.NULL_PAGE_NUMBER;

    private SpaceFixture fixture = new SpaceFixture(PAGE_BYTES);

    @AfterEach
    void checkAndClose() throws IOException {
        TestHooks.reset();
        for (Space space : fixture.spaces.all()) {
            assertThat(findings(space)).isEmpty();
            space.freePages().checkInvariants();
            assertThat(space.freePages().pageCount()).isEqualTo(space.pageCount());
        }
        fixture.close();
    }

    @Test
    void givenANewSpace_whenThePagesAreLookedAt_thenOnlyHeaderAndMapAreOwned() {
        Space space = fixture.create(16);

        assertThat(space.pageCount()).isEqualTo(EXTENT);
        assertThat(space.ownerOf(0)).isEqualTo(AllocationMap.SYSTEM_OWNER);
        assertThat(space.ownerOf(1)).isEqualTo(AllocationMap.SYSTEM_OWNER);
        assertThat(space.ownerOf(2)).isEqualTo(AllocationMap.NO_OWNER);
        assertThat(space.ownerOf(100_000)).isEqualTo(AllocationMap.NO_OWNER);
    }

    @Test
    void givenAReservation_whenOnePageIsAllocated_thenTheOthersComeBack() {
        Space space = fixture.create(16);
        MiniTransaction mtr = fixture.mtr();
        PageReservation reservation = space.reserve(3, NO_HINT, true);
        long known = space.freePagesKnown();

        int page = allocate(mtr, space, reservation, PageType.LEAF);
        reservation.close();
        reservation.close();

        assertThat(page).isEqualTo(AllocationMap.FIRST_FREE_PAGE);
        assertThat(space.ownerOf(page)).isEqualTo(TREE);
        assertThat(space.freePagesKnown()).isEqualTo(known + 2);
    }

    @Test
    void givenAnAllocatedPage_whenItsFrameIsLookedAt_thenItsHeaderIsItsOwn() {
        Space space = fixture.create(16);
        MiniTransaction mtr = fixture.mtr();
        int page = allocateOne(mtr, space);

        int frame = fixture.under.pool.fixShared(PageId.of(16, page));

        int offset = mtr.offset(frame);
        assertThat(PageMemory.getInt(mtr.chunk(frame), offset + PageHeader.TREE_ID_OFFSET))
                .isEqualTo(TREE);
        assertThat(PageMemory.getByte(mtr.chunk(frame), offset + PageHeader.TYPE_OFFSET))
                .isEqualTo(PageType.LEAF);
        fixture.under.pool.unfixShared(frame);
    }

    @Test
    void givenAFreedPage_whenItsGroupIsPublished_thenItCanBeReservedAgain() {
        Space space = fixture.create(16);
        MiniTransaction mtr = fixture.mtr();
        int page = allocateOne(mtr, space);

        mtr.begin(REDO_BYTES, 2, true);
        int frame = mtr.fixExclusive(PageId.of(16, page));
        assertThat(space.fixMap(mtr, PageId.of(16, page))).isTrue();
        space.free(mtr, frame);
        assertThat(space.freePages().isAvailable(page)).as("before the commit").isFalse();
        mtr.commit();

        assertThat(space.ownerOf(page)).isEqualTo(AllocationMap.NO_OWNER);
        assertThat(space.freePages().isAvailable(page)).isTrue();
        assertThat(allocateOne(mtr, space)).isEqualTo(page);
    }

    @Test
    void givenACondemnedPage_whenAReaderIsInside_thenItIsNotReusedBeforeTheReaderLeaves() {
        Space space = fixture.create(16);
        MiniTransaction mtr = fixture.mtr();
        int page = allocateOne(mtr, space);
        int reader = fixture.epochs.enter();

        condemn(mtr, space, page, false);
        runCondemned();
        assertThat(space.ownerOf(page)).isEqualTo(AllocationMap.NO_OWNER);
        assertThat(space.freePages().isAvailable(page)).isFalse();

        fixture.epochs.leave(reader);
        runCondemned();
        assertThat(space.freePages().isAvailable(page)).isTrue();
        assertThat(CondemnedPages.hasWork(space)).isFalse();
    }

    @Test
    void givenACondemnedChain_whenItsEpochsHavePassed_thenTheOwnerOfChainsIsCalled()
            throws Exception {
        List<Long> heads = new ArrayList<>();
        fixture.close();
        fixture =
                new SpaceFixture(
                        PAGE_BYTES,
                        SimulatedDisk.create().directory(),
                        256,
                        (space, head) -> {
                            heads.add(head);
                            freeChainOfOne(space, head);
                        });
        Space space = fixture.create(16);
        int page = allocateOne(fixture.mtr(), space);

        condemn(fixture.mtr(), space, page, true);
        runCondemned();

        assertThat(heads).containsExactly(PageId.of(16, page));
        assertThat(space.freePages().isAvailable(page)).isTrue();
    }

    @Test
    void givenADamagedChainAtTheHeadOfTheQueue_whenTheAgentRuns_thenThoseBehindItAreFreed()
            throws Exception {
        List<Long> tried = new ArrayList<>();
        SimulatedDisk disk = SimulatedDisk.create();
        fixture.close();
        fixture =
                new SpaceFixture(
                        PAGE_BYTES,
                        disk.directory(),
                        256,
                        (space, head) -> {
                            tried.add(head);
                            if (tried.size() == 1) {
                                throw damage(head);
                            }
                            freeChainOfOne(space, head);
                        });
        Space space = fixture.create(16);
        int damaged = allocateOne(fixture.mtr(), space);
        int chain = allocateOne(fixture.mtr(), space);
        int page = allocateOne(fixture.mtr(), space);

        condemn(fixture.mtr(), space, damaged, true);
        condemn(fixture.mtr(), space, chain, true);
        condemn(fixture.mtr(), space, page, false);
        runCondemned();

        assertThat(space.freePages().isAvailable(chain)).isTrue();
        assertThat(space.freePages().isAvailable(page)).isTrue();
        assertThat(space.freePages().isAvailable(damaged)).isFalse();
        assertThat(tried).as("tried once").hasSize(2);
        assertThat(fixture.under.counters.sum(Counter.CONDEMNED_LEFT)).isEqualTo(1);
        assertThat(fixture.under.health.damageMet()).isEqualTo(1);

        space.condemnedQueue().mark(0);
        fixture.spaces.putCondemned(space);
        runCondemned();
        assertThat(tried).as("not found again by a scan").hasSize(2);
        assertThat(CondemnedPages.hasWork(space)).isFalse();
        assertThat(fixture.under.health.failed()).isFalse();
    }

    @Test
    void givenADamagedMap_whenRoomIsWanted_thenTheFileGrowsAndNobodyWaitsForEver()
            throws Exception {
        SimulatedDisk disk = SimulatedDisk.create();
        fixture.close();
        fixture = new SpaceFixture(PAGE_BYTES, disk.directory(), 256, (s, h) -> {}).start(false);
        Space space = fixture.create(16);
        long damaged = (long) AllocationMap.mapPage(0, PAGE_BYTES) * PAGE_BYTES + 2000;
        disk.flipBit("space-16.hfs", damaged, 1);

        try (PageReservation pages = space.reserve(8, NO_HINT, false)) {
            // It has grown until a second map began, whose group has all that is given out.
            int group = AllocationMap.groupOf(pages.pageNumber(0), PAGE_BYTES);
            assertThat(group).isEqualTo(1);
        }

        assertThat(fixture.under.counters.sum(Counter.SPACE_MAPS_PASSED_BY)).isPositive();
        assertThat(fixture.under.health.failed()).isFalse();
        disk.flipBit("space-16.hfs", damaged, 1);
    }

    private static CorruptionException damage(long pageId) {
        return new CorruptionException(
                "planted", "space-16.hfs", 16, PageId.pageNumber(pageId), "sound", "damaged");
    }

    @Test
    void givenMoreCondemnedPagesThanTheQueueHolds_whenTheAgentRuns_thenAllBecomeFree() {
        fixture.start(false);
        Space space = fixture.create(16);
        MiniTransaction mtr = fixture.mtr();
        int count = 3 * CondemnedQueue.CAPACITY;
        List<Integer> pages = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            pages.add(allocateOne(mtr, space));
        }

        pages.forEach(page -> condemn(mtr, space, page, false));
        runCondemned();

        assertThat(pages).allMatch(page -> space.freePages().isAvailable(page));
        assertThat(fixture.under.counters.sum(Counter.SPACE_PAGES_FREED)).isEqualTo(count);
    }

    @Test
    void givenCondemnedPages_whenTheSpaceIsOpenedAgain_thenTheScanFindsThem() throws IOException {
        Space space = fixture.create(16);
        MiniTransaction mtr = fixture.mtr();
        int condemned = allocateOne(mtr, space);
        int kept = allocateOne(mtr, space);
        condemn(mtr, space, condemned, false);
        reopen();

        Space again = fixture.spaces.open(16);
        assertThat(again.freePagesKnown()).as("nothing looked at yet").isZero();
        assertThat(CondemnedPages.hasWork(again)).isTrue();
        runCondemned();

        assertThat(again.freePages().isAvailable(condemned)).isTrue();
        assertThat(again.ownerOf(kept)).isEqualTo(TREE);
        assertThat(again.freePagesKnown()).isEqualTo(EXTENT - 3);
    }

    @Test
    void givenANewSpace_whenAnOrdinaryCallerReserves_thenTheReserveIsMadeFirst() {
        fixture.start(false);
        Space space = fixture.create(16);

        PageReservation reservation = space.reserve(4, NO_HINT, false);

        assertThat(space.freePagesKnown()).isGreaterThanOrEqualTo(space.reservePages());
        assertThat(space.pageCount()).isGreaterThanOrEqualTo(3L * EXTENT);
        assertThat(fixture.under.counters.sum(Counter.SPACE_GROWTH_WAITS)).isEqualTo(1);
        reservation.close();
    }

    @Test
    void givenManyAllocations_whenTheFileGrowsOverGroups_thenEachPageIsGivenOnce()
            throws IOException {
        fixture.start(false);
        Space space = fixture.create(16);
        MiniTransaction mtr = fixture.mtr();
        int previous = NO_HINT;
        List<Integer> pages = new ArrayList<>();
        for (int i = 0; i < 2000; i++) {
            try (PageReservation reservation = space.reserve(1, previous, false)) {
                previous = allocate(mtr, space, reservation, PageType.LEAF);
                pages.add(previous);
            }
        }

        assertThat(pages).doesNotHaveDuplicates();
        assertThat(space.groupCount()).isGreaterThan(4);
        assertThat(space.headerPageCount()).isEqualTo(space.pageCount());
        assertThat(fixture.files.pagesInFile(16)).isEqualTo(space.pageCount());
        int follows = 0;
        for (int i = 1; i < pages.size(); i++) {
            follows += pages.get(i) == pages.get(i - 1) + 1 ? 1 : 0;
        }
        assertThat(follows).as("pages next to each other").isGreaterThan(1900);
    }

    @Test
    void givenAFullDisk_whenAnOrdinaryCallerReserves_thenItIsToldAndLaterItWorks()
            throws Exception {
        SimulatedDisk disk = SimulatedDisk.create();
        fixture.close();
        fixture = new SpaceFixture(PAGE_BYTES, disk.directory(), 256, (s, h) -> {}).start(false);
        Space space = fixture.create(16);
        fill(space);
        disk.limitCapacity(disk.usedBytes());
        fill(space);
        long pagesBefore = space.pageCount();

        assertThatThrownBy(() -> space.reserve(8, NO_HINT, false))
                .isInstanceOf(DiskFullException.class)
                .hasMessageContaining("space-16.hfs")
                .hasCauseInstanceOf(IOException.class);
        space.reserve(8, NO_HINT, true).close();
        assertThat(space.pageCount()).isEqualTo(pagesBefore);
        assertThat(fixture.under.health.failed()).isFalse();

        disk.unlimitCapacity();
        space.reserve(8, NO_HINT, false).close();
        assertThat(space.pageCount()).isGreaterThan(pagesBefore);
    }

    @Test
    void givenAFreeTail_whenTheSpaceIsCut_thenTheFileIsShorterAndGrowsAgain() throws IOException {
        fixture.start(false);
        Space space = fixture.create(2);
        MiniTransaction mtr = fixture.mtr();
        int page = allocateOne(mtr, space);
        assertThat(space.pageCount()).isGreaterThan(2L * EXTENT);
        SpaceShrink shrink = new SpaceShrink(fixture.spaces, fixture.under.log, fixture.mtr());

        assertThat(shrink.shrink(space, 1)).isTrue();

        assertThat(space.pageCount()).isEqualTo(EXTENT);
        assertThat(space.headerPageCount()).isEqualTo(EXTENT);
        assertThat(fixture.files.pagesInFile(2)).isEqualTo(EXTENT);
        assertThat(space.ownerOf(EXTENT)).isEqualTo(AllocationMap.NO_OWNER);
        assertThat(space.ownerOf(page)).isEqualTo(AllocationMap.UNDO_OWNER);
        space.reserve(1, page, false).close();
        assertThat(space.pageCount()).isGreaterThan(2L * EXTENT);
        assertThat(findings(space)).isEmpty();
    }

    @Test
    void givenAReservedPageInTheTail_whenTheSpaceIsCut_thenNothingHappens() throws IOException {
        fixture.start(false);
        Space space = fixture.create(2);
        space.reserve(1, NO_HINT, false).close();
        PageReservation inTail = space.reserve(1, 2 * EXTENT, true);
        long pages = space.pageCount();
        SpaceShrink shrink = new SpaceShrink(fixture.spaces, fixture.under.log, fixture.mtr());

        assertThat(shrink.shrink(space, 1)).isFalse();

        assertThat(space.pageCount()).isEqualTo(pages);
        inTail.close();
    }

    @Test
    void givenPagesOfTwoTrees_whenOneIsDropped_thenOnlyItsPagesAreFreed() {
        fixture.start(false);
        Space space = fixture.create(16);
        MiniTransaction mtr = fixture.mtr();
        List<Integer> mine = new ArrayList<>();
        List<Integer> others = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            mine.add(allocateOne(mtr, space));
            try (PageReservation reservation = space.reserve(1, NO_HINT, false)) {
                others.add(allocate(mtr, space, reservation, TREE + 1, PageType.LEAF));
            }
        }
        condemn(mtr, space, mine.get(7), true);

        long freed = new OwnedPages(fixture.spaces, fixture.mtr()).freeAll(space, TREE);

        assertThat(freed).isEqualTo(300);
        assertThat(mine).allMatch(page -> space.freePages().isAvailable(page));
        assertThat(others).allMatch(page -> space.ownerOf(page) == TREE + 1);
        assertThat(space.condemnedQueue().isEmpty()).isTrue();
    }

    @Test
    void givenACondemnedChain_whenItsTreeIsDropped_thenTheHeadIsFreedBeforeTheRest() {
        fixture.start(false);
        Space space = fixture.create(16);
        MiniTransaction mtr = fixture.mtr();
        List<Integer> pages = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            pages.add(allocateOne(mtr, space));
        }
        int head = pages.get(99);
        condemn(mtr, space, head, true);
        List<Integer> ownersAfterFirstBatch = new ArrayList<>();
        TestHooks.onReached(
                OwnedPages.BATCH_FREED,
                () -> {
                    if (ownersAfterFirstBatch.isEmpty()) {
                        pages.forEach(page -> ownersAfterFirstBatch.add(space.ownerOf(page)));
                        assertThat(space.freePages().isAvailable(head)).isTrue();
                    }
                });

        new OwnedPages(fixture.spaces, fixture.mtr()).freeAll(space, TREE);

        assertThat(ownersAfterFirstBatch.subList(0, 99)).containsOnly(TREE);
        assertThat(pages).allMatch(page -> space.freePages().isAvailable(page));
    }

    @Test
    void givenADroppedSpace_whenItIsUsed_thenTheTableIsGone() throws IOException {
        Space space = fixture.create(16);
        allocateOne(fixture.mtr(), space);

        fixture.spaces.retire(16);
        fixture.spaces.delete(16);
        fixture.spaces.delete(16);

        assertThat(fixture.directory.exists("space-16.hfs")).isFalse();
        assertThatThrownBy(() -> space.reserve(1, NO_HINT, false))
                .isInstanceOf(NoSuchTableException.class);
        assertThatThrownBy(() -> fixture.spaces.get(16)).isInstanceOf(NoSuchTableException.class);
        assertThatThrownBy(() -> space.ownerOf(2)).isInstanceOf(NoSuchTableException.class);
        fixture.files.sync(16);
    }

    private int allocateOne(MiniTransaction mtr, Space space) {
        boolean undo = StoreFiles.isUndoSpace(space.spaceId());
        boolean fromReserve = space.pageCount() == EXTENT && !undo;
        try (PageReservation reservation = space.reserve(1, NO_HINT, fromReserve)) {
            int owner = undo ? AllocationMap.UNDO_OWNER : TREE;
            return allocate(mtr, space, reservation, owner, PageType.LEAF);
        }
    }

    private static int allocate(
            MiniTransaction mtr, Space space, PageReservation reservation, byte type) {
        return allocate(mtr, space, reservation, TREE, type);
    }

    private static int allocate(
            MiniTransaction mtr, Space space, PageReservation reservation, int owner, byte type) {
        mtr.begin(REDO_BYTES, 4, true);
        try {
            reservation.fixMaps(mtr);
            int frame = space.allocate(mtr, reservation, owner, type);
            int page = PageId.pageNumber(mtr.pageId(frame));
            mtr.commit();
            return page;
        } catch (Throwable failure) {
            throw mtr.failed(failure);
        }
    }

    private static void condemn(MiniTransaction mtr, Space space, int page, boolean chain) {
        long pageId = PageId.of(space.spaceId(), page);
        mtr.begin(REDO_BYTES, 1, true);
        assertThat(space.fixMap(mtr, pageId)).isTrue();
        space.condemn(mtr, pageId, chain);
        mtr.commit();
    }

    private void freeChainOfOne(Space space, long head) {
        MiniTransaction mtr = fixture.mtr();
        mtr.begin(REDO_BYTES, 2, true);
        int frame = mtr.fixExclusive(head);
        assertThat(space.fixMap(mtr, head)).isTrue();
        space.free(mtr, frame);
        mtr.commit();
    }

    /** Allocates until an ordinary caller is refused, or a few times if the disk has room. */
    private void fill(Space space) {
        try {
            for (int i = 0; i < 3000; i++) {
                try (PageReservation reservation = space.reserve(1, NO_HINT, false)) {
                    allocate(fixture.mtr(), space, reservation, PageType.LEAF);
                }
                if (i == 20 && space.pageCount() < 4L * EXTENT) {
                    return;
                }
            }
        } catch (DiskFullException expected) {
            assertThat(space.freePagesKnown()).isEqualTo(space.reservePages());
        }
    }

    private void runCondemned() {
        for (int i = 0; i < 1000; i++) {
            fixture.condemned.run();
        }
    }

    /** Like a clean close and an open: everything is written, then all memory is new. */
    private void reopen() throws IOException {
        fixture.under.stopAgents();
        fixture.under.checkpointer.checkpoint(true);
        SimulatedDisk disk = SimulatedDisk.create();
        copy("space-16.hfs", disk);
        fixture.close();
        fixture = new SpaceFixture(PAGE_BYTES, disk.directory(), 256, (space, head) -> {});
        fixture.files.openAll();
        fixture.files.checkHeader(16);
        // The pages are of another log's past, whose end lies behind the start of this one.
        advanceLog();
    }

    private void advanceLog() throws IOException {
        MiniTransaction mtr = fixture.mtr();
        Space scratch = fixture.create(17);
        for (int i = 0; i < 100; i++) {
            int page = allocateOne(mtr, scratch);
            condemn(mtr, scratch, page, false);
        }
        fixture.spaces.retire(17);
        fixture.spaces.delete(17);
    }

    private void copy(String name, SimulatedDisk to) throws IOException {
        try (var source = fixture.directory.open(name);
                var target = to.directory().create(name)) {
            var bytes = java.nio.ByteBuffer.allocateDirect((int) source.length());
            source.read(0, bytes);
            target.write(0, bytes.flip());
        }
    }

    private static List<String> findings(Space space) throws IOException {
        List<String> findings = new ArrayList<>();
        new SpaceCheck(space).check(findings::add);
        return findings;
    }
}
