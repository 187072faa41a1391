// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.EngineFailedException;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.watch.Counter;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** If this failed, pages would not be found, read, given back or refused as they must. */
final class BufferPoolTest {
    private static final long PAGE = PageId.of(16, 5);

    private final PoolFixture fixture = new PoolFixture(64);
    private final BufferPool pool = fixture.pool;

    @AfterEach
    void close() {
        assertThat(pool.checkInvariants()).isEmpty();
        fixture.close();
    }

    @Test
    void givenAPageOnDisk_whenFixedTwice_thenItIsReadOnce() {
        fixture.putOnDisk(PAGE, 42);

        assertThat(fixture.read(PAGE)).isEqualTo(42);
        assertThat(fixture.read(PAGE)).isEqualTo(42);

        assertThat(fixture.store.reads.get()).isEqualTo(1);
    }

    @Test
    void givenReadsThatFailThreeTimes_whenFixed_thenTheFourthIsTaken() {
        fixture.putOnDisk(PAGE, 42);
        fixture.store.readsToFail.set(3);

        assertThat(fixture.read(PAGE)).isEqualTo(42);

        assertThat(fixture.counters.sum(Counter.PAGE_READ_RETRIES)).isEqualTo(3);
    }

    @Test
    void givenAnErrorInARead_whenFixed_thenTheEngineFailsAndNoLatchStays() {
        fixture.putOnDisk(PAGE, 42);
        int free = pool.freeCount();
        fixture.store.readError = new OutOfMemoryError("planted");

        assertThatThrownBy(() -> pool.fixShared(PAGE)).hasMessage("planted");

        assertThat(fixture.health.failed()).isTrue();
        assertThat(pool.find(PAGE)).isEqualTo(-1);
        assertThat(pool.freeCount()).isEqualTo(free);
        assertThat(pool.checkInvariants()).isEmpty();
        assertThatThrownBy(() -> pool.fixShared(PAGE)).isInstanceOf(EngineFailedException.class);
    }

    @Test
    void givenReadsThatGoOnFailing_whenFixed_thenTheErrorNamesThePageAndNothingStays() {
        fixture.putOnDisk(PAGE, 42);
        fixture.store.readsToFail.set(4);
        int free = pool.freeCount();

        assertThatThrownBy(() -> pool.fixShared(PAGE))
                .isInstanceOf(CorruptionException.class)
                .hasCauseInstanceOf(IOException.class)
                .hasMessageContaining("space-16.hfs")
                .hasMessageContaining("page=5");

        assertThat(pool.find(PAGE)).isEqualTo(-1);
        assertThat(pool.freeCount()).isEqualTo(free);
        assertThat(fixture.read(PAGE)).isEqualTo(42);
    }

    @Test
    void givenADamagedPage_whenFixed_thenItIsNeverServed() {
        fixture.putOnDisk(PAGE, 42);
        fixture.store.writtenPage(PAGE)[1000] ^= 1;

        assertThatThrownBy(() -> pool.fixShared(PAGE))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("checksum");
        assertThatThrownBy(() -> pool.load(PAGE, true)).isInstanceOf(CorruptionException.class);

        assertThat(pool.find(PAGE)).isEqualTo(-1);
        fixture.store.writtenPage(PAGE)[1000] ^= 1;
        assertThat(fixture.read(PAGE)).isEqualTo(42);
    }

    @Test
    void givenAPageFromAboveTheLogsEnd_whenFixed_thenItIsRefused() {
        fixture.putOnDisk(PAGE, 42, fixture.log.appendLsn() + 1);

        assertThatThrownBy(() -> pool.fixShared(PAGE))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("pageLsn=1001");
    }

    @Test
    void givenAPlaceBeyondTheFile_whenFixed_thenItIsDamage() {
        assertThatThrownBy(() -> pool.fixShared(PageId.of(16, 999)))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("end of the file");
    }

    @Test
    void givenMoreCleanPagesThanFrames_whenRead_thenUserThreadsEvictAndNothingIsWritten() {
        for (int i = 0; i < 500; i++) {
            fixture.putOnDisk(PageId.of(16, i + 1), i);
        }

        for (int i = 0; i < 500; i++) {
            pool.load(PageId.of(16, i + 1), true);
            assertThat(fixture.read(PageId.of(16, i + 1))).isEqualTo(i);
        }

        assertThat(fixture.store.writes.get()).isZero();
        assertThat(fixture.counters.sum(Counter.PAGES_EVICTED)).isEqualTo(500 - 64);
    }

