// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.holdfast.CloseMode;
import dev.holdfast.CorruptionException;
import dev.holdfast.Engine;
import dev.holdfast.Isolation;
import dev.holdfast.RetryableException;
import dev.holdfast.Table;
import dev.holdfast.Transaction;
import dev.holdfast.TransactionOptions;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.sim.CrashHarness;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.SimulatedDisk;
import dev.holdfast.sync.Latch;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Checks that the checks notice. Each fault that product code can be told to make is made here, and
 * the rig that is meant to notice it must fail; without the fault the same rig passes. If this
 * failed, a rig would prove nothing.
 */
final class PlantedFaultTest {
    private static final String CHILD_FOUND = "btree.descent.childFound";
    private static final int IMAGES_UNTIL_NOTICED = 5000;
    private static final int IMAGES_WITHOUT_FAULT = 600;
    private static final int ROWS = 600;
    private static final int WAIT_MILLIS = 2000;

    /** A fault, and the rig that is meant for it. */
    enum Meant {
        ACK_BEFORE_SYNC(PlantedFaultTest::crashEverywhere),
        NO_DIRECTORY_SYNC(PlantedFaultTest::crashEverywhere),
        NO_DOUBLEWRITE(PlantedFaultTest::crashEverywhere),
        NO_WRITE_AHEAD(PlantedFaultTest::crashEverywhere),
        CHECKPOINT_BEFORE_DATA_SYNC(PlantedFaultTest::crashEverywhere),
        LOG_HOLE_SKIPPED(PlantedFaultTest::crashEverywhere),
        REDO_OFF_BY_ONE(PlantedFaultTest::crashEverywhere),
        ROLLBACK_NOT_LOGGED(PlantedFaultTest::crashEverywhere),
        LOSER_KEPT(PlantedFaultTest::crashEverywhere),
        CONFLICT_CHECK_SKIPPED(PlantedFaultTest::loseUpdate),
        TORN_PAGE_ACCEPTED(PlantedFaultTest::rotBits),
        CHILD_NOT_REVALIDATED(PlantedFaultTest::splitUnderAReader),
        WAKE_UP_LOST(PlantedFaultTest::waitForALatch);

        final Rig rig;

        Meant(Rig rig) {
            this.rig = rig;
        }
    }

    private interface Rig {
        void run() throws Exception;
    }

    @AfterEach
    void unplant() {
        TestHooks.reset();
    }

    @ParameterizedTest
    @EnumSource
    void givenAFault_whenTheRigForItRuns_thenItNotices(Meant meant) {
        TestHooks.plant(PlantedFault.valueOf(meant.name()));

        Throwable noticed = catchThrowable(meant.rig::run);

        assertThat(noticed)
                .as("what the rig says of %s", meant)
                .isInstanceOfAny(AssertionError.class, CorruptionException.class);
    }

    @ParameterizedTest
    @EnumSource(
            names = {
                "CONFLICT_CHECK_SKIPPED",
                "TORN_PAGE_ACCEPTED",
                "CHILD_NOT_REVALIDATED",
                "WAKE_UP_LOST"
            })
    void givenNoFault_whenEachOfTheOtherRigsRuns_thenItPasses(Meant meant) {
        assertThatCode(meant.rig::run).doesNotThrowAnyException();
    }

    @Test
    void givenNoFault_whenCrashedEverywhere_thenTheRigPasses() {
        assertThatCode(() -> crash(IMAGES_WITHOUT_FAULT)).doesNotThrowAnyException();
    }

    static void crashEverywhere() throws Exception {
        crash(IMAGES_UNTIL_NOTICED);
    }

    private static void crash(int images) throws Exception {
        SeededRandom random = new SeededRandom(5);
        SimulatedDisk disk = new CrashWorkload(random.seed(), 3, 25).run();
        new CrashHarness("planted", disk.trace(), random.seed())
                .images(images)
                .nested(2, 0.05, 0.25, 4)
                .threads(2)
                .shrinkTries(0)
                .run(new CrashCheck(random.seed(), 4));
    }

