// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.check;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.Engine;
import dev.holdfast.Finding;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import dev.holdfast.VerifyReport;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.catalog.TableDescriptor;
import dev.holdfast.core.db.EngineProbe;
import dev.holdfast.core.db.TestEngines;
import dev.holdfast.core.db.VerifyAfterTest;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageSeal;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.space.AllocationMap;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.space.SpaceCheck;
import dev.holdfast.core.space.StoreFiles;
import dev.holdfast.core.undo.UndoPage;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.io.sim.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Breaks one thing of a store and expects the verifier to name it. If this failed, a store could be
 * unsound and be called sound, or the other way round.
 *
 * <p>What only reading the file shows is broken on the disk; what needs no wrong checksum is broken
 * in the pool, where a snapshot keeps purge from looking at it first.
 */
@ExtendWith(VerifyAfterTest.class)
final class VerifierTest {
    private static final int PAGE_BYTES = 4096;

    /** Where in a tree page the slots begin, and the first child's page number stands. */
    private static final int SLOTS = 104;

    private static final int FIRST_CHILD = 92;

    /** How far before its name a catalog row has its space id. */
    private static final int SPACE_ID_BEFORE_NAME = 12;

    private SimulatedDisk disk;
    private Engine engine;
    private Snapshot keepsHistory;

    @BeforeEach
    void fill(TestEngines engines) {
        disk = SimulatedDisk.create();
        engine = engines.open(disk, TestEngines.small().poolBytes(4 << 20).build());
        keepsHistory = engine.snapshot();
        for (String name : List.of("shared", "other")) {
            fill(engine.table(name));
        }
        fill(engine.table("own", TableOptions.ownSpace()));
        Table shared = engine.table("shared");
        engine.write(transaction -> transaction.delete(shared, "key-10007".getBytes(UTF_8)));
        engine.checkpoint();
    }

    private void fill(Table table) {
        for (int part = 0; part < 4; part++) {
            int from = part * 150;
            engine.write(
                    transaction -> {
                        for (int i = from; i < from + 150; i++) {
                            byte[] key = ("key-" + (10_000 + i)).getBytes(UTF_8);
                            transaction.put(table, key, new byte[i % 50 == 0 ? 9000 : 40]);
                        }
                        return null;
                    });
        }
    }

    @Test
    void givenASoundStore_whenVerified_thenItIsCounted() {
        VerifyReport report = engine.verify();

        assertThat(report.toText()).contains("findings=0");
        assertThat(report.tables()).isEqualTo(3);
        assertThat(report.rows()).isEqualTo(3 * 600);
        assertThat(report.pages()).isGreaterThan(100);
    }

    @Test
    void givenWritersAtWork_whenVerified_thenItIsSoundAndTheyGoOn() throws Exception {
        Table table = engine.table("shared");
        boolean[] stop = new boolean[1];
        Thread writer =
                new Thread(
                        () -> {
                            for (int i = 0; !isSet(stop); i++) {
                                byte[] key = ("key-" + (10_000 + i % 700)).getBytes(UTF_8);
                                byte[] value = new byte[i % 90 == 0 ? 6000 : i % 100];
                                engine.write(
                                        transaction -> {
                                            transaction.put(table, key, value);
                                            return null;
                                        });
                            }
                        });
        writer.start();

        List<String> reports = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            reports.add(engine.verify().toText());
        }
        synchronized (stop) {
            stop[0] = true;
        }
        writer.join();