    @Test
    void givenAVersion_whenTheFrameWentToAnotherPageAndCameBack_thenItDoesNotValidate() {
        fixture.putOnDisk(PAGE, 42);
        int frame = pool.load(PAGE, false);
        long version = pool.optimisticVersion(frame, PAGE);
        assertThat(pool.validate(frame, version)).isTrue();
        pool.discardSpace(16);

        while (pool.find(PAGE) != frame) {
            pool.discardSpace(16);
            pool.load(PAGE, false);
        }

        assertThat(pool.holds(frame, PAGE)).isTrue();
        assertThat(pool.validate(frame, version)).isFalse();
        assertThat(pool.upgrade(frame, PAGE, version)).isFalse();
    }

    @Test
    void givenAScan_whenItIsFourTimesThePool_thenTheHotPagesStay() {
        for (int i = 0; i < 300; i++) {
            fixture.putOnDisk(PageId.of(16, i + 1), i);
        }
        for (int i = 0; i < 16; i++) {
            fixture.read(PageId.of(16, i + 1));
        }
        fixture.store.reads.set(0);

        for (int i = 16; i < 272; i++) {
            long page = PageId.of(16, i + 1);
            int frame = pool.load(page, true);
            pool.touch(frame);
            pool.touch(pool.find(PageId.of(16, i % 16 + 1)));
        }

        assertThat(fixture.store.reads.get()).isEqualTo(256);
        for (int i = 0; i < 16; i++) {
            assertThat(pool.find(PageId.of(16, i + 1))).isNotEqualTo(-1);
        }
    }

    @Test
    void givenAStock_whenThePoolIsFull_thenNewPagesTakeItsFramesAndTheRestComesBack() {
        FrameStock stock = pool.reserve(3);
        int free = pool.freeCount();

        int frame = pool.fixNew(PAGE, stock);
        pool.unfixExclusive(frame);
        stock.close();

        assertThat(free).isEqualTo(61);
        assertThat(pool.freeCount()).isEqualTo(63);
        assertThat(pool.find(PAGE)).isEqualTo(frame);
    }

    @Test
    void givenAFreedPageStillInItsFrame_whenMadeNew_thenThatFrameIsUsedAndKeepsItsRecoveryLsn() {
        fixture.putOnDisk(PAGE, 42);
        fixture.change(PAGE, 43);
        int frame = pool.find(PAGE);
        long recoveryLsn = pool.oldestRecoveryLsn(Long.MAX_VALUE);
        FrameStock stock = pool.reserve(1);

        int again = pool.fixNew(PAGE, stock);
        pool.unfixExclusive(again);
        stock.close();

        assertThat(again).isEqualTo(frame);
        assertThat(pool.oldestRecoveryLsn(Long.MAX_VALUE)).isEqualTo(recoveryLsn);
    }

    @Test
    void givenDirtyPages_whenTheirSpaceIsDiscarded_thenTheyLeaveWithoutAWrite() {
        fixture.putOnDisk(PAGE, 42);
        fixture.putOnDisk(PageId.of(17, 1), 43);
        fixture.change(PAGE, 1);
        fixture.change(PageId.of(17, 1), 2);

        pool.discardSpace(16);

        assertThat(pool.dirtyCount()).isEqualTo(1);
        assertThat(pool.find(PAGE)).isEqualTo(-1);
        assertThat(fixture.store.writes.get()).isZero();
    }

    @Test
    void givenPagesOfTwoTrees_whenOneIsDiscarded_thenTheOtherStays() {
        fixture.putOnDisk(PAGE, 42);
        fixture.change(PAGE, 1);

        pool.discardTree(16, 17);
        assertThat(pool.dirtyCount()).isEqualTo(1);
        pool.discardTree(16, 16);

        assertThat(pool.dirtyCount()).isZero();
    }

    @Test
    void givenAShrunkSpace_whenDiscardedFromAPage_thenTheFormerPagesStay() {
        fixture.putOnDisk(PageId.of(16, 5), 42);
        fixture.putOnDisk(PageId.of(16, 6), 43);
        fixture.read(PageId.of(16, 5));
        fixture.read(PageId.of(16, 6));

        pool.discardFrom(16, 6);

        assertThat(pool.find(PageId.of(16, 5))).isNotEqualTo(-1);
        assertThat(pool.find(PageId.of(16, 6))).isEqualTo(-1);
    }
}
