// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ChecksumConversion;
import dev.holdfast.ChecksumKind;
import dev.holdfast.Crc32Checksum;
import dev.holdfast.CustomChecksum;
import dev.holdfast.DoublewriteMode;
import dev.holdfast.Engine;
import dev.holdfast.EngineClosedException;
import dev.holdfast.EngineFailedException;
import dev.holdfast.EngineOptions;
import dev.holdfast.FormatException;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import dev.holdfast.Transaction;
import dev.holdfast.WaitInterruptedException;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.space.AllocationMap;
import dev.holdfast.core.space.Space;
import dev.holdfast.core.space.SpaceCheck;
import dev.holdfast.core.space.SpaceConversion;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SimulatedDisk;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.Logger;

/**
 * Files that get another kind of checksum. If this failed, pages would keep the old kind while
 * their file says otherwise, and could not be read any more; or a conversion would not end.
 */
final class ChecksumConversionTest {
    private static final int PAGE_BYTES = 4096;
    private static final int ROWS = 300;
    private static final String CUSTOM = "CRC32";
    private static final long LIMIT_NANOS = Duration.ofSeconds(30).toNanos();

    private final TestEngines engines = new TestEngines();
    private final SimulatedDisk disk = SimulatedDisk.create();
    private final ExecutorService callers = Executors.newCachedThreadPool();

    @AfterEach
    void close() {
        TestHooks.reset();
        engines.close();
        callers.shutdownNow();
    }

    @ParameterizedTest
    @CsvSource({
        "NONE, LEGACY", "NONE, WORD", "NONE, CRC32C", "NONE, CRC32",
        "LEGACY, NONE", "LEGACY, WORD", "LEGACY, CRC32C", "LEGACY, CRC32",
        "WORD, NONE", "WORD, LEGACY", "WORD, CRC32C", "WORD, CRC32",
        "CRC32C, NONE", "CRC32C, LEGACY", "CRC32C, WORD", "CRC32C, CRC32",
        "CRC32, NONE", "CRC32, LEGACY", "CRC32, WORD", "CRC32, CRC32C"
    })
    void givenFilesOfOneKind_whenConverted_thenAllPagesBearTheOther(String from, String to) {
        Engine engine = engines.open(disk, options().checksum(from).build());
        fill(engine);
        engine = engines.reopen(engine);
        assertThat(kindsOnDisk(engine)).containsOnlyKeys(from);

        ChecksumConversion result = engine.convertChecksums(to);

        assertThat(result.isComplete()).as(result.toText()).isTrue();
        assertThat(result.kind()).isEqualTo(to);
        assertThat(result.spaces()).isEqualTo(4).isEqualTo(result.spacesDone());
        assertThat(result.pages()).isPositive().isEqualTo(result.pagesDone());
        assertThat(engine.checksumConversion()).isEqualTo(result);
        assertThat(kindsOnDisk(engine)).containsOnlyKeys(to);
        assertThat(engine.status())
                .contains("checksums=" + to + '\n')
                .doesNotContain("checksums=" + from + '\n');
        check(engine);
        check(engines.reopen(engine));
    }

    @Test
    void givenATableThatIsCreatedAfterwards_whenWritten_thenItsPagesBearTheNewKind() {
        Engine engine = engines.open(disk, options().build());
        engine.convertChecksums(ChecksumKind.WORD);

        fill(engine);
        engine.checkpoint();

        assertThat(kindsOnDisk(engine)).containsOnlyKeys("WORD");
    }

    @Test
    void givenAStoreOfAnotherKind_whenOpenedWithTheDefault_thenItsFilesKeepTheirs() {
        Engine engine = engines.open(disk, options().checksum(ChecksumKind.LEGACY).build());
        fill(engine);
        engine.close();

        Engine again = engines.open(disk, options().build());
        again.table("new", TableOptions.ownSpace());
        again.checkpoint();

        assertThat(kindsOnDisk(again)).containsOnlyKeys("LEGACY", "CRC32C");
        await(() -> again.checksumConversion().isComplete());
        assertThat(again.checksumConversion().kind()).isEmpty();
    }

