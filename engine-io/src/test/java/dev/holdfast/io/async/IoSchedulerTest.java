// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.sim.Fault;
import dev.holdfast.io.sim.Operation;
import dev.holdfast.io.sim.SimulatedDisk;
import dev.holdfast.io.stats.IoSites;
import dev.holdfast.sync.TestHooks;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Background IO: order, merging, limits, and an end that loses nothing and waits for nobody. */
@Timeout(30)
final class IoSchedulerTest {
    private static final int PAGE = 4096;
    private static final int PAGES = 64;
    private static final IoSchedulerOptions ONE_THREAD =
            new IoSchedulerOptions(1, 1, 16, 16 * PAGE);
    private static final long NOT_LONG = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long TOO_LONG = TimeUnit.SECONDS.toNanos(20);

    private final SimulatedDisk disk = SimulatedDisk.create();
    private final AtomicLong transferNanos = new AtomicLong();
    private final Map<IoRequest, Throwable> failures =
            Collections.synchronizedMap(new IdentityHashMap<>());
    private final List<IoRequest> done = Collections.synchronizedList(new ArrayList<>());
    private StorageFile file;
    private IoScheduler scheduler;
    private Fault stuck;

    @BeforeEach
    void createFile() throws IOException {
        file = disk.directory().create("a");
        file.zeroFill(0, PAGES * PAGE);
        file = disk.directory().open("a");
        start(ONE_THREAD);
    }

    @AfterEach
    void close() throws IOException {
        disk.faults().clear();
        scheduler.close(TOO_LONG);
    }

    @Test
    void givenWritesAndReads_whenDone_thenTheBytesAreThereAndEachIsCompletedOnce()
            throws IOException {
        IoRequest write = write(3, 2, 7);
        scheduler.submit(IoClass.CLEANER, write);
        await(1);
        ByteBuffer target = pages(2, 0);
        scheduler.submit(IoClass.READ_AHEAD, newRequest().read(file, 3 * PAGE, target));
        await(2);

        assertThat(failures).isEmpty();
        assertThat(target.get(0)).isEqualTo((byte) 7);
        assertThat(target.get(2 * PAGE - 1)).isEqualTo((byte) 7);
        assertThat(target.hasRemaining()).as("as after a read of the file's own").isFalse();
        assertThat(scheduler.transfers()).isEqualTo(2);
        assertThat(transferNanos.get()).isPositive();
        assertThat(scheduler.report()).contains("write: threads=1").contains("CLEANER=1");
        scheduler.submit(IoClass.CLEANER, write.write(file, 0, pages(1, 1)));
        await(3);
    }

    @Test
    void givenNeighboursInAnyOrder_whenTheyWait_thenTheyGoInOneTransfer() throws IOException {
        holdUpWriter();
        for (int page : List.of(12, 10, 13, 30, 11)) {
            scheduler.submit(IoClass.CLEANER, write(page, 1, page));
        }

        stuck.release();
        await(6);

        assertThat(file.statistics().writes()).as("held up, 10 to 13, 30").isEqualTo(3);
        assertThat(scheduler.merged()).isEqualTo(3);
        for (int page : List.of(10, 11, 12, 13, 30)) {
            assertThat(contents(page)).containsOnly(page);
        }
        assertThat(contents(14)).containsOnly(0);
    }

