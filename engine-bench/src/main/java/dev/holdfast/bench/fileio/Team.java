// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Some threads for one measurement. */
final class Team {
    private Team() {}

    /** Runs each in a thread of its own, and throws what any of them threw first. */
    static <T> List<T> run(List<Callable<T>> members)
            throws InterruptedException, ExecutionException {
        ExecutorService executor = Executors.newFixedThreadPool(members.size());
        try {
            // By completion: who threw is met before those that wait for it in vain.
            CompletionService<T> threads = new ExecutorCompletionService<>(executor);
            members.forEach(threads::submit);
            List<T> results = new ArrayList<>();
            for (int i = 0; i < members.size(); i++) {
                results.add(threads.take().get());
            }
            return results;
        } finally {
            executor.shutdownNow();
        }
    }
}
