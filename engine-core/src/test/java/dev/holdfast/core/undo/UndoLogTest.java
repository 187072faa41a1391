// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.undo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.btree.TreeLimits;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.space.SpaceFixture;
import dev.holdfast.core.undo.UndoReader.Found;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Undo logs on their pages, without rows. If this failed, a rollback would not find what it has to
 * undo, purge would miss a log or take one too early, or a crash would confuse losers and history.
 */
final class UndoLogTest {
    private static final int TREE = 16;

    private SpaceFixture fixture;
    private MiniTransaction mtr;
    private UndoSystem undo;

    @BeforeEach
    void openSmall() {
        open(4096);
    }

    private void open(int pageBytes) {
        fixture = new SpaceFixture(pageBytes).start(true);
        mtr = fixture.mtr();
        UndoSpace.format(mtr, fixture.create(2));
        UndoSpace.format(mtr, fixture.create(3));
        undo = recovered();
        assertThat(undo.recover()).isEmpty();
    }

    /** What an engine that opened the spaces now would know of them. */
    private UndoSystem recovered() {
        List<Space> spaces = List.of(fixture.spaces.get(2), fixture.spaces.get(3));
        return new UndoSystem(spaces, fixture.under.pool, fixture.epochs, fixture.under.counters);
    }

    @AfterEach
    void close() {
        List<String> findings = new ArrayList<>();
        check(findings);
        fixture.close();
        assertThat(findings).isEmpty();
    }

    private void check(List<String> findings) {
        new UndoCheck(
                        undo,
                        new UndoCheck.Visitor() {
                            @Override
                            public boolean page(long pageId) {
                                return true;
                            }

                            @Override
                            public void chain(int treeId, int headPage, boolean certain) {
                                findings.add("chain of tree=" + treeId);
                            }

                            @Override
                            public void finding(
                                    long pageId,
                                    String invariant,
                                    String what,
                                    String e,
                                    String f) {
                                findings.add(invariant + " " + what + ": " + e + ", found " + f);
                            }
                        })
                .run(fixture.under.log.appendLsn());
    }

    @Test
    void givenRecordsOverManyPages_whenTakenBack_thenTheyComeNewestFirstAndThePagesGo() {
        UndoLog log = begin(100);
        List<Long> rolls = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            rolls.add(append(log, i, 100 + i % 7));
        }
        UndoVersion version = new UndoVersion();
        int firstPage = log.segment().headPage;
        boolean grown = log.segment().tailPage != firstPage;

        for (int i = 199; i >= 0; i--) {
            long roll = log.last(mtr, fixture.under.pool, version);
            assertThat(roll).isEqualTo(rolls.get(i));
            assertThat(version.key()[0]).isEqualTo((byte) i);
            assertThat(version.valueLength()).isEqualTo(100 + i % 7);
            pop(log);
            assertThat(log.recordCount()).isEqualTo(i);
        }