    /** P1: the reader knows the child, then the child is split, then the reader looks into it. */
    static void splitUnderAReader() throws Exception {
        try (RigEngine opened = RigEngine.open(MemoryDirectory.create())) {
            Engine engine = opened.engine();
            Table table = engine.table("rows");
            for (int row = 0; row < ROWS; row++) {
                put(engine, table, String.format("%04d", row));
            }
            String wanted = String.format("%04d", ROWS / 2);
            CountDownLatch found = new CountDownLatch(1);
            CountDownLatch split = new CountDownLatch(1);
            AtomicReference<byte[]> value = new AtomicReference<>();
            Thread reader =
                    new Thread(
                            () ->
                                    value.set(
                                            engine.read(
                                                    snapshot ->
                                                            snapshot.get(
                                                                    table, Keys.bytes(wanted)))));
            TestHooks.onReached(
                    CHILD_FOUND,
                    () -> {
                        if (Thread.currentThread() == reader && found.getCount() > 0) {
                            found.countDown();
                            await(split);
                        }
                    });
            reader.start();
            await(found);
            String before = String.format("%04d", ROWS / 2 - 1);
            for (int i = 100; i < 300; i++) {
                put(engine, table, before + i);
            }
            split.countDown();
            reader.join();
            assertThat(value.get()).as("the row that was moved by the split").isNotNull();
        }
    }

    private static void put(Engine engine, Table table, String key) {
        engine.write(
                transaction -> {
                    transaction.put(table, Keys.bytes(key), Value.of(1, 100).bytes());
                    return null;
                });
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Whoever sleeps for a latch is woken when it is released. */
    static void waitForALatch() throws InterruptedException {
        Latch latch = new Latch(CoreSites.SPACE);
        latch.acquireExclusive();
        long parks = CoreSites.SPACE.counters().parks();
        Thread waiter =
                new Thread(
                        () -> {
                            latch.acquireExclusive();
                            latch.releaseExclusive();
                        });
        waiter.setDaemon(true);
        waiter.start();
        while (CoreSites.SPACE.counters().parks() == parks) {
            Thread.onSpinWait();
        }
        latch.releaseExclusive();
        waiter.join(WAIT_MILLIS);
        assertThat(waiter.isAlive()).as("sleeps for a latch that is free").isFalse();
    }

    static void loseUpdate() {
        TransactionOptions options = TransactionOptions.defaults().isolation(Isolation.SNAPSHOT);
        byte[] key = {1};
        try (RigEngine opened = RigEngine.open(MemoryDirectory.create())) {
            Engine engine = opened.engine();
            Table table = engine.table("counter");
            engine.write(
                    transaction -> {
                        transaction.put(table, key, new byte[] {0});
                        return null;
                    });
            try (Transaction one = engine.begin(options);
                    Transaction two = engine.begin(options)) {
                byte seen = one.get(table, key)[0];
                assertThat(two.get(table, key)[0]).isEqualTo(seen);
                one.put(table, key, new byte[] {(byte) (seen + 1)});
                one.commit();
                assertThatThrownBy(() -> two.put(table, key, new byte[] {(byte) (seen + 1)}))
                        .isInstanceOf(RetryableException.class);
            }
        }
    }

    /** A page that changed on the disk must not be believed. */
    static void rotBits() throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        var clean = RigEngine.options().closeMode(CloseMode.CLEAN).build();
        try (RigEngine opened = RigEngine.open(disk.directory(), clean)) {
            new PairedRows(opened.engine(), 400, 240).load();
        }
        byte[] file = disk.contents("main.hfs");
        for (int page = 4; page * RigEngine.PAGE_BYTES < file.length; page += 3) {
            int at = page * RigEngine.PAGE_BYTES + 3000;
            if (file[at] != 0) {
                disk.flipBit("main.hfs", at, 3);
            }
        }
        try (RigEngine opened = RigEngine.open(disk.directory(), clean)) {
            PairedRows rows = new PairedRows(opened.engine(), 400, 240);
            assertThatThrownBy(() -> rows.checkAll(new SeededRandom(1)))
                    .isInstanceOf(CorruptionException.class);
        }
    }
}
