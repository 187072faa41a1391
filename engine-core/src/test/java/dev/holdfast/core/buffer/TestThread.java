// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Something that runs beside the test; its result or failure is asked for with a limit of time. */
public final class TestThread<T> {
    private static final long LIMIT_SECONDS = 30;

    private final FutureTask<T> task;
    private final Thread thread;

    private TestThread(Callable<T> body) {
        task = new FutureTask<>(body);
        thread = new Thread(task, "test-thread");
        thread.setDaemon(true);
    }

    public static <T> TestThread<T> start(Callable<T> body) {
        TestThread<T> started = new TestThread<>(body);
        started.thread.start();
        return started;
    }

    /** The result; what the body threw is thrown on. */
    public T result() throws Exception {
        try {
            return task.get(LIMIT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Exception exception) {
                throw exception;
            }
            throw new AssertionError(e.getCause());
        } catch (TimeoutException e) {
            AssertionError hung = new AssertionError("thread did not end");
            hung.setStackTrace(thread.getStackTrace());
            throw hung;
        }
    }

    public void interrupt() {
        thread.interrupt();
    }

    public boolean isDone() {
        return task.isDone();
    }

    /** Returns once the thread sleeps; fails if it ends instead. */
    public void awaitParked() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        while (thread.getState() != Thread.State.WAITING
                && thread.getState() != Thread.State.TIMED_WAITING) {
            if (task.isDone() || System.nanoTime() > deadline) {
                throw new AssertionError("thread does not wait: state=" + thread.getState());
            }
            Thread.onSpinWait();
        }
    }
}