        assertThat(grown).isTrue();
        assertThat(log.last(mtr, fixture.under.pool, version)).isEqualTo(RollPointer.NONE);
        assertThat(log.isWritten()).isFalse();
        assertThat(log.segment().tailPage).isEqualTo(firstPage);
        assertThat(log.segment().tailTop).isEqualTo(UndoPage.ENTRIES_OFFSET);
        assertThat(recovered().recover()).isEmpty();
    }

    @Test
    void givenARollPointer_whenFollowed_thenTheRecordIsReadAndAnothersIsNot() {
        UndoLog log = begin(100);
        long roll = append(log, 1, 20);
        UndoReader reader = new UndoReader(undo);
        UndoVersion version = new UndoVersion();
        byte[] key = {1, 2, 3};

        assertThat(reader.read(roll, TREE, key, 3, 100, version, true)).isEqualTo(Found.RECORD);
        assertThat(version.previousFlags()).isEqualTo(2);
        assertThat(reader.read(roll, TREE, key, 3, 101, version, true)).isEqualTo(Found.STALE);
        assertThat(reader.read(roll, TREE + 1, key, 3, 100, version, true)).isEqualTo(Found.STALE);
        assertThat(reader.read(roll, TREE, key, 2, 100, version, true)).isEqualTo(Found.STALE);
        pop(log);
        append(log, 9, 20);
        assertThat(reader.read(roll, TREE, key, 3, 100, version, true)).isEqualTo(Found.STALE);
        long outside = RollPointer.of(PageId.of(2, 1 << 20), 96);
        assertThat(reader.read(outside, TREE, key, 3, 100, version, true)).isEqualTo(Found.STALE);
    }

    @Test
    void givenALogHeader_whenItsTransactionCommits_thenTheNumberIsTheEndOfItsGroup() {
        UndoLog log = begin(100);
        long roll = append(log, 1, 20);
        UndoReader reader = new UndoReader(undo);
        long before = reader.commitLsn(roll, 100, new UndoVersion());

        long lsn = commit(log);

        assertThat(before).isEqualTo(UndoReader.LOG_IS_ACTIVE);
        assertThat(lsn).isEqualTo(fixture.under.log.appendLsn());
        assertThat(reader.commitLsn(roll, 100, new UndoVersion())).isEqualTo(lsn);
        assertThat(reader.commitLsn(roll, 99, new UndoVersion())).isEqualTo(UndoReader.LOG_GONE);
    }

    @Test
    void givenALogThatIsPurged_whenAsked_thenItIsGone() {
        UndoLog log = begin(100);
        long roll = 0;
        for (int i = 0; i < 100; i++) {
            long at = append(log, i, 200);
            roll = roll == 0 ? at : roll;
        }
        long lsn = commit(log);

        assertThat(purge(lsn)).isEqualTo(100);

        assertThat(new UndoReader(undo).commitLsn(roll, 100, new UndoVersion()))
                .isEqualTo(UndoReader.LOG_GONE);
        assertThat(fixture.under.counters.sum(Counter.UNDO_PAGES_PURGED)).isPositive();
    }

    @Test
    void givenCommitsInSeveralSegments_whenPurged_thenInTheirOrderAndNoFurtherThanTheHorizon() {
        UndoLog first = begin(100);
        UndoLog second = begin(101);
        UndoLog third = begin(102);
        append(first, 1, 10);
        append(second, 2, 10);
        append(third, 3, 10);
        long middle = commit(second);
        long early = fixture.under.log.appendLsn();
        long last = commit(first);
        UndoHistory history = undo.history();
        UndoVersion record = new UndoVersion();

        assertThat(history.waiting()).isEqualTo(2);
        assertThat(history.poll(middle - 1)).isNull();
        UndoSegment polled = history.poll(early);
        long roll = history.next(polled, record);
        assertThat(record.transactionId()).isEqualTo(101);
        history.again(polled);
        assertThat(history.next(polled, record)).isEqualTo(roll);
        assertThat(history.next(polled, record)).isEqualTo(RollPointer.NONE);
        history.finish(mtr, polled);

        assertThat(history.poll(early)).isNull();
        UndoSegment next = history.poll(last);
        history.next(next, record);
        assertThat(record.transactionId()).isEqualTo(100);
        history.finish(mtr, next);
        assertThat(history.waiting()).isZero();
        assertThat(history.poll(Long.MAX_VALUE)).isNull();
        commit(third);
        assertThat(history.waiting()).isEqualTo(1);
    }

    @Test
    void givenASegment_whenManyTransactionsUseIt_thenTheyShareItsPages() {
        UndoLog log = begin(100);
        append(log, 1, 10);
        UndoSegment segment = log.segment();
        commit(log);

        for (int i = 1; i < 20; i++) {
            UndoLog next = begin(100 + i);
            assertThat(next.segment()).isSameAs(segment);
            append(next, i, 10);
            commit(next);
        }

        assertThat(segment.tailPage).isEqualTo(segment.headPage);
        assertThat(purge(Long.MAX_VALUE)).isEqualTo(20);
    }

    @Test
    void givenActiveAndCommittedLogs_whenRecovered_thenLosersAndHistoryAreToldApart() {
        UndoLog committed = begin(100);
        append(committed, 1, 10);
        UndoLog active = begin(101);
        for (int i = 0; i < 60; i++) {
            append(active, i, 100);
        }
        UndoLog takenBack = begin(102);
        append(takenBack, 1, 10);
        pop(takenBack);
        UndoLog alone = begin(104);
        append(alone, 5, 10);
        commit(alone);
        commit(committed);
        // Behind a committed log in the same segment.
        UndoLog behind = begin(103);
        append(behind, 4, 10);

        UndoSystem again = recovered();
        List<UndoSystem.Loser> losers = again.recover();

        assertThat(losers)
                .extracting(UndoSystem.Loser::transactionId)
                .containsExactlyInAnyOrder(101L, 103L);
        assertThat(again.history().poll(Long.MAX_VALUE)).isNotNull();
        assertThat(again.history().poll(Long.MAX_VALUE)).isNotNull();
        assertThat(again.history().poll(Long.MAX_VALUE)).isNull();
        UndoLog resumed = new UndoLog();
        for (UndoSystem.Loser loser : losers) {
            if (loser.transactionId() == 101) {
                resumed.resume(loser.segment(), 101);
            }
        }
        int count = 0;
        UndoVersion version = new UndoVersion();
        while (resumed.last(mtr, fixture.under.pool, version) != RollPointer.NONE) {
            pop(resumed);
            count++;
        }
        assertThat(count).isEqualTo(60);
    }

    @Test
    void givenAnEmptyTailOfACrashedGrowth_whenRecovered_thenTheLogGoesOnBeforeIt() {
        UndoLog log = begin(100);
        append(log, 1, 10);
        int bytes = UndoPage.capacity(4096) - 100;
        log.ensureRoom(mtr, bytes, false);

        List<UndoSystem.Loser> losers = recovered().recover();

        assertThat(losers).hasSize(1);
        UndoLog resumed = new UndoLog();
        resumed.resume(losers.get(0).segment(), 100);
        UndoVersion version = new UndoVersion();
        assertThat(resumed.last(mtr, fixture.under.pool, version)).isNotEqualTo(RollPointer.NONE);
        assertThat(version.key()[0]).isEqualTo((byte) 1);
    }

    @Test
    void givenALogWhosePagesArePartlyGone_whenRecovered_thenPurgeBeginsWithTheNextLog() {
        UndoLog log = begin(100);
        for (int i = 0; i < 100; i++) {
            append(log, i, 200);
        }
        UndoSegment segment = log.segment();
        commit(log);
        UndoLog behind = begin(101);
        append(behind, 7, 10);
        commit(behind);
        UndoHistory history = undo.history();
        UndoVersion record = new UndoVersion();
        UndoSegment polled = history.poll(Long.MAX_VALUE);
        while (history.next(polled, record) != RollPointer.NONE) {
            assertThat(record.transactionId()).isEqualTo(100);
        }
        // As if a crash came when purge had given back the first page of the log alone.
        int first = polled.headPage;
        undo.history().freeHead(mtr, polled);

        UndoSystem again = recovered();
        again.recover();
        UndoSegment found = again.history().poll(Long.MAX_VALUE);
        again.history().next(found, record);

        assertThat(record.transactionId()).isEqualTo(101);
        assertThat(found.slot).isEqualTo(segment.slot);
        assertThat(found.headPage).isNotIn(first, found.tailPage);
    }

    @Test
    void givenRoomForTheRecordAlone_whenALogBegins_thenItsHeaderCountsToo() {
        UndoLog log = begin(100);
        int left = UndoPage.capacity(4096);

        assertThat(log.hasRoom(left - UndoEntry.LOG_HEADER_BYTES, 4096)).isTrue();
        assertThat(log.hasRoom(left - UndoEntry.LOG_HEADER_BYTES + 1, 4096)).isFalse();
        append(log, 1, 10);
        left -= UndoEntry.LOG_HEADER_BYTES + UndoEntry.recordBytes(3, 10);
        assertThat(log.hasRoom(left, 4096)).isTrue();
        assertThat(log.hasRoom(left + 1, 4096)).isFalse();
    }

    @Test
    void givenAsManyTransactionsAsSlots_whenOneMoreBegins_thenThereIsNoSegment() {
        int slots = UndoDirectory.slots(4096);
        List<UndoSegment> taken = new ArrayList<>();
        for (int i = 0; i < 2 * slots; i++) {
            UndoSegment segment = undo.take(mtr);
            assertThat(segment).as("i=" + i).isNotNull();
            taken.add(segment);
        }

        assertThat(undo.take(mtr)).isNull();

        undo.giveBack(taken.get(5));
        assertThat(undo.take(mtr)).isSameAs(taken.get(5));
    }

    @ParameterizedTest
    @ValueSource(ints = {4096, 8192, 16384, 32768, 65536})
    void givenTheLargestRecords_whenAppended_thenPageAndRedoHaveRoom(int pageBytes) {
        fixture.close();
        open(pageBytes);
        UndoLog log = begin(100);
        int keyLength = TreeLimits.keyBytesMax(pageBytes);
        int valueLength = TreeLimits.recordBytesMax(pageBytes);

        for (int i = 0; i < 6; i++) {
            append(log, new byte[keyLength], valueLength);
        }

        UndoVersion version = new UndoVersion();
        log.last(mtr, fixture.under.pool, version);
        assertThat(version.keyLength()).isEqualTo(keyLength);
        assertThat(version.valueLength()).isEqualTo(valueLength);
    }

    private UndoLog begin(long id) {
        UndoLog log = new UndoLog();
        log.begin(undo.take(mtr), id);
        return log;
    }

    private long append(UndoLog log, int key, int valueLength) {
        return append(log, new byte[] {(byte) key, 2, 3}, valueLength);
    }

    /** With the bounds that a change of a row asks for. */
    private long append(UndoLog log, byte[] key, int valueLength) {
        ByteBuffer value = ByteBuffer.allocateDirect(valueLength);
        PageMemory.fill(value, 0, valueLength, (byte) 0x5A);
        UndoImage image =
                new UndoImage()
                        .set(UndoEntry.UPDATE, TREE, log.transactionId(), key, key.length)
                        .previous(2, 7, 11)
                        .value(value, 0, valueLength);
        log.ensureRoom(mtr, image.recordBytes(), false);
        mtr.begin(UndoLog.appendRedoBytesMax(key.length, valueLength), 0, false);
        try {
            long roll = log.append(mtr, log.fix(mtr), image);
            mtr.commit();
            return roll;
        } catch (Throwable t) {
            throw mtr.failed(t);
        }
    }

    private void pop(UndoLog log) {
        mtr.begin(UndoLog.popRedoBytes(), 0, true);
        try {
            log.pop(mtr, log.fix(mtr));
            mtr.commit();
        } catch (Throwable t) {
            throw mtr.failed(t);
        }
    }

    private long commit(UndoLog log) {
        mtr.begin(UndoLog.commitRedoBytes(), 1, true);
        long lsn;
        try {
            log.fixHeader(mtr);
            log.markCommitted(mtr);
            lsn = mtr.commit();
        } catch (Throwable t) {
            throw mtr.failed(t);
        }
        UndoSegment segment = log.end();
        undo.history().announce(segment);
        undo.giveBack(segment);
        return lsn;
    }

    /** Purges to the end; returns how many records there were. */
    private int purge(long horizon) {
        int records = 0;
        UndoVersion record = new UndoVersion();
        UndoHistory history = undo.history();
        for (UndoSegment at = history.poll(horizon); at != null; at = history.poll(horizon)) {
            while (history.next(at, record) != RollPointer.NONE) {
                records++;
            }
            history.finish(mtr, at);
        }
        return records;
    }
}
