// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Interrupts and threads: were this broken, one interrupted reader would close a file for everybody
 * else, or a sync would silently not happen.
 */
public abstract class StorageInterruptContract {

    private static final int PAGE_BYTES = 4096;
    private static final int ROUNDS = 200;

    private StorageDirectory directory;

    /** Opens the empty storage of this test. */
    protected abstract StorageDirectory openStorage() throws IOException;

    @BeforeEach
    void openDirectory() throws IOException {
        directory = openStorage();
    }

    @AfterEach
    void closeDirectory() throws IOException {
        Thread.interrupted();
        directory.close();
    }

    @Test
    void givenAPendingInterrupt_whenAnythingIsCalled_thenItWorksAndKeepsTheFlag()
            throws IOException {
        Thread.currentThread().interrupt();

        DirectoryLock lock = directory.lock();
        StorageFile file = directory.create("a.hfs");
        file.write(0, page(1));
        file.sync(true);
        file.sync(false);
        file.zeroFill(PAGE_BYTES, 3 * PAGE_BYTES);
        file.truncate(2 * PAGE_BYTES);
        ByteBuffer target = page(0);
        file.read(0, target);
        long length = file.length();
        directory.createDirectory("redo");
        directory.rename("a.hfs", "redo/a.hfl");
        directory.syncDirectory("");
        directory.syncDirectory("redo");
        StorageFile second = directory.open("redo/a.hfl");
        List<String> names = directory.list("redo");
        boolean flagKept = Thread.interrupted();

        assertThat(flagKept).isTrue();
        assertThat(length).isEqualTo(2 * PAGE_BYTES);
        assertThat(target.flip()).isEqualTo(page(1));
        assertThat(names).containsExactly("redo/a.hfl");
        second.read(PAGE_BYTES, page(0));
        file.read(0, page(0));
        file.write(0, page(2));
        second.close();
        file.close();
        lock.close();
    }

    @Test
    void givenInterruptsDuringCalls_whenOthersUseTheFile_thenNobodyIsHarmed() throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(2);
        try (StorageFile file = directory.create("a.hfs")) {
            file.zeroFill(0, 4 * PAGE_BYTES);
            Thread interrupted = new Thread(() -> run(failure, done, () -> useFile(file, 0)));
            Thread bystander = new Thread(() -> run(failure, done, () -> useFile(file, 2)));
            interrupted.start();
            bystander.start();

            while (interrupted.isAlive()) {
                interrupted.interrupt();
                Thread.onSpinWait();
            }
            done.await();

            assertThat(failure.get()).isNull();
            file.read(0, page(0));
            file.sync(true);
        }
    }

    @Test
    void givenManyThreads_whenEachUsesItsOwnPages_thenNoneSeesAnothers() throws Exception {
        int threadCount = 8;
        AtomicReference<Throwable> failure = new AtomicReference<>();
        CountDownLatch done = new CountDownLatch(threadCount);
        List<Thread> threads = new ArrayList<>();
        try (StorageFile file = directory.create("a.hfs")) {
            for (int i = 0; i < threadCount; i++) {
                int firstPage = 2 * i;
                threads.add(new Thread(() -> run(failure, done, () -> useFile(file, firstPage))));
            }

            threads.forEach(Thread::start);
            done.await();

            assertThat(failure.get()).isNull();
            assertThat(file.length()).isEqualTo(2L * threadCount * PAGE_BYTES);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private void useFile(StorageFile file, int firstPage) throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            long position = (firstPage + round % 2L) * PAGE_BYTES;
            int fill = firstPage * 10 + round % 7;
            ByteBuffer target = page(0);
            file.write(position, page(fill));
            if (round % 20 == 0) {
                file.sync(round % 40 == 0);
                directory.syncDirectory("");
            }
            file.read(position, target);
            assertThat(target.flip()).isEqualTo(page(fill));
        }
    }

    private static void run(
            AtomicReference<Throwable> failure, CountDownLatch done, FileWork work) {
        try {
            work.run();
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        } finally {
            done.countDown();
        }
    }

    private static ByteBuffer page(int fill) {
        ByteBuffer page =
                ByteBuffer.allocateDirect(2 * PAGE_BYTES)
                        .alignedSlice(PAGE_BYTES)
                        .slice(0, PAGE_BYTES);
        for (int i = 0; i < PAGE_BYTES; i++) {
            page.put(i, (byte) fill);
        }
        return page;
    }

    /** A thread's work. */
    private interface FileWork {
        void run() throws IOException;
    }
}
