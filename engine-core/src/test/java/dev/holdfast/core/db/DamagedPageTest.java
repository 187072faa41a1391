// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.CorruptionException;
import dev.holdfast.Engine;
import dev.holdfast.EngineFailedException;
import dev.holdfast.EngineOptions;
import dev.holdfast.EngineState;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.Range;
import dev.holdfast.Snapshot;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import dev.holdfast.Transaction;
import dev.holdfast.TransactionFinishedException;
import dev.holdfast.TransactionOptions;
import dev.holdfast.core.btree.LeafSnapshot;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.txn.TableHandle;
import dev.holdfast.core.undo.UndoPage;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SimulatedDisk;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * One leaf that is damaged on disk, and what is left undone for it. If this failed, damage would
 * spread: to other tables, to later history, to other transactions, or to the time after it.
 */
final class DamagedPageTest {
    private static final int PAGE_BYTES = 4096;
    private static final int ROWS = 200;
    private static final String FILE = "space-16.hfs";
    private static final EngineOptions OPTIONS = TestEngines.small().build();
    private static final TransactionOptions IMPATIENT =
            TransactionOptions.defaults().lockWaitTimeout(Duration.ofMillis(50));
    private static final long LIMIT_NANOS = Duration.ofSeconds(20).toNanos();

    private final TestEngines engines = new TestEngines();
    private final SimulatedDisk disk = SimulatedDisk.create();
    private SimulatedDisk killed;
    private Transaction running;

    /** Of the first leaf of the table that suffers. */
    private int damagedPage;

    @AfterEach
    void close() {
        TestHooks.reset();
        engines.close();
    }

    @Test
    void givenDeletesOnADamagedLeaf_whenPurged_thenLaterHistoryIsAndVerifyNamesThePage()
            throws IOException {
        Engine before = fill();
        try (Snapshot old = before.snapshot()) {
            assertThat(old.contains(before.table("good"), key(0))).isTrue();
            delete(before, "bad", 0);
            delete(before, "bad", ROWS - 1);
            delete(before, "good", 1);
            killAndDamage(before);
        }

        Engine engine = open();
        awaitCount(engine, Counter.ROWS_PURGED, 2);

        assertThat(count(engine, Counter.PURGE_DAMAGE_SKIPPED)).isEqualTo(1);
        delete(engine, "good", 2);
        awaitCount(engine, Counter.ROWS_PURGED, 3);
        onlyTheLeafSuffers(engine);
    }

    @Test
    void givenALeafThatPurgePassedBy_whenItCanBeReadAgain_thenItsRowIsDeletedAndCanBeWritten()
            throws IOException {
        Engine before = fill();
        try (Snapshot old = before.snapshot()) {
            assertThat(old.contains(before.table("good"), key(0))).isTrue();
            delete(before, "bad", 0);
            killAndDamage(before);
        }
        Engine engine = open();
        awaitCount(engine, Counter.PURGE_DAMAGE_SKIPPED, 1);
        awaitCount(engine, Counter.UNDO_LOGS_PURGED, 1);
        engine.close();
        flipTheBit();

        Engine healed = open();
        Table bad = healed.table("bad");

        assertThat((boolean) healed.read(s -> s.contains(bad, key(0)))).isFalse();
        healed.write(
                transaction -> {
                    transaction.put(bad, key(0), new byte[3]);
                    return null;
                });
        assertThat(length(healed, bad, 0)).isEqualTo(3);
        assertThat(healed.verify().isSound()).isTrue();
    }

    @Test
    void givenALoserOnADamagedLeaf_whenTakenBack_thenTheOtherLosersAre() throws IOException {
        Engine before = fill();
        try (Transaction loser = before.begin();
                Transaction other = before.begin()) {
            loser.delete(before.table("bad"), key(0));
            other.put(before.table("good"), key(1), new byte[7]);
            killAndDamage(before);
        }

        Engine engine = open();
        awaitCount(engine, Counter.LOSERS_LEFT, 1);
        awaitCount(engine, Counter.LOSERS_ROLLED_BACK, 1);

        Table good = engine.table("good");
        assertThat(length(engine, good, 1)).isEqualTo(100);
        assertThat(EngineProbe.losersLeft(engine)).isEqualTo(1);
        onlyTheLeafSuffers(engine);
    }

