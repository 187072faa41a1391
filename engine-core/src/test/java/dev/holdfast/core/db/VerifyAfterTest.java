// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a test its {@link TestEngines}, and when it has ended runs the verifier over all stores
 * that the test has opened, closes them, and looks for threads that were left.
 */
public final class VerifyAfterTest implements ParameterResolver, AfterEachCallback {
    private static final Namespace NAMESPACE = Namespace.create(VerifyAfterTest.class);
    private static final String BEFORE = "threadsBefore";

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestEngines.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        context.getStore(NAMESPACE).getOrComputeIfAbsent(BEFORE, key -> engineThreads());
        return context.getStore(NAMESPACE)
                .getOrComputeIfAbsent(TestEngines.class, type -> new TestEngines());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TestEngines engines =
                context.getStore(NAMESPACE).remove(TestEngines.class, TestEngines.class);
        if (engines != null) {
            engines.close();
            // A test that failed before may have left an engine open; that is not this one's fault.
            Set<Thread> left = engineThreads();
            left.removeAll((Set<?>) context.getStore(NAMESPACE).remove(BEFORE, Set.class));
            if (!left.isEmpty()) {
                throw new AssertionError("threads are left: " + namesOf(left));
            }
        }
    }

    /** Names of the threads of engines that are alive. */
    static List<String> threads() {
        return namesOf(engineThreads());
    }

    private static List<String> namesOf(Set<Thread> threads) {
        return threads.stream().map(Thread::getName).toList();
    }

    private static Set<Thread> engineThreads() {
        Set<Thread> threads = new HashSet<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("holdfast-") && thread.isAlive()) {
                threads.add(thread);
            }
        }
        return threads;
    }
}