    @Test
    void givenNeighboursToRead_whenMerged_thenEachGetsItsOwnBytes() throws IOException {
        for (int page = 0; page < PAGES; page++) {
            file.write((long) page * PAGE, pages(1, page));
        }
        long before = file.statistics().reads();
        stuck = disk.faults().add(Fault.on(Operation.READ, "a").stuck());
        scheduler.submit(IoClass.READ_AHEAD, newRequest().read(file, 0, pages(1, 0)));
        awaitStuck();
        List<ByteBuffer> targets = new ArrayList<>();
        for (int page : List.of(9, 8, 7, 6)) {
            targets.add(pages(3, 0).position(PAGE).limit(2 * PAGE));
            IoRequest request = newRequest().read(file, (long) page * PAGE, targets.get(9 - page));
            scheduler.submit(IoClass.READ_AHEAD, request);
        }

        stuck.release();
        await(5);

        assertThat(file.statistics().reads() - before).isEqualTo(2);
        for (int i = 0; i < 4; i++) {
            assertThat(targets.get(i).hasRemaining()).isFalse();
            byte[] bytes = new byte[3 * PAGE];
            targets.get(i).clear().get(bytes);
            assertThat(bytes[PAGE - 1]).isZero();
            assertThat(bytes[PAGE]).isEqualTo((byte) (9 - i));
            assertThat(bytes[2 * PAGE - 1]).isEqualTo((byte) (9 - i));
            assertThat(bytes[2 * PAGE]).isZero();
        }
    }

    @Test
    void givenARunThatFails_whenTriedOneByOne_thenOnlyTheBadRequestHasTheError()
            throws IOException {
        disk.faults()
                .add(
                        Fault.on(Operation.WRITE, "a")
                                .range(11 * PAGE, 12 * PAGE)
                                .sticky()
                                .error(Fault.IO_ERROR));
        holdUpWriter();
        for (int page : List.of(10, 11, 12)) {
            scheduler.submit(IoClass.CLEANER, write(page, 1, page));
        }

        stuck.release();
        await(4);

        assertThat(failures).hasSize(1);
        assertThat(failures.keySet().iterator().next().position()).isEqualTo(11 * PAGE);
        assertThat(failures.values().iterator().next()).hasMessageContaining(Fault.IO_ERROR);
        assertThat(contents(10)).containsOnly(10);
        assertThat(contents(12)).containsOnly(12);
    }

    @Test
    void givenABadRequest_whenTransferred_thenItFailsAndTheThreadLives() throws IOException {
        IoRequest beyond = newRequest().read(file, PAGES * PAGE, pages(1, 0));
        IoRequest onHeap = newRequest().read(file, 0, ByteBuffer.allocate(PAGE));

        scheduler.submit(IoClass.BACKGROUND, beyond);
        scheduler.submit(IoClass.BACKGROUND, onHeap);
        scheduler.submit(
                IoClass.BACKGROUND,
                new IoRequest(
                                (request, failure) -> {
                                    done.add(request);
                                    throw new IllegalStateException("by a test");
                                })
                        .read(file, 0, pages(1, 0)));
        await(3);
        scheduler.submit(IoClass.BACKGROUND, newRequest().read(file, 0, pages(1, 0)));
        await(4);

        assertThat(failures.get(beyond)).isInstanceOf(EOFException.class);
        assertThat(failures.get(onHeap)).isInstanceOf(IllegalArgumentException.class);
        assertThat(scheduler.completionFailures()).isEqualTo(1);
    }

    @Test
    void givenAllClasses_whenTheyWait_thenTheUrgentGoFirstAndNoneStarves() throws IOException {
        start(new IoSchedulerOptions(1, 1, 128, 0));
        holdUpWriter();
        IoRequest background = write(1, 1, 1);
        IoRequest readAhead = write(3, 1, 1);
        scheduler.submit(IoClass.BACKGROUND, background);
        scheduler.submit(IoClass.READ_AHEAD, readAhead);
        for (int i = 0; i < 100; i++) {
            scheduler.submit(IoClass.CLEANER, write(5, 1, 1));
        }

        stuck.release();
        await(103);

        assertThat(done.indexOf(readAhead)).isBetween(2, IoLane.TURNS_MAX + 4);
        assertThat(done.indexOf(background)).isBetween(2, IoLane.TURNS_MAX + 4);
        assertThat(scheduler.accepted(IoClass.CLEANER)).isEqualTo(101);
    }

