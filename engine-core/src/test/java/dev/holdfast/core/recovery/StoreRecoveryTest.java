// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.CloseMode;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import dev.holdfast.Transaction;
import dev.holdfast.core.db.EngineProbe;
import dev.holdfast.core.db.TestEngines;
import dev.holdfast.core.db.VerifyAfterTest;
import dev.holdfast.core.space.AllocationMap;
import dev.holdfast.core.space.SpaceCheck;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.SimulatedDisk;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * If this failed, recovery would read what it need not read, replay what is gone, give out an id
 * twice, or leave a repair undone.
 */
@ExtendWith(VerifyAfterTest.class)
final class StoreRecoveryTest {
    private static final int PAGE_BYTES = 4096;
    private static final EngineOptions FAST =
            TestEngines.small().poolBytes(2 << 20).closeMode(CloseMode.FAST).build();

    @AfterEach
    void resetHooks() {
        TestHooks.reset();
    }

    @Test
    void givenACleanClose_whenOpened_thenNothingIsReplayed(TestEngines engines) {
        Engine engine = engines.open(TestEngines.small().build());
        fill(engine, engine.table("t"), 0, 200);

        RecoveryReport report = recovered(engines.reopen(engine));

        assertThat(report.wasClosedCleanly()).isTrue();
        assertThat(report.groups()).isZero();
        assertThat(report.pagesRepaired()).isZero();
    }

    @Test
    void givenAKilledEngine_whenOpened_thenEachOpenBeginsALaterEpoch(TestEngines engines) {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, FAST);
        fill(engine, engine.table("t"), 0, 200);
        engines.unverified(engine);
        SimulatedDisk killed = disk.crash(CrashMode.PROCESS_KILLED, 0).disk();

        RecoveryReport first = recovered(engines.open(killed, FAST));
        SimulatedDisk again = killed.crash(CrashMode.PROCESS_KILLED, 0).disk();
        RecoveryReport second = recovered(engines.open(again, FAST));