    @Test
    void givenALoserThatWasLeft_whenItsLeafCanBeReadAgain_thenTheNextOpenTakesItBack()
            throws IOException {
        Engine before = fill();
        try (Transaction loser = before.begin()) {
            loser.delete(before.table("bad"), key(0));
            loser.put(before.table("bad"), key(1), new byte[7]);
            killAndDamage(before);
        }
        for (int open = 0; open < 2; open++) {
            Engine engine = open();
            awaitCount(engine, Counter.LOSERS_LEFT, 1);
            delete(engine, "good", 10 + open);
            awaitCount(engine, Counter.ROWS_PURGED, 1);
            engine.close();
        }
        flipTheBit();

        Engine healed = open();
        awaitCount(healed, Counter.LOSERS_ROLLED_BACK, 1);

        Table bad = healed.table("bad");
        assertThat(length(healed, bad, 0)).isEqualTo(100);
        assertThat(length(healed, bad, 1)).isEqualTo(100);
        assertThat(EngineProbe.losersLeft(healed)).isZero();
        assertThat(healed.verify().isSound()).isTrue();
    }

    @Test
    void givenARunningTransaction_whenItsRollbackMeetsADamagedLeaf_thenItIsLeftAndNothingElse()
            throws IOException {
        Engine engine = changeThenDamage();
        Table bad = engine.table("bad");

        assertThatThrownBy(running::rollback)
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("page=" + damagedPage);

        assertThatThrownBy(() -> running.get(bad, key(1)))
                .isInstanceOf(TransactionFinishedException.class);
        awaitCount(engine, Counter.LOSERS_LEFT, 1);
        assertThat(EngineProbe.losersLeft(engine)).isEqualTo(1);
        assertThat(length(engine, bad, ROWS - 1)).isEqualTo(100);
        assertThat(length(engine, engine.table("good"), 5)).isEqualTo(100);
        try (Transaction other = engine.begin(IMPATIENT)) {
            assertThatThrownBy(() -> other.put(bad, key(ROWS - 1), new byte[1]))
                    .isInstanceOf(LockTimeoutException.class);
        }
        onlyTheLeafSuffers(engine);

        engine.close();
        flipTheBit();
        Engine healed = open();
        awaitCount(healed, Counter.LOSERS_ROLLED_BACK, 1);
        Table again = healed.table("bad");
        assertThat(length(healed, again, 0)).isEqualTo(100);
        assertThat(length(healed, again, ROWS - 1)).isEqualTo(100);
        assertThat(healed.verify().isSound()).isTrue();
    }

    @Test
    void givenADamageThatIsGone_whenTheAgentComesBy_thenARollbackThatWasLeftEnds()
            throws IOException {
        Engine engine = changeThenDamage();
        long at = damagedPage * (long) PAGE_BYTES;
        Fault again =
                Fault.on(Operation.READ, FILE).range(at, at + PAGE_BYTES).nth(2).run(this::heal);
        killed.faults().add(again);

        assertThatThrownBy(running::close).isInstanceOf(CorruptionException.class);

        awaitCount(engine, Counter.LOSERS_ROLLED_BACK, 1);
        assertThat(again.acted()).isEqualTo(1);
        assertThat(EngineProbe.losersLeft(engine)).isZero();
        assertThat(length(engine, engine.table("bad"), 0)).isEqualTo(100);
        assertThat(engine.verify().isSound()).isTrue();
    }

    @Test
    void givenARangeDeletedInPart_whenTheStatementCannotBeTakenBack_thenItsTransactionEnds()
            throws IOException {
        Engine engine = changeThenDamage();
        Table bad = engine.table("bad");

        // The last leaves first, then the damaged one.
        assertThatThrownBy(() -> running.deleteRange(bad, Range.all().reversed()))
                .isInstanceOf(CorruptionException.class);

        assertThat(engine.state()).isEqualTo(EngineState.OPEN);
        running.put(engine.table("good"), key(3), new byte[3]);
        assertThatThrownBy(running::rollback).isInstanceOf(CorruptionException.class);
        onlyTheLeafSuffers(engine);
    }

    @Test
    void givenALeftRollback_whenItsTableIsDropped_thenItGoes() throws IOException {
        Engine engine = changeThenDamage();
        assertThatThrownBy(running::rollback).isInstanceOf(CorruptionException.class);
        awaitCount(engine, Counter.LOSERS_LEFT, 1);

        engine.dropTable("bad");
        awaitCount(engine, Counter.TABLES_DROPPED, 1);
        engine.close();

        Engine again = open();
        awaitCount(again, Counter.LOSERS_ROLLED_BACK, 1);
        assertThat(again.verify().isSound()).isTrue();
    }

    /** A transaction that has changed the leaf, which is then written, evicted and damaged. */
    private Engine changeThenDamage() throws IOException {
        Engine before = fill();
        damagedPage = firstLeaf(before, "bad");
        kill(before);
        Engine engine = open();
        Table bad = engine.table("bad");
        running = engine.begin();
        running.put(bad, key(ROWS - 1), new byte[50]);
        running.put(bad, key(0), new byte[50]);
        engine.checkpoint();
        evict(engine);
        flipTheBit();
        return engine;
    }