    @Test
    void givenReadsAndWrites_whenOneLaneIsStuck_thenTheOtherGoesOn() throws IOException {
        holdUpWriter();

        scheduler.submit(IoClass.READ_AHEAD, newRequest().read(file, 8 * PAGE, pages(1, 0)));
        await(1);

        assertThat(done.get(0).isWrite()).isFalse();
    }

    @Test
    void givenAFullQueue_whenSubmitted_thenTheTrialIsRefusedAndTheOtherWaits() throws Exception {
        start(new IoSchedulerOptions(1, 1, 2, 0));
        holdUpWriter();
        scheduler.submit(IoClass.CLEANER, write(10, 1, 1));
        scheduler.submit(IoClass.CLEANER, write(20, 1, 1));
        long parksBefore = IoSites.IO_QUEUE.counters().parks();
        IoRequest third = write(30, 1, 3);

        boolean isAccepted = scheduler.trySubmit(IoClass.CLEANER, third);
        boolean otherClass = scheduler.trySubmit(IoClass.BACKGROUND, write(40, 1, 1));
        Thread submitter = submitInThread(third);
        awaitParks(parksBefore + 1);
        submitter.interrupt();

        assertThat(isAccepted).isFalse();
        assertThat(otherClass).isTrue();
        assertThat(scheduler.refused(IoClass.CLEANER)).isEqualTo(1);
        stuck.release();
        submitter.join();
        await(5);
        assertThat(contents(30)).containsOnly(3);
    }