    @Test
    void givenTheKindThatPagesHave_whenConverted_thenNoPageIsWritten() {
        Engine engine = engines.open(disk, options().build());
        fill(engine);
        engine.checkpoint();

        ChecksumConversion result = engine.convertChecksums("crc32c");

        assertThat(result.isComplete()).isTrue();
        assertThat(count(engine, Counter.SPACE_PAGES_CONVERTED)).isZero();
        assertThatThrownBy(() -> engine.convertChecksums("MD5"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("MD5");
    }

    @Test
    void givenAConversionUnderWay_whenClosedAndOpened_thenItGoesOnWhereItWas() throws Exception {
        Engine engine = engines.open(disk, options().checksum(ChecksumKind.LEGACY).build());
        fill(engine);
        engine.close();
        EngineOptions slow = options().ioCapacity(100).build();
        Engine converting = engines.open(disk, slow);
        Future<ChecksumConversion> call = callers.submit(() -> converting.convertChecksums(CUSTOM));
        await(() -> count(converting, Counter.SPACE_PAGES_CONVERTED) >= 20);
        converting.close();
        long before = count(converting, Counter.SPACE_PAGES_CONVERTED);

        assertThatThrownBy(call::get)
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(EngineClosedException.class);
        Engine again = engines.open(disk, options().ioCapacity(10_000).build());
        await(() -> again.checksumConversion().isComplete());

        assertThat(again.checksumConversion().kind()).isEqualTo("PENDING");
        assertThat(kindsOnDisk(again)).containsOnlyKeys(CUSTOM);
        long pages = kindsOnDisk(again).get(CUSTOM);
        assertThat(before + count(again, Counter.SPACE_PAGES_CONVERTED)).isLessThan(pages + 10);
        check(again);
    }

    @Test
    void givenAConversionUnderWay_whenAnotherKindIsWanted_thenAllPagesGetThat() throws Exception {
        Engine engine = engines.open(disk, options().checksum(ChecksumKind.LEGACY).build());
        fill(engine);
        engine.close();
        Engine converting = engines.open(disk, options().ioCapacity(100).build());
        Future<?> call = callers.submit(() -> converting.convertChecksums(ChecksumKind.WORD));
        await(() -> count(converting, Counter.SPACE_PAGES_CONVERTED) >= 20);
        converting.close();
        Engine again = engines.open(disk, options().ioCapacity(10_000).build());

        assertThat(call).failsWithin(Duration.ofSeconds(10));

        ChecksumConversion result = again.convertChecksums(ChecksumKind.CRC32C);

        assertThat(result.isComplete()).as(result.toText()).isTrue();
        assertThat(kindsOnDisk(again)).containsOnlyKeys("CRC32C");
        check(again);
    }

    @Test
    void givenACallerWhoIsInterrupted_whenHeGoes_thenTheConversionComesThrough() throws Exception {
        Engine engine = engines.open(disk, options().build());
        fill(engine);
        CountDownLatch begun = new CountDownLatch(1);
        TestHooks.onReached(SpaceConversion.BEGUN, begun::countDown);
        AtomicBoolean kept = new AtomicBoolean();
        Thread caller =
                new Thread(
                        () -> {
                            assertThatThrownBy(() -> engine.convertChecksums("WORD"))
                                    .isInstanceOf(WaitInterruptedException.class);
                            kept.set(Thread.currentThread().isInterrupted());
                        });
        caller.start();
        begun.await();
        caller.interrupt();
        caller.join();

        await(() -> engine.checksumConversion().isComplete());

        assertThat(kept).isTrue();
        assertThat(kindsOnDisk(engine)).containsOnlyKeys("WORD");
    }

    @Test
    void givenAGroupThatIsNotPublished_whenFilesAreBegun_thenPagesKeepTheirKindUntilItIs()
            throws Exception {
        Engine engine = engines.open(disk, options().build());
        fill(engine);
        CountDownLatch open = new CountDownLatch(1);
        CountDownLatch mayGo = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(4);
        CountDownLatch switched = new CountDownLatch(1);
        Thread writer = new Thread(() -> engine.write(tx -> put(engine, tx)));
        TestHooks.onReached(MiniTransaction.RESERVED, () -> hold(writer, open, mayGo));
        TestHooks.onReached(SpaceConversion.BEGUN, begun::countDown);
        TestHooks.onReached(SpaceConversion.SWITCHED, switched::countDown);
        // What the writer holds is not to be written for the conversion.
        engine.checkpoint();
        writer.start();
        open.await();

        Future<ChecksumConversion> call = callers.submit(() -> engine.convertChecksums("WORD"));
        begun.await();
        boolean early = switched.await(100, TimeUnit.MILLISECONDS);
        mayGo.countDown();

        assertThat(early).isFalse();
        assertThat(call.get().isComplete()).isTrue();
        writer.join();
    }

    private static Void put(Engine engine, Transaction transaction) {
        transaction.put(engine.table("shared"), key(1), new byte[400]);
        return null;
    }

    private static void hold(Thread writer, CountDownLatch open, CountDownLatch mayGo) {
        if (Thread.currentThread() == writer) {
            open.countDown();
            while (mayGo.getCount() > 0) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }

    /** A page that is free may be torn legally: redo behind its free record would read it. */
    @Test
    void givenAPageThatIsFreedAtThatMoment_whenKilled_thenRecoveryDoesNotReadIt() throws Exception {
        Engine engine = engines.open(disk, options().doublewrite(DoublewriteMode.OFF).build());
        fill(engine);
        engine.checkpoint();
        int freed = 20;
        AtomicReference<SimulatedDisk> killed = new AtomicReference<>();
        AtomicBoolean wasFreed = new AtomicBoolean();
        TestHooks.onReached(
                SpaceConversion.LOADED,
                () -> {
                    long page = engine.checksumConversion().pagesDone();
                    if (page == freed && killed.get() == null) {
                        deleteAll(engine);
                        wasFreed.set(awaitFree(engine, freed));
                    } else if (page > freed && wasFreed.get() && killed.get() == null) {
                        engine.write(transaction -> put(engine, transaction));
                        killed.set(disk.crash(CrashMode.ALL_PENDING, 0).disk());
                    }
                });

        engine.convertChecksums("WORD");
        assertThat(killed.get()).isNotNull();
        flip(killed.get(), freed * (long) PAGE_BYTES + 2000);

        Engine recovered = engines.open(killed.get(), options().build());
        assertThat((boolean) recovered.read(s -> s.contains(recovered.table("shared"), key(1))))
                .isTrue();
    }

    private static void deleteAll(Engine engine) {
        Table table = engine.table("shared");
        engine.write(
                transaction -> {
                    for (int i = 0; i < ROWS; i++) {
                        transaction.delete(table, key(i));
                    }
                    return null;
                });
    }

    private static boolean awaitFree(Engine engine, int page) {
        Space main = EngineProbe.spaces(engine).get(1);
        await(() -> main.ownerOf(page) == AllocationMap.NO_OWNER);
        return true;
    }

    @Test
    void givenADamagedPage_whenConverted_thenItIsNamedLeftAndTriedAgain() throws IOException {
        Engine engine = engines.open(disk, withoutCopies().build());
        fill(engine);
        engine.close();
        long at = 40L * PAGE_BYTES + 2000;
        flip(at);
        byte[] damaged = page(40);
        Engine again = engines.open(disk, options().build());
        engines.unverified(again);

        ChecksumConversion result = again.convertChecksums(ChecksumKind.CRC32C);

        assertThat(result.isComplete()).as(EngineProbe.recovery(again).toString()).isFalse();
        assertThat(result.running()).isFalse();
        assertThat(result.spacesDone()).isEqualTo(3);
        assertThat(result.damaged()).hasSize(1);
        assertThat(result.toText()).contains("space=1", "page=40", "LEGACY checksum=");
        assertThat(again.status()).contains("checksums=LEGACY+CRC32C");
        assertThat(page(40)).isEqualTo(damaged);
        again.close();
        flip(at);
        Engine healed = engines.open(disk, options().build());
        await(() -> healed.checksumConversion().isComplete());
        assertThat(kindsOnDisk(healed)).containsOnlyKeys("CRC32C");
        check(healed);
    }

    @Test
    void givenAHeaderThatBecomesUnreadable_whenItsFileIsToEnd_thenItIsNamedAndTheOthersEnd()
            throws Exception {
        Engine engine = engines.open(disk, options().checksum(ChecksumKind.LEGACY).build());
        fill(engine);
        engines.unverified(engine);
        int own = EngineProbe.catalog(engine).find("own").orElseThrow().space().spaceId();
        AtomicBoolean wasDone = new AtomicBoolean();
        TestHooks.onReached(
                SpaceConversion.FINISHED,
                () -> {
                    if (wasDone.compareAndSet(false, true)) {
                        disk.faults()
                                .add(
                                        Fault.on(Operation.READ, "space-*")
                                                .sticky()
                                                .error(Fault.IO_ERROR));
                        EngineProbe.pool(engine).discardFrom(own, 0);
                    }
                });
        Future<ChecksumConversion> call = callers.submit(() -> engine.convertChecksums("WORD"));

        ChecksumConversion result = call.get(20, TimeUnit.SECONDS);

        disk.faults().clear();
        assertThat(result.spacesDone()).isEqualTo(3);
        assertThat(result.damaged()).hasSize(1);
        assertThat(result.toText()).contains("space=" + own, "page=0");
        assertThat(engine.convertChecksums("WORD").isComplete()).isTrue();
    }

    @Test
    void givenALogThatThrows_whenAConversionEnds_thenItHasEndedAndTheEngineWorks() {
        Engine engine = engines.open(disk, options().build());
        fill(engine);
        await(() -> engine.checksumConversion().isComplete());
        StorageLayer storage = ((EngineImpl) engine).storage();
        Logger throwing =
                (Logger)
                        Proxy.newProxyInstance(
                                getClass().getClassLoader(),
                                new Class<?>[] {Logger.class},
                                (proxy, method, values) -> {
                                    throw new IllegalStateException("planned");
                                });
        ConversionJob job =
                new ConversionJob(
                        storage,
                        EngineProbe.catalog(engine),
                        storage.spaces().files().checksums().byName("WORD"),
                        throwing);

        while (!job.hasEnded()) {
            job.step();
        }

        assertThat(job.progress().isComplete()).isTrue();
        assertThat(storage.health().warningsLost()).isEqualTo(1);
        check(engine);
    }

    /** Its header has three places for names of kinds from outside. */
    @Test
    void givenADamagedPageThatHoldsUpThreeKinds_whenAFourthIsWanted_thenTheFileIsLeftAndNamed()
            throws IOException {
        Engine engine = engines.open(disk, withoutCopies().build());
        fill(engine);
        engine.close();
        flip(40L * PAGE_BYTES + 2000);
        CustomChecksum[] kinds = new CustomChecksum[4];
        for (int i = 0; i < kinds.length; i++) {
            kinds[i] = new Crc32Checksum(20 + i, "KIND" + i);
        }
        EngineOptions four = TestEngines.small().customChecksums(kinds).ioCapacity(20_000).build();
        Engine again = engines.open(disk, four);
        engines.unverified(again);
        for (int i = 0; i < kinds.length - 1; i++) {
            again.convertChecksums("KIND" + i);
        }

        ChecksumConversion result = again.convertChecksums("KIND3");

        assertThat(result.spacesDone()).isEqualTo(3);
        assertThat(result.toText()).contains("space=1", "page=0", "checksum=KIND3, max=3");
        assertThat(again.status()).contains("checksums=LEGACY+KIND0+KIND1+KIND2");
        assertThat(again.convertChecksums("KIND2").spacesDone()).isEqualTo(3);
    }

    @Test
    void givenAKindThatIsNotSupplied_whenOpened_thenItIsNamed() {
        Engine engine = engines.open(disk, options().checksum(CUSTOM).build());
        fill(engine);
        engine.close();

        EngineOptions without = TestEngines.small().build();
        assertThatThrownBy(() -> EngineAssembly.open(disk.directory(), without))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("checksum=CRC32, code=17")
                .hasMessageContaining("CRC32C");
        CustomChecksum other = new Crc32Checksum(17, "OTHER");
        EngineOptions renamed = TestEngines.small().customChecksums(other).build();
        assertThatThrownBy(() -> EngineAssembly.open(disk.directory(), renamed))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("checksum=OTHER, code=17");
        EngineOptions unknown = options().checksum("MD5").build();
        assertThatThrownBy(() -> EngineAssembly.open(disk.directory(), unknown))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("MD5");
        check(engines.open(disk, options().build()));
    }

    @Test
    void givenAKindThatThrowsWhenAPageIsSealed_whenOpenedWithASoundOne_thenNothingIsLost() {
        Failing failing = new Failing(new AtomicBoolean());
        EngineOptions bad = TestEngines.small().customChecksums(failing).checksum(CUSTOM).build();
        Engine engine = engines.open(disk, bad);
        fill(engine);
        failing.fails.set(true);

        assertThatThrownBy(engine::checkpoint)
                .isInstanceOf(EngineFailedException.class)
                .hasStackTraceContaining("name=CRC32, code=17");
        engine.close();

        failing.fails.set(false);
        check(engines.open(disk, bad));
    }

    private static EngineOptions.Builder options() {
        return TestEngines.small().customChecksums(Crc32Checksum.standard()).ioCapacity(20_000);
    }

    /** For what is to be damaged after a close: the next open would mend it from its last copy. */
    private static EngineOptions.Builder withoutCopies() {
        return options().checksum(ChecksumKind.LEGACY).doublewrite(DoublewriteMode.OFF);
    }

    /** Rows in the main file, in one of their own, long values, and history. */
    private static void fill(Engine engine) {
        Table shared = engine.table("shared");
        Table own = engine.table("own", TableOptions.ownSpace());
        for (int i = 0; i < ROWS; i++) {
            int row = i;
            engine.write(
                    transaction -> {
                        transaction.put(shared, key(row), new byte[row % 50 == 0 ? 9000 : 400]);
                        transaction.put(own, key(row), new byte[300]);
                        return null;
                    });
        }
    }

    private static void check(Engine engine) {
        engine.read(
                snapshot -> {
                    for (int i = 0; i < ROWS; i++) {
                        int bytes = i % 50 == 0 ? 9000 : 400;
                        assertThat(snapshot.get(engine.table("shared"), key(i))).hasSize(bytes);
                        assertThat(snapshot.get(engine.table("own"), key(i))).hasSize(300);
                    }
                    return null;
                });
        assertThat(engine.verify().isSound()).as(engine.verify().toText()).isTrue();
    }

    private static byte[] key(int row) {
        return String.format("%06d", row).getBytes(UTF_8);
    }

    /** How many pages in use bear which kind, in the files. */
    private static Map<String, Long> kindsOnDisk(Engine engine) {
        Map<String, Long> kinds = new TreeMap<>();
        var spaces = EngineProbe.spaces(engine);
        ByteBuffer page = ByteBuffer.allocateDirect(PAGE_BYTES);
        for (Space space : spaces.all()) {
            new SpaceCheck(space)
                    .visitEntries(
                            (number, state, owner) -> {
                                if (state != AllocationMap.FREE) {
                                    read(engine, PageId.of(space.spaceId(), number), page);
                                    int code = page.get(PageHeader.CHECKSUM_KIND_OFFSET);
                                    String name = spaces.files().checksums().names(1 << code);
                                    kinds.merge(name, 1L, Long::sum);
                                }
                            });
        }
        return kinds;
    }

    private static void read(Engine engine, long pageId, ByteBuffer page) {
        try {
            EngineProbe.spaces(engine).files().read(pageId, page.clear());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private byte[] page(int number) throws IOException {
        ByteBuffer page = ByteBuffer.allocateDirect(PAGE_BYTES);
        try (StorageFile file = disk.directory().open("main.hfs")) {
            file.read((long) number * PAGE_BYTES, page);
        }
        byte[] bytes = new byte[PAGE_BYTES];
        page.get(0, bytes);
        return bytes;
    }

    private void flip(long at) throws IOException {
        flip(disk, at);
    }

    private static void flip(SimulatedDisk disk, long at) throws IOException {
        try (StorageFile file = disk.directory().open("main.hfs")) {
            ByteBuffer one = ByteBuffer.allocateDirect(1);
            file.read(at, one);
            one.put(0, (byte) (one.get(0) ^ 1)).clear();
            file.write(at, one);
            file.sync(true);
        }
    }

    private static long count(Engine engine, Counter counter) {
        return EngineProbe.counters(engine).sum(counter);
    }

    private static void await(BooleanSupplier done) {
        long deadline = System.nanoTime() + LIMIT_NANOS;
        while (!done.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** A sound one that throws when it is told to. */
    private record Failing(AtomicBoolean fails) implements CustomChecksum {
        @Override
        public int code() {
            return 17;
        }

        @Override
        public String name() {
            return CUSTOM;
        }

        @Override
        public int compute(ByteBuffer bytes) {
            if (fails.get()) {
                throw new IllegalStateException("told to");
            }
            return Crc32Checksum.standard().compute(bytes);
        }
    }
}
