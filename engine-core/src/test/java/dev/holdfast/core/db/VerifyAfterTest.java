// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives a test its {@link TestEngines}, and when it has ended runs the verifier over all stores
 * that the test has opened, closes them, and looks for threads that were left.
 */
public final class VerifyAfterTest
        implements ParameterResolver, BeforeEachCallback, AfterEachCallback {
    private static final Namespace NAMESPACE = Namespace.create(VerifyAfterTest.class);

    /** Another test may have left threads, with an engine or a fixture: not this one's fault. */
    private static volatile Set<Thread> strangers = Set.of();

    @Override
    public void beforeEach(ExtensionContext context) {
        strangers = threadsOfAll();
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == TestEngines.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .getOrComputeIfAbsent(TestEngines.class, type -> new TestEngines());
    }

    @Override
    public void afterEach(ExtensionContext context) {
        TestEngines engines =
                context.getStore(NAMESPACE).remove(TestEngines.class, TestEngines.class);
        if (engines != null) {
            engines.close();
            Set<Thread> left = engineThreads();
            if (!left.isEmpty()) {
                throw new AssertionError("threads are left: " + namesOf(left));
            }
        }
    }

    /** Names of the threads of engines that are alive and have come since the test began. */
    static List<String> threads() {
        return namesOf(engineThreads());
    }

    private static List<String> namesOf(Set<Thread> threads) {
        return threads.stream().map(Thread::getName).toList();
    }

    private static Set<Thread> engineThreads() {
        Set<Thread> threads = threadsOfAll();
        threads.removeAll(strangers);
        return threads;
    }

    private static Set<Thread> threadsOfAll() {
        Set<Thread> threads = new HashSet<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("holdfast-") && thread.isAlive()) {
                threads.add(thread);
            }
        }
        return threads;
    }
}