    @Test
    void givenWaitingRequests_whenClosed_thenAllAreDoneAndNoneIsAcceptedAfter() throws IOException {
        for (int page = 0; page < 60; page += 5) {
            scheduler.submit(IoClass.BACKGROUND, write(page, 1, 9));
        }

        scheduler.close();

        assertThat(done).hasSize(12);
        assertThat(failures).isEmpty();
        assertThat(contents(55)).containsOnly(9);
        IoRequest late = write(1, 1, 1);
        assertThatThrownBy(() -> scheduler.submit(IoClass.CLEANER, late))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> scheduler.trySubmit(IoClass.CLEANER, late))
                .isInstanceOf(IOException.class);
        assertThat(late.write(file, 0, pages(1, 0))).as("it is its owner's").isNotNull();
        scheduler.close();
    }

    @Test
    void givenAStuckDevice_whenClosed_thenCloseEndsInTimeAndEachRequestKnowsItsFate()
            throws Exception {
        start(new IoSchedulerOptions(1, 1, 2, 0));
        holdUpWriter();
        scheduler.submit(IoClass.CLEANER, write(10, 1, 1));
        scheduler.submit(IoClass.CLEANER, write(20, 1, 1));
        long parksBefore = IoSites.IO_QUEUE.counters().parks();
        Thread submitter = submitInThread(write(30, 1, 3));
        awaitParks(parksBefore + 1);

        assertThatThrownBy(() -> scheduler.close(NOT_LONG))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("lane=write, busy=1, notBegun=2");

        submitter.join();
        assertThat(done).hasSize(2);
        assertThat(failures).hasSize(3);
        assertThat(failures.values())
                .allSatisfy(failure -> assertThat(failure).hasMessageContaining("closed"));
        stuck.release();
        await(3);
        assertThat(failures).as("what was at the device came back sound").hasSize(3);
        scheduler.close();
    }

    @Test
    void givenOwnersThatThrow_whenClosedInTime_thenEachIsToldAllTheSame() throws Exception {
        holdUpWriter();
        for (int page : List.of(10, 20)) {
            IoRequest request =
                    new IoRequest(
                            (which, failure) -> {
                                done.add(which);
                                throw new IllegalStateException("by a test");
                            });
            scheduler.submit(IoClass.CLEANER, request.write(file, (long) page * PAGE, pages(1, 1)));
        }

        assertThatThrownBy(() -> scheduler.close(NOT_LONG))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("notBegun=2");

        assertThat(done).hasSize(2);
        assertThat(scheduler.completionFailures()).isEqualTo(2);
    }

    @Test
    void givenAnInterruptedThread_whenItCloses_thenItWaitsAllTheSameAndTheFlagStays()
            throws Exception {
        holdUpWriter();
        AtomicReference<Boolean> flag = new AtomicReference<>();
        Thread closer =
                new Thread(
                        () -> {
                            Thread.currentThread().interrupt();
                            try {
                                scheduler.close(TOO_LONG);
                            } catch (IOException e) {
                                throw new IllegalStateException(e);
                            }
                            flag.set(Thread.currentThread().isInterrupted());
                        });
        closer.start();
        awaitUntil(() -> closer.getState() == Thread.State.TIMED_WAITING);

        stuck.release();
        closer.join();

        assertThat(flag.get()).isTrue();
        assertThat(done).hasSize(1);
        assertThat(failures).isEmpty();
    }

    @Test
    void givenNoRequest_whenStarted_thenThereIsNoThreadUntilOneComes() throws Exception {
        start(new IoSchedulerOptions(4, 4, 16, 0));
        int before = scheduler.startedThreads();
        holdUpWriter();
        int withOne = scheduler.startedThreads();

        IoRequest second = write(10, 1, 7);
        scheduler.submit(IoClass.CLEANER, second);
        await(1);

        assertThat(before).isZero();
        assertThat(withOne).isEqualTo(1);
        assertThat(scheduler.startedThreads()).isEqualTo(2);
        assertThat(done).containsExactly(second);
        scheduler.submit(IoClass.CLEANER, write(11, 1, 7));
        await(2);
        assertThat(scheduler.startedThreads()).as("the second does it").isEqualTo(2);
        stuck.release();
        scheduler.close();
        assertThat(scheduler.report()).contains("write: threads=2 of 4, busy=0, pending=0");
        assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("holdfast-io-"));
    }

    @Test
    void givenAThreadThatIsAboutToSleep_whenARequestComes_thenItIsDone() throws Exception {
        IoRequest late = write(10, 1, 7);
        try (TestHooks.Pause pause = TestHooks.pauseAt(IoLane.FOUND_NOTHING)) {
            scheduler.submit(IoClass.CLEANER, write(1, 1, 1));
            pause.awaitReached();
            scheduler.submit(IoClass.CLEANER, late);
            pause.resume();

            await(2);
        }

        assertThat(done).element(1).isSameAs(late);
    }

    /** It was meant for a request that the thread may not see before its own work has ended. */
    @Test
    void givenAThreadThatFindsWorkItself_whenItIsWokenForMore_thenItWakesAnother()
            throws Exception {
        start(new IoSchedulerOptions(1, 2, 16, 0));
        Fault longer = disk.faults().add(Fault.on(Operation.WRITE, "a").range(0, 1).stuck());
        Fault endless =
                disk.faults().add(Fault.on(Operation.WRITE, "a").range(PAGE, PAGE + 1).stuck());
        IoRequest last = write(10, 1, 7);
        try (TestHooks.Pause foundNothing = TestHooks.pauseAt(IoLane.FOUND_NOTHING);
                TestHooks.Pause foundWork = TestHooks.pauseAt(IoLane.FOUND_WORK)) {
            scheduler.submit(IoClass.CLEANER, write(20, 1, 1));
            foundNothing.awaitReached();
            scheduler.submit(IoClass.CLEANER, write(0, 1, 1));
            awaitUntil(() -> longer.hits() > 0);
            scheduler.submit(IoClass.CLEANER, write(1, 1, 1));
            foundNothing.resume();
            foundWork.awaitReached();
            longer.release();
            await(2);
            awaitUntil(() -> isAsleep("holdfast-io-write-2"));
            scheduler.submit(IoClass.CLEANER, last);
            foundWork.resume();
            awaitUntil(() -> endless.hits() > 0);

            await(3);
        }

        assertThat(done).contains(last);
        endless.release();
    }

    @Test
    void givenAThreadThatIsAboutToSleep_whenClosed_thenItEnds() throws Exception {
        Thread closer;
        Thread sleeper;
        try (TestHooks.Pause pause = TestHooks.pauseAt(IoLane.FOUND_NOTHING)) {
            scheduler.submit(IoClass.CLEANER, write(1, 1, 1));
            pause.awaitReached();
            sleeper = threadOf("holdfast-io-write-1");
            closer = closeInThread();
            // All who sleep have been woken by then; it does not, yet.
            awaitUntil(() -> closer.getState() == Thread.State.TIMED_WAITING);
        }

        closer.join();
        sleeper.join(TimeUnit.NANOSECONDS.toMillis(TOO_LONG));

        assertThat(sleeper.isAlive()).isFalse();
    }

    @Test
    void givenASubmitterThatFoundItOpen_whenItIsClosedMeanwhile_thenItsRequestEndsAsFailed()
            throws Exception {
        IoRequest late = write(10, 1, 7);
        Thread submitter;
        try (TestHooks.Pause pause = TestHooks.pauseAt(IoLane.ACCEPTING)) {
            submitter = submitInThread(late);
            pause.awaitReached();
            scheduler.close(TOO_LONG);
        }

        submitter.join();

        assertThat(done).containsExactly(late);
        assertThat(failures.get(late)).hasMessageContaining("closed before the transfer began");
    }

    @Test
    void givenTheOnlyThreadAsleepBeforeItIsCounted_whenARequestComes_thenItIsDone()
            throws Exception {
        IoRequest late = write(10, 1, 7);
        try (TestHooks.Pause pause = TestHooks.pauseAt(IoLane.STARTED)) {
            Thread starter = submitInThread(write(1, 1, 1));
            pause.awaitReached();
            await(1);
            awaitUntil(() -> isAsleep("holdfast-io-write-1"));
            Thread submitter = submitInThread(late);
            awaitUntil(() -> submitter.getState() == Thread.State.WAITING);
            pause.resume();
            starter.join();
            submitter.join();

            await(2);
        }

        assertThat(done).element(1).isSameAs(late);
    }

    @Test
    void givenAGroup_whenSomeOfItFails_thenTheOwnerWaitsForAllAndKnowsWhich() throws Exception {
        disk.faults()
                .add(
                        Fault.on(Operation.WRITE, "a")
                                .range(20 * PAGE, 21 * PAGE)
                                .sticky()
                                .error(Fault.IO_ERROR));
        IoGroup group = new IoGroup(scheduler, IoClass.CLEANER);
        List<IoRequest> requests = new ArrayList<>();
        for (int page : List.of(10, 20, 30)) {
            requests.add(group.newRequest().write(file, (long) page * PAGE, pages(1, page)));
            group.submit(requests.get(requests.size() - 1));
        }
        Thread.currentThread().interrupt();

        group.await();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(requests.get(0).failure()).isNull();
        assertThat(requests.get(1).failure()).isInstanceOf(IOException.class);
        assertThat(requests.get(2).failure()).isNull();
        assertThat(contents(30)).containsOnly(30);
        scheduler.close();
        IoRequest late = group.newRequest().write(file, 0, pages(1, 1));
        assertThatThrownBy(() -> group.submit(late)).isInstanceOf(IOException.class);
        group.await();
    }

    @Test
    void givenNeighboursToWrite_whenMerged_thenTheFileCountsThem() throws IOException {
        holdUpWriter();
        for (int page : List.of(12, 10, 11)) {
            scheduler.submit(IoClass.CLEANER, write(page, 1, page));
        }
        long writesBefore = file.statistics().writes();

        stuck.release();
        await(4);

        assertThat(file.statistics().writeMerges()).isEqualTo(2);
        assertThat(file.statistics().writes() - writesBefore).isEqualTo(2);
        assertThat(file.statistics().readMerges()).isZero();
    }

    @Test
    void givenARequestUnderWay_whenUsedAgain_thenItIsRefused() throws IOException {
        holdUpWriter();
        IoRequest request = write(10, 1, 1);
        scheduler.submit(IoClass.CLEANER, request);

        assertThatThrownBy(() -> scheduler.submit(IoClass.CLEANER, request))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("position=40960");
        assertThatThrownBy(() -> request.read(file, 0, pages(1, 0)))
                .isInstanceOf(IllegalStateException.class);
        IoRequest empty = newRequest();
        assertThatThrownBy(() -> scheduler.submit(IoClass.CLEANER, empty))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void givenOptionsOutOfRange_whenMade_thenTheyAreRefused() {
        assertThatThrownBy(() -> new IoSchedulerOptions(0, 1, 1, 0))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("readThreads=0");
        assertThatThrownBy(() -> new IoSchedulerOptions(1, 1, 0, 0))
                .isInstanceOf(IllegalArgumentException.class);

        assertThat(IoSchedulerOptions.forCapacity(1).writeThreads()).isEqualTo(1);
        assertThat(IoSchedulerOptions.forCapacity(20_000).readThreads()).isEqualTo(10);
        assertThat(IoSchedulerOptions.forCapacity(1_000_000).readThreads()).isEqualTo(16);
        assertThat(IoSchedulerOptions.forCapacity(6000).threads(0, 7))
                .extracting(IoSchedulerOptions::readThreads, IoSchedulerOptions::writeThreads)
                .containsExactly(3, 7);
    }

    private void start(IoSchedulerOptions options) throws IOException {
        if (scheduler != null) {
            scheduler.close();
        }
        scheduler = IoScheduler.start(options, IoSites.IO_QUEUE, transferNanos::addAndGet);
    }

    /** Occupies the one thread that writes, until it is released. */
    private void holdUpWriter() throws IOException {
        stuck = disk.faults().add(Fault.on(Operation.WRITE, "a").range(0, 1).stuck());
        scheduler.submit(IoClass.CLEANER, write(0, 1, 1));
        awaitStuck();
    }

    private void awaitStuck() {
        awaitUntil(() -> stuck.hits() > 0);
    }

    private Thread submitInThread(IoRequest request) {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                scheduler.submit(IoClass.CLEANER, request);
                            } catch (IOException e) {
                                failures.put(request, e);
                            }
                        });
        thread.start();
        return thread;
    }

    private Thread closeInThread() {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                scheduler.close(TOO_LONG);
                            } catch (IOException e) {
                                throw new IllegalStateException(e);
                            }
                        });
        thread.start();
        return thread;
    }

    private static Thread threadOf(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name) && thread.isAlive())
                .findAny()
                .orElseThrow();
    }

    private static void awaitParks(long count) {
        awaitUntil(() -> IoSites.IO_QUEUE.counters().parks() >= count);
    }

    private void await(int count) {
        awaitUntil(() -> done.size() >= count);
    }

    private static boolean isAsleep(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(
                        thread ->
                                thread.getName().equals(name)
                                        && thread.getState() == Thread.State.WAITING);
    }

    private static void awaitUntil(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - start).as("waited too long").isLessThan(TOO_LONG);
            Thread.onSpinWait();
        }
    }

    private IoRequest write(int page, int count, int fill) {
        return newRequest().write(file, (long) page * PAGE, pages(count, fill));
    }

    private IoRequest newRequest() {
        return new IoRequest(
                (request, failure) -> {
                    if (failure != null) {
                        failures.put(request, failure);
                    }
                    done.add(request);
                });
    }

    private byte[] contents(int page) throws IOException {
        return disk.contents("a", (long) page * PAGE, PAGE);
    }

    private static ByteBuffer pages(int count, int fill) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(count * PAGE);
        while (buffer.hasRemaining()) {
            buffer.put((byte) fill);
        }
        return buffer.flip();
    }
}
