// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import static java.lang.invoke.MethodType.methodType;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Calls of virtual threads go to the IO threads, those of platform threads do not. */
@Timeout(120)
final class VirtualThreadStorageTest {
    private static final int PAGE_BYTES = 4096;
    private static final int THREADS = 1000;

    @TempDir private Path path;

    @Test
    void givenAPlatformThread_whenItUsesAFile_thenNoThreadIsStarted() throws IOException {
        try (FileSystemDirectory directory = FileSystemDirectory.open(path, FileMode.BUFFERED);
                StorageFile file = directory.create("a.hfs")) {

            file.write(0, StorageContract.pages(1, 1));
            file.sync(true);

            assertThat(VirtualThreads.isCurrentVirtual()).isFalse();
            assertThat(directory.executor().threadCount()).isZero();
        }
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void givenAVirtualThread_whenTheDirectoryIsUsed_thenEachCallWorksOnAnIoThread()
            throws Throwable {
        ThreadNotingFile raw = new ThreadNotingFile();
        try (FileSystemDirectory directory = FileSystemDirectory.open(path, FileMode.BUFFERED)) {
            StorageFile noting =
                    new FileSystemFile("n", raw, FileMode.BUFFERED, directory.executor());

            onVirtualThread(
                    () -> {
                        assertThat(VirtualThreads.isCurrentVirtual()).isTrue();
                        noting.write(0, StorageContract.pages(1, 1));
                        noting.read(0, StorageContract.pages(1, 1));
                        noting.sync(true);
                        noting.truncate(0);
                        noting.zeroFill(0, PAGE_BYTES);
                        useDirectory(directory);
                    });

            assertThat(raw.calls)
                    .containsOnlyKeys("write", "read", "force", "truncate")
                    .allSatisfy((call, thread) -> assertThat(thread).startsWith("holdfast-io-"));
            assertThat(directory.list("redo")).containsExactly("redo/b.hfl");
        }
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void givenAThousandVirtualThreads_whenTheyRead_thenAFewIoThreadsServeThemAll()
            throws Throwable {
        try (FileSystemDirectory directory = FileSystemDirectory.open(path, FileMode.BUFFERED);
                StorageFile file = directory.create("a.hfs")) {
            for (int i = 0; i < THREADS; i++) {
                file.write((long) i * PAGE_BYTES, StorageContract.pages(1, i));
            }
            List<Running> threads = new ArrayList<>();

            for (int i = 0; i < THREADS; i++) {
                int page = i;
                threads.add(
                        Running.start(
                                () -> {
                                    ByteBuffer target = StorageContract.pages(1, -1);
                                    file.read((long) page * PAGE_BYTES, target);
                                    assertThat(target.get(PAGE_BYTES - 1)).isEqualTo((byte) page);
                                }));
            }
            for (Running thread : threads) {
                thread.join();
            }

            assertThat(directory.executor().threadCount()).isBetween(1, 16);
            assertThat(file.statistics().reads()).isEqualTo(THREADS);
        }
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void givenAnInterruptedVirtualThread_whenItReads_thenItGetsItsBytesAndKeepsTheFlag()
            throws Throwable {
        try (FileSystemDirectory directory = FileSystemDirectory.open(path, FileMode.BUFFERED);
                StorageFile file = directory.create("a.hfs")) {
            file.write(0, StorageContract.pages(1, 7));

            onVirtualThread(
                    () -> {
                        Thread.currentThread().interrupt();
                        ByteBuffer target = StorageContract.pages(1, 0);
                        file.read(0, target);
                        assertThat(Thread.interrupted()).isTrue();
                        assertThat(target.get(0)).isEqualTo((byte) 7);
                        assertThatThrownBy(() -> file.read(0, StorageContract.pages(2, 0)))
                                .isInstanceOf(EOFException.class);
                    });

            assertThat(file.statistics().reads()).isEqualTo(1);
        }
    }

    private static void useDirectory(FileSystemDirectory directory) throws IOException {
        directory.createDirectory("redo");
        directory.create("a.hfs").close();
        directory.open("a.hfs").close();
        directory.rename("a.hfs", "redo/b.hfl");
        directory.create("c.hfs").close();
        directory.delete("c.hfs");
        directory.syncDirectory("redo");
        directory.lock().close();
        assertThat(directory.exists("redo/b.hfl")).isTrue();
    }

    private static void onVirtualThread(FileWork work) throws Throwable {
        Running.start(work).join();
    }

    /** Work on files. */
    private interface FileWork {
        void run() throws IOException;
    }

    /** A virtual thread and what it threw. */
    private static final class Running {
        private Thread thread;
        private volatile Throwable failure;

        static Running start(FileWork work) throws Throwable {
            Running running = new Running();
            MethodHandle startVirtual =
                    MethodHandles.publicLookup()
                            .findStatic(
                                    Thread.class,
                                    "startVirtualThread",
                                    methodType(Thread.class, Runnable.class));
            running.thread = (Thread) startVirtual.invokeExact((Runnable) () -> running.run(work));
            return running;
        }

        private void run(FileWork work) {
            try {
                work.run();
            } catch (Throwable e) {
                failure = e;
            }
        }

        void join() throws Throwable {
            thread.join();
            if (failure != null) {
                throw failure;
            }
        }
    }

    /** Notes which thread makes each call, and does nothing else. */
    private static final class ThreadNotingFile implements RawFile {
        private final ConcurrentHashMap<String, String> calls = new ConcurrentHashMap<>();

        private void note(String call) {
            calls.put(call, Thread.currentThread().getName());
        }

        @Override
        public int read(long position, ByteBuffer target) {
            note("read");
            target.position(target.limit());
            return target.limit();
        }

        @Override
        public int write(long position, ByteBuffer source) {
            note("write");
            int count = source.remaining();
            source.position(source.limit());
            return count;
        }

        @Override
        public void force(boolean metadata) {
            note("force");
        }

        @Override
        public long length() {
            return 0;
        }

        @Override
        public void truncate(long length) {
            note("truncate");
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }
}
