// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;

/** Runs each task in the thread that submits it, so that an asynchronous channel works in it. */
final class InlineExecutor extends AbstractExecutorService {

    static final InlineExecutor INSTANCE = new InlineExecutor();

    private InlineExecutor() {}

    @Override
    public void execute(Runnable task) {
        task.run();
    }

    @Override
    public void shutdown() {
        // Shared by all channels: nobody may end it.
    }

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return false;
    }
}