        assertThat(first.recordsApplied()).isPositive();
        assertThat(second.epoch()).isGreaterThan(first.epoch());
        assertThat(second.startLsn()).isGreaterThanOrEqualTo(first.startLsn());
    }

    @ParameterizedTest
    @ValueSource(longs = {2 << 20, 16 << 20})
    void givenALongLog_whenReplayedByOneOrMoreThreads_thenAllIsThere(
            long poolBytes, TestEngines engines) {
        EngineOptions options =
                TestEngines.small()
                        .poolBytes(poolBytes)
                        .redoCapacityBytes(64 << 20)
                        .closeMode(CloseMode.FAST)
                        .build();
        Engine engine = engines.open(options);
        Table table = engine.table("t");
        for (int part = 0; part < 20; part++) {
            fill(engine, table, part * 1000, 1000);
        }

        Engine again = engines.reopen(engine);

        RecoveryReport report = recovered(again);
        assertThat(report.recordsApplied()).isPositive();
        Table rows = again.table("t");
        long found =
                again.read(
                        snapshot -> {
                            long count = 0;
                            for (int i = 0; i < 20_000; i++) {
                                count += snapshot.contains(rows, key(i)) ? 1 : 0;
                            }
                            return count;
                        });
        assertThat(found).isEqualTo(20_000);
    }

    @Test
    void givenADamagedPageWithACopy_whenOpened_thenItIsRepaired(TestEngines engines)
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, FAST);
        Table own = engine.table("own", TableOptions.ownSpace());
        fill(engine, own, 0, 300);
        engine.checkpoint();
        List<Integer> pages = pagesOf(engine, "own");
        engine.close();
        int page = pages.get(pages.size() - 1);
        disk.flipBit("space-16.hfs", (long) page * PAGE_BYTES + 1000, 4);

        Engine again = engines.open(disk, FAST);

        assertThat(recovered(again).pagesRepaired()).isEqualTo(1);
    }

    /**
     * P11a. From there on slots of the doublewrite are used again, and the page may lie in a file
     * that nothing else touches: only recovery's own sync keeps what the repair wrote.
     */
    @Test
    void givenARepairedPage_whenPowerIsLostBeforeAnythingElseIsWritten_thenItIsStillRepaired(
            TestEngines engines) throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, FAST);
        fill(engine, engine.table("own", TableOptions.ownSpace()), 0, 300);
        engine.checkpoint();
        List<Integer> pages = pagesOf(engine, "own");
        engine.close();
        long at = (long) pages.get(pages.size() - 1) * PAGE_BYTES;
        byte[] sound = disk.contents("space-16.hfs", at, PAGE_BYTES);
        disk.flipBit("space-16.hfs", at + 1000, 4);
        SimulatedDisk[] image = new SimulatedDisk[1];
        TestHooks.onReached(
                StoreRecovery.REPAIRED,
                () -> image[0] = disk.crash(CrashMode.NOTHING_PENDING, 0).disk());

        Engine again = engines.open(disk, FAST);

        assertThat(recovered(again).pagesRepaired()).isEqualTo(1);
        assertThat(image[0].contents("space-16.hfs", at, PAGE_BYTES)).isEqualTo(sound);
    }

    @Test
    void givenADamagedFreePage_whenOpened_thenItIsNotRead(TestEngines engines) throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, FAST);
        fill(engine, engine.table("kept"), 0, 10);
        Table dropped = engine.table("dropped");
        fill(engine, dropped, 0, 300);
        engine.checkpoint();
        fill(engine, dropped, 100, 300);
        List<Integer> pages = pagesOf(engine, "dropped");
        engine.dropTable("dropped");
        assertThat(pagesWithOwner(engine, "kept", pages)).isEmpty();
        engines.unverified(engine);
        SimulatedDisk killed = disk.crash(CrashMode.PROCESS_KILLED, 0).disk();
        for (int page : pages) {
            killed.flipBit("main.hfs", (long) page * PAGE_BYTES + 100, 1);
        }
        killed.flipBit("doublewrite/0.hfd", 0, 1);
        killed.flipBit("doublewrite/1.hfd", 0, 1);

        Engine again = engines.open(killed, FAST);

        assertThat(again.tables()).containsExactly("kept");
        fill(again, again.table("anew"), 0, 300);
    }

    @Test
    void givenADroppedSpace_whenItsRedoIsStillInTheLog_thenItIsPassedOver(TestEngines engines)
            throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, FAST);
        fill(engine, engine.table("own", TableOptions.ownSpace()), 0, 100);
        engine.dropTable("own");
        assertThat(disk.directory().list("")).doesNotContain("space-16.hfs");
        engines.unverified(engine);

        Engine again = engines.open(disk.crash(CrashMode.PROCESS_KILLED, 0).disk(), FAST);

        assertThat(again.tables()).isEmpty();
        again.table("own", TableOptions.ownSpace());
        assertThat(EngineProbe.spaces(again).contains(17)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void givenIdsThatWereGivenOut_whenOpened_thenNoneIsGivenOutAgain(
            boolean clean, TestEngines engines) {
        EngineOptions options =
                TestEngines.small().closeMode(clean ? CloseMode.CLEAN : CloseMode.FAST).build();
        Engine engine = engines.open(options);
        engine.table("a");
        engine.table("b", TableOptions.ownSpace());
        int lastId = treeId(engine, "b");
        int lastSpace = EngineProbe.catalog(engine).find("b").orElseThrow().space().spaceId();
        engine.dropTable("a");
        engine.dropTable("b");
        engine = engines.reopen(engine);
        engine = engines.reopen(engine);

        engine.table("c", TableOptions.ownSpace());

        assertThat(treeId(engine, "c")).isGreaterThan(lastId);
        assertThat(EngineProbe.catalog(engine).find("c").orElseThrow().space().spaceId())
                .isGreaterThan(lastSpace);
    }

    @Test
    void givenTransactionsThatACrashEnded_whenOpened_thenTheyAreTakenBackWhileItIsUsed(
            TestEngines engines) {
        SimulatedDisk disk = SimulatedDisk.create();
        Engine engine = engines.open(disk, FAST);
        Table table = engine.table("t");
        fill(engine, table, 0, 50);
        List<Transaction> open = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Transaction transaction = engine.begin();
            transaction.put(table, key(i), new byte[] {9});
            transaction.put(table, key(1000 + i), new byte[7000]);
            transaction.delete(table, key(20 + i));
            open.add(transaction);
        }
        engine.write(
                transaction -> {
                    transaction.put(table, key(40), new byte[] {8});
                    return null;
                });
        engines.unverified(engine);

        Engine again = engines.open(disk.crash(CrashMode.PROCESS_KILLED, 0).disk(), FAST);

        Table rows = again.table("t");
        again.read(
                snapshot -> {
                    for (int i = 0; i < 50; i++) {
                        byte[] expected = i == 40 ? new byte[] {8} : value(i);
                        assertThat(snapshot.get(rows, key(i))).isEqualTo(expected);
                    }
                    assertThat(snapshot.contains(rows, key(1000))).isFalse();
                    return null;
                });
        // A writer waits for a loser that is not taken back yet, and then has the row.
        fill(again, rows, 0, 50);
        assertThat(open).hasSize(5);
    }

    @Test
    void givenALogThatIsCutAnew_whenThePowerFailsBehindItsRemoval_thenTheOldOneIsGone(
            TestEngines engines) throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        EngineOptions clean = TestEngines.small().build();
        engines.open(disk, clean).close();
        List<SimulatedDisk> powerless = new ArrayList<>();
        TestHooks.onReached(
                StoreRecovery.LOG_REMOVED,
                () -> powerless.add(disk.crash(CrashMode.NOTHING_PENDING, 0).disk()));

        EngineOptions longer = clean.toBuilder().redoCapacityBytes(2 << 20).build();
        engines.open(disk, longer);

        assertThat(powerless).hasSize(1);
        assertThat(powerless.get(0).directory().list("redo")).isEmpty();
        engines.open(powerless.get(0), longer);
    }

    private static RecoveryReport recovered(Engine engine) {
        return EngineProbe.recovery(engine).orElseThrow();
    }

    private static int treeId(Engine engine, String table) {
        return EngineProbe.catalog(engine).find(table).orElseThrow().treeId();
    }

    private static List<Integer> pagesOf(Engine engine, String name) {
        return pagesWithOwner(engine, name, null);
    }

    private static List<Integer> pagesWithOwner(Engine engine, String name, List<Integer> among) {
        var table = EngineProbe.catalog(engine).find(name).orElseThrow();
        List<Integer> pages = new ArrayList<>();
        new SpaceCheck(table.space())
                .visitEntries(
                        (page, state, owner) -> {
                            if (state == AllocationMap.USED
                                    && owner == table.treeId()
                                    && (among == null || among.contains(page))) {
                                pages.add(page);
                            }
                        });
        return pages;
    }

    private static void fill(Engine engine, Table table, int from, int count) {
        engine.write(
                transaction -> {
                    for (int i = from; i < from + count; i++) {
                        transaction.put(table, key(i), value(i));
                    }
                    return null;
                });
    }

    private static byte[] key(int number) {
        return String.format("key-%06d", number).getBytes(UTF_8);
    }

    private static byte[] value(int number) {
        return ("value-" + number + "-".repeat(100)).getBytes(UTF_8);
    }
}