    /** Reads other pages until the leaf is not in the pool any more. */
    private void evict(Engine engine) {
        Table big = engine.table("big");
        engine.write(
                transaction -> {
                    for (int i = 0; i < 2000; i++) {
                        transaction.put(big, key(i), new byte[500]);
                    }
                    return null;
                });
        long page = PageId.of(16, damagedPage);
        long deadline = System.nanoTime() + LIMIT_NANOS;
        for (int i = 0; EngineProbe.pool(engine).find(page) >= 0; i = (i + 7) % 2000) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            assertThat(length(engine, big, i)).isEqualTo(500);
        }
    }

    private void heal() {
        try {
            flipTheBit();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void givenATableWithADamagedLeaf_whenItIsDropped_thenItGoes() throws IOException {
        Engine before = fill();
        try (Transaction loser = before.begin()) {
            loser.delete(before.table("bad"), key(0));
            killAndDamage(before);
        }
        Engine engine = open();
        awaitCount(engine, Counter.LOSERS_LEFT, 1);

        engine.dropTable("bad");
        awaitCount(engine, Counter.TABLES_DROPPED, 1);

        assertThat(engine.state()).isEqualTo(EngineState.OPEN);
        engine.close();
        Engine again = open();
        awaitCount(again, Counter.LOSERS_ROLLED_BACK, 1);
        assertThat(again.verify().isSound()).isTrue();
    }

    @Test
    void givenALeafOfASharedSpaceThatIsDamaged_whenItsTableIsDropped_thenItGoes()
            throws IOException {
        Engine before = fill();
        damagedPage = firstLeaf(before, "good");
        kill(before);
        killed.flipBit("main.hfs", damagedPage * (long) PAGE_BYTES + 1000, 1);
        Engine engine = open();
        Table good = engine.table("good");
        assertThatThrownBy(() -> engine.read(s -> s.get(good, key(0))))
                .isInstanceOf(CorruptionException.class);

        engine.dropTable("good");
        awaitCount(engine, Counter.TABLES_DROPPED, 1);

        assertThat(engine.state()).isEqualTo(EngineState.OPEN);
        assertThat(count(engine, Counter.DROPS_LEFT)).isZero();
    }

    @Test
    void givenADamagedUndoPage_whenPurgeMeetsIt_thenOtherSegmentsArePurged() throws IOException {
        Engine before = fill();
        try (Snapshot old = before.snapshot()) {
            assertThat(old.contains(before.table("good"), key(0))).isTrue();
            before.write(
                    transaction -> {
                        for (int i = 0; i < ROWS; i++) {
                            transaction.delete(before.table("bad"), key(i));
                            transaction.put(before.table("good"), key(i), new byte[50]);
                        }
                        return null;
                    });
            kill(before);
        }
        assertThat(damageUndoPagesInTheMiddle()).isPositive();

        for (int open = 0; open < 2; open++) {
            Engine engine = open();
            awaitCount(engine, Counter.PURGE_DAMAGE_SKIPPED, 1);
            long purged = count(engine, Counter.ROWS_PURGED);
            Table good = engine.table("good");
            List<Transaction> haveTheOldSegments = new ArrayList<>();
            for (int i = 0; i < 8 * (open + 1); i++) {
                Transaction transaction = engine.begin();
                transaction.put(good, key(10 + i), new byte[1]);
                haveTheOldSegments.add(transaction);
            }
            delete(engine, "good", 1 + open);
            haveTheOldSegments.forEach(Transaction::close);
            awaitCount(engine, Counter.ROWS_PURGED, purged + 1);
            assertThat(length(engine, good, 5)).isEqualTo(50);
            engine.close();
        }
    }

    @Test
    void givenDamageMetAfterTheFirstChange_whenPurged_thenTheEngineFailsAndCloses() {
        assumeTrue(TestHooks.ENABLED);
        Engine engine = fill();
        Table good = engine.table("good");
        CorruptionException damage =
                new CorruptionException("planted", FILE, 16, 3, "sound", "damaged");
        TestHooks.onReached(
                MiniTransaction.RESERVED,
                () -> {
                    if (Thread.currentThread().getName().equals("holdfast-purge")) {
                        throw damage;
                    }
                });

        delete(engine, "good", 1);
        awaitFailed(engine);

        assertThat(count(engine, Counter.PURGE_DAMAGE_SKIPPED)).isZero();
        assertThatThrownBy(() -> engine.read(s -> s.get(good, key(5))))
                .isInstanceOf(EngineFailedException.class)
                .hasCause(damage);
    }

    private static void awaitFailed(Engine engine) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (engine.state() != EngineState.FAILED) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    /** Those that no log begins on and that the open does not read. */
    private int damageUndoPagesInTheMiddle() throws IOException {
        int damaged = 0;
        for (String file : List.of("undo-2.hfs", "undo-3.hfs")) {
            ByteBuffer pages = ByteBuffer.wrap(killed.contents(file));
            Set<Integer> withHeaders = new HashSet<>();
            List<Integer> middle = new ArrayList<>();
            for (int page = 0; page < pages.capacity() / PAGE_BYTES; page++) {
                int at = page * PAGE_BYTES;
                if (pages.get(at + PageHeader.TYPE_OFFSET) == PageType.UNDO_LOG) {
                    withHeaders.add(PageMemory.getInt(pages, at + UndoPage.LOG_PAGE_OFFSET));
                    boolean hasBoth =
                            PageMemory.getInt(pages, at + UndoPage.PREVIOUS_OFFSET) != 0
                                    && PageMemory.getInt(pages, at + UndoPage.NEXT_OFFSET) != 0;
                    if (hasBoth) {
                        middle.add(page);
                    }
                }
            }
            middle.removeAll(withHeaders);
            for (int page : middle) {
                killed.flipBit(file, page * (long) PAGE_BYTES + 1000, 1);
            }
            damaged += middle.size();
        }
        return damaged;
    }

    private Engine fill() {
        Engine engine = engines.open(disk, OPTIONS);
        engines.unverified(engine);
        Table good = engine.table("good");
        Table bad = engine.table("bad", TableOptions.ownSpace());
        engine.write(
                transaction -> {
                    for (int i = 0; i < ROWS; i++) {
                        transaction.put(good, key(i), new byte[100]);
                        transaction.put(bad, key(i), new byte[100]);
                    }
                    return null;
                });
        return engine;
    }

    private static void delete(Engine engine, String name, int row) {
        Table table = engine.table(name);
        engine.write(
                transaction -> {
                    transaction.delete(table, key(row));
                    return null;
                });
    }

    /** What the disk holds when the process dies, with one leaf that has no sound copy. */
    private void killAndDamage(Engine engine) throws IOException {
        damagedPage = firstLeaf(engine, "bad");
        kill(engine);
        flipTheBit();
    }

    private void kill(Engine engine) throws IOException {
        engine.checkpoint();
        killed = disk.crash(CrashMode.PROCESS_KILLED, 0).disk();
        killed.flipBit("doublewrite/0.hfd", 0, 1);
        killed.flipBit("doublewrite/1.hfd", 0, 1);
    }

    /** Damages the page; a second time makes it good. */
    private void flipTheBit() throws IOException {
        killed.flipBit(FILE, damagedPage * (long) PAGE_BYTES + 1000, 1);
    }

    private static int firstLeaf(Engine engine, String name) {
        LeafSnapshot leaf = new LeafSnapshot(((TableHandle) engine.table(name)).tree());
        leaf.seekFirst();
        return PageId.pageNumber(leaf.pageId());
    }

    private Engine open() {
        Engine engine = engines.open(killed, OPTIONS);
        engines.unverified(engine);
        return engine;
    }

    private void onlyTheLeafSuffers(Engine engine) {
        Table good = engine.table("good");
        Table bad = engine.table("bad");
        assertThat((boolean) engine.read(s -> s.contains(good, key(5)))).isTrue();
        engine.write(
                transaction -> {
                    transaction.put(good, key(ROWS), new byte[1]);
                    return null;
                });
        assertThatThrownBy(() -> engine.read(s -> s.get(bad, key(0))))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("page=" + damagedPage);
        assertThat(engine.verify().toText()).contains("space=16, page=" + damagedPage);
        assertThat(engine.state()).isEqualTo(EngineState.OPEN);
    }

    private static long count(Engine engine, Counter counter) {
        return EngineProbe.counters(engine).sum(counter);
    }

    private static void awaitCount(Engine engine, Counter counter, long atLeast) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (count(engine, counter) < atLeast) {
            assertThat(System.nanoTime()).as(counter.name()).isLessThan(deadline);
            assertThat(engine.state()).as(counter.name()).isEqualTo(EngineState.OPEN);
            Thread.onSpinWait();
        }
    }

    private static int length(Engine engine, Table table, int row) {
        return engine.read(s -> s.get(table, key(row)).length);
    }

    private static byte[] key(int i) {
        return String.format("key-%04d", i).getBytes(UTF_8);
    }
}