        assertThat(reports).allMatch(text -> text.contains("findings=0"));
    }

    @Test
    void givenTablesThatComeAndGo_whenVerified_thenNoneIsAccused() throws Exception {
        boolean[] stop = new boolean[1];
        Thread changer =
                new Thread(
                        () -> {
                            for (int i = 0; !isSet(stop); i++) {
                                String name = "t" + i;
                                boolean own = i % 2 == 0;
                                Table table =
                                        engine.table(
                                                name,
                                                own
                                                        ? TableOptions.ownSpace()
                                                        : TableOptions.shared());
                                fill(table);
                                engine.dropTable(name);
                            }
                        });
        changer.start();

        List<String> reports = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            reports.add(engine.verify().toText());
        }
        synchronized (stop) {
            stop[0] = true;
        }
        changer.join();

        assertThat(reports).allMatch(text -> text.contains("findings=0"));
    }

    @Test
    void givenARowThatNamesAnotherSpace_whenVerified_thenTheCatalogIsNamed(TestEngines engines) {
        long root = EngineProbe.catalog(engine).tree().rootPageId();

        editInPool(
                engines,
                root,
                (chunk, page) -> {
                    int name = page + indexOf(chunk, page, "own".getBytes(UTF_8));
                    PageMemory.putInt(chunk, name - SPACE_ID_BEFORE_NAME, 99);
                });

        assertThat(engine.verify().findings())
                .anyMatch(finding -> finding.found().contains("table's space is not there"))
                .anyMatch(finding -> finding.found().contains("no row names the space"))
                .allMatch(finding -> finding.invariant().startsWith("C1"));
    }

    private static int indexOf(ByteBuffer chunk, int page, byte[] text) {
        for (int at = SLOTS; at < PAGE_BYTES - text.length; at++) {
            if (PageMemory.compare(chunk, page + at, text.length, text, 0, text.length) == 0) {
                return at;
            }
        }
        throw new AssertionError("not in the page: " + new String(text, UTF_8));
    }

    private static boolean isSet(boolean[] flag) {
        synchronized (flag) {
            return flag[0];
        }
    }

    @Test
    void givenAFlippedBit_whenVerified_thenThePageIsNamed(TestEngines engines) throws IOException {
        long leaf = pageOf("own", PageType.LEAF);
        closeFor(engines);
        disk.flipBit(file(leaf), position(leaf) + 700, 2);

        assertFinding(engines.open(disk, TestEngines.small().build()), "V4", leaf, "CHECKSUM");
    }

    @Test
    void givenATornPage_whenVerified_thenItIsCalledTorn(TestEngines engines) throws IOException {
        long leaf = pageOf("own", PageType.LEAF);
        closeFor(engines);
        edit(leaf, page -> PageHeader.pageLsn(page, 0, PageHeader.pageLsn(page, 0) + 16), false);

        assertFinding(engines.open(disk, TestEngines.small().build()), "V4", leaf, "TORN");
    }

    @Test
    void givenAPageInAnothersPlace_whenVerified_thenItIsCalledMisdirected(TestEngines engines)
            throws IOException {
        long leaf = pageOf("own", PageType.LEAF);
        long overflow = pageOf("own", PageType.OVERFLOW);
        closeFor(engines);
        byte[] bytes = disk.contents(file(overflow), position(overflow), PAGE_BYTES);
        disk.damage(file(leaf), position(leaf), bytes);

        assertFinding(engines.open(disk, TestEngines.small().build()), "V4", leaf, "MISDIRECTED");
    }

    @Test
    void givenAPageOfTheFuture_whenVerified_thenItsLsnIsNamed(TestEngines engines)
            throws IOException {
        long leaf = pageOf("own", PageType.LEAF);
        closeFor(engines);
        edit(leaf, page -> PageHeader.pageLsn(page, 0, 1L << 40), true);

        Engine again = engines.open(disk, TestEngines.small().build());
        engines.unverified(again);
        assertFinding(again, "V4", leaf, "pageLsn=" + (1L << 40));
    }

    @Test
    void givenADamagedPage_whenItsTableIsRead_thenThatSaysSoAndTheOthersWork(TestEngines engines)
            throws IOException {
        long leaf = pageOf("own", PageType.LEAF);
        closeFor(engines);
        disk.flipBit(file(leaf), position(leaf) + 700, 2);
        Engine again = engines.open(disk, TestEngines.small().build());
        engines.unverified(again);

        assertThatThrownBy(() -> readAll(again, "own"))
                .isInstanceOfSatisfying(
                        CorruptionException.class,
                        damaged -> {
                            assertThat(damaged.spaceId()).isEqualTo(PageId.spaceId(leaf));
                            assertThat(damaged.pageNumber()).isEqualTo(PageId.pageNumber(leaf));
                        });
        assertThat(readAll(again, "shared")).isEqualTo(599);
        fillOne(again, "other");
    }

    @Test
    void givenAUsedPageThatTheMapCallsFree_whenVerified_thenBothAreNamed(TestEngines engines) {
        long leaf = pageOf("shared", PageType.LEAF);

        editMap(engines, leaf, AllocationMap.FREE);

        assertFinding(engine, "V2", leaf, "met");
    }

    @Test
    void givenAFreePageThatTheMapCallsUsed_whenVerified_thenItIsNamed(TestEngines engines) {
        long free = findPage(StoreFiles.MAIN_SPACE, state -> state == AllocationMap.FREE);

        editMap(engines, free, AllocationMap.entry(AllocationMap.USED, treeId("shared")));

        assertFinding(engine, "V2", free, "not met");
    }

    @Test
    void givenAPageOfAnotherOwner_whenVerified_thenBothAreNamed(TestEngines engines) {
        long leaf = pageOf("shared", PageType.LEAF);

        editMap(engines, leaf, AllocationMap.entry(AllocationMap.USED, treeId("other")));

        assertFinding(engine, "V3", leaf, "tree=" + treeId("shared"));
    }

    @Test
    void givenAChildThatTwoPointersName_whenVerified_thenItIsMetTwice(TestEngines engines) {
        long inner = pageOf("shared", PageType.INNER);

        editInPool(
                engines,
                inner,
                (chunk, page) -> {
                    int second = page + PageMemory.getUnsignedShort(chunk, page + SLOTS + 4);
                    PageMemory.putInt(chunk, page + FIRST_CHILD, PageMemory.getInt(chunk, second));
                });

        assertThat(engine.verify().findings())
                .anyMatch(finding -> finding.invariant().startsWith("V1"))
                .anyMatch(finding -> finding.invariant().startsWith("V2"))
                .anyMatch(finding -> finding.invariant().startsWith("B"));
    }

    @Test
    void givenKeysOutOfOrder_whenVerified_thenTheLeafIsNamed(TestEngines engines) {
        long leaf = pageOf("shared", PageType.LEAF);

        editInPool(
                engines,
                leaf,
                (chunk, page) -> {
                    long first = PageMemory.getLong(chunk, page + SLOTS);
                    long second = PageMemory.getLong(chunk, page + SLOTS + 8);
                    PageMemory.putLong(chunk, page + SLOTS, second);
                    PageMemory.putLong(chunk, page + SLOTS + 8, first);
                });

        assertFinding(engine, "B", leaf, "");
    }

    @Test
    void givenAWrongLengthInAnUndoPage_whenVerified_thenItIsNamed(TestEngines engines) {
        List<Long> pages = new ArrayList<>();
        for (int spaceId : new int[] {2, 3}) {
            pages.addAll(
                    findPages(spaceId, state -> state == AllocationMap.USED, PageType.UNDO_LOG));
        }
        long undo = pages.get(0);

        editInPool(
                engines,
                undo,
                (chunk, page) -> PageMemory.putShort(chunk, page + UndoPage.ENTRIES_OFFSET, 4000));

        assertFinding(engine, "U", undo, "");
    }

    @Test
    void givenMoreFindingsThanAreKept_whenVerified_thenTheRestIsCounted(TestEngines engines) {
        Space main = EngineProbe.spaces(engine).get(StoreFiles.MAIN_SPACE);
        List<Long> free = new ArrayList<>();
        new SpaceCheck(main)
                .visitEntries(
                        (page, state, owner) -> {
                            if (state == AllocationMap.FREE) {
                                free.add(PageId.of(StoreFiles.MAIN_SPACE, page));
                            }
                        });
        FindingList findings = new FindingList();
        for (int i = 0; i < VerifyReport.FINDINGS_MAX + free.size(); i++) {
            findings.add("here", "V2", "a", "b");
        }

        assertThat(findings.findings()).hasSize(VerifyReport.FINDINGS_MAX);
        assertThat(findings.omitted()).isEqualTo(free.size());
        engines.unverified(engine);
    }

    private static void assertFinding(Engine engine, String invariant, long pageId, String found) {
        List<Finding> findings = engine.verify().findings();
        assertThat(findings)
                .as("findings")
                .anySatisfy(
                        finding -> {
                            assertThat(finding.invariant()).startsWith(invariant);
                            assertThat(finding.where())
                                    .contains("space=" + PageId.spaceId(pageId))
                                    .contains("page=" + PageId.pageNumber(pageId));
                            assertThat(finding.found() + finding.invariant()).contains(found);
                        });
    }

    /** Closes, and spoils the copies of pages from which an open would repair what is broken. */
    private void closeFor(TestEngines engines) throws IOException {
        keepsHistory.close();
        engine.close();
        engines.unverified(engine);
        disk.flipBit("doublewrite/0.hfd", 0, 1);
        disk.flipBit("doublewrite/1.hfd", 0, 1);
    }

    private static long readAll(Engine engine, String name) {
        Table table = engine.table(name);
        return engine.read(
                snapshot -> {
                    long rows = 0;
                    try (var cursor = snapshot.cursor(table, Range.all())) {
                        while (cursor.next()) {
                            cursor.value();
                            rows++;
                        }
                    }
                    return rows;
                });
    }

    private static void fillOne(Engine engine, String name) {
        Table table = engine.table(name);
        engine.write(
                transaction -> {
                    transaction.put(table, new byte[] {1}, new byte[] {1});
                    return null;
                });
    }

    private void editInPool(
            TestEngines engines, long pageId, BiConsumer<ByteBuffer, Integer> edit) {
        BufferPool pool = EngineProbe.pool(engine);
        int frame = pool.fixExclusive(pageId);
        edit.accept(pool.chunk(frame), pool.offset(frame));
        pool.unfixExclusive(frame);
        engines.unverified(engine);
    }

    private void editMap(TestEngines engines, long pageId, long entry) {
        int number = PageId.pageNumber(pageId);
        int group = AllocationMap.groupOf(number, PAGE_BYTES);
        long map = PageId.of(PageId.spaceId(pageId), AllocationMap.mapPage(group, PAGE_BYTES));
        int index = AllocationMap.indexOf(number, PAGE_BYTES);
        editInPool(
                engines,
                map,
                (chunk, page) ->
                        PageMemory.putLong(chunk, page + AllocationMap.entryOffset(index), entry));
    }

    private void edit(long pageId, Consumer<ByteBuffer> edit, boolean sealed) throws IOException {
        ByteBuffer page = ByteBuffer.allocateDirect(PAGE_BYTES);
        page.put(disk.contents(file(pageId), position(pageId), PAGE_BYTES)).clear();
        edit.accept(page);
        if (sealed) {
            PageSeal.seal(page, 0, PAGE_BYTES, PageChecksums.CRC32C);
        }
        byte[] bytes = new byte[PAGE_BYTES];
        page.get(0, bytes);
        disk.damage(file(pageId), position(pageId), bytes);
    }

    private static String file(long pageId) {
        return StoreFiles.spaceFile(PageId.spaceId(pageId));
    }

    private static long position(long pageId) {
        return (long) PageId.pageNumber(pageId) * PAGE_BYTES;
    }

    private int treeId(String table) {
        return EngineProbe.catalog(engine).find(table).orElseThrow().treeId();
    }

    /** A page of a table of that type that is not its root. */
    private long pageOf(String name, byte type) {
        TableDescriptor table = EngineProbe.catalog(engine).find(name).orElseThrow();
        long root = table.tree().rootPageId();
        List<Long> found = new ArrayList<>();
        new SpaceCheck(table.space())
                .visitEntries(
                        (page, state, owner) -> {
                            long pageId = PageId.of(table.space().spaceId(), page);
                            boolean ours = state == AllocationMap.USED && owner == table.treeId();
                            boolean mayBeRoot = type == PageType.INNER || pageId != root;
                            if (ours && mayBeRoot && typeOf(pageId) == type) {
                                found.add(pageId);
                            }
                        });
        assertThat(found).as("pages of type " + type).isNotEmpty();
        return found.get(0);
    }

    private long findPage(int spaceId, IntPredicate states) {
        List<Long> found = findPages(spaceId, states, (byte) 0);
        return found.get(found.size() - 1);
    }

    private List<Long> findPages(int spaceId, IntPredicate states, byte type) {
        List<Long> found = new ArrayList<>();
        new SpaceCheck(EngineProbe.spaces(engine).get(spaceId))
                .visitEntries(
                        (page, state, owner) -> {
                            long pageId = PageId.of(spaceId, page);
                            if (states.test(state)
                                    && !AllocationMap.isSystemPage(page, PAGE_BYTES)
                                    && (type == 0 || typeOf(pageId) == type)) {
                                found.add(pageId);
                            }
                        });
        return found;
    }

    private byte typeOf(long pageId) {
        BufferPool pool = EngineProbe.pool(engine);
        int frame = pool.fixShared(pageId);
        byte type =
                PageMemory.getByte(pool.chunk(frame), pool.offset(frame) + PageHeader.TYPE_OFFSET);
        pool.unfixShared(frame);
        return type;
    }
}
