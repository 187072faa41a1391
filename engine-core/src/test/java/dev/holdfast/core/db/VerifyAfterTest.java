// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import java.util.ArrayList;
import java.util.List;
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
            List<String> left = threads();
            if (!left.isEmpty()) {
                throw new AssertionError("threads are left: " + left);
            }
        }
    }

    /** Names of the threads of engines that are alive. */
    static List<String> threads() {
        List<String> names = new ArrayList<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("holdfast-") && thread.isAlive()) {
                names.add(thread.getName());
            }
        }
        return names;
    }
}
