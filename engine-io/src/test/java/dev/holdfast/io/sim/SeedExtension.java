// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.time.Duration;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;
import org.opentest4j.TestAbortedException;

/**
 * Gives tests a {@link SeededRandom} parameter, names its seed when the test fails, and replays it.
 *
 * <p>The seed of a test comes from the system property {@code holdfast.seed} when that is set. Else
 * it is a function of the test's name and repetition, so that the everyday build draws the same
 * every day and a failure there is a change's fault; with {@code holdfast.soak=true} it is a fresh
 * one each run. A failure is rethrown with the seed in front of its message.
 */
public final class SeedExtension implements ParameterResolver, TestExecutionExceptionHandler {
    public static final String SEED_PROPERTY = "holdfast.seed";
    public static final String SOAK_PROPERTY = "holdfast.soak";

    private static final Namespace NAMESPACE = Namespace.create(SeedExtension.class);

    /** Whether this run is the long one. */
    public static boolean isSoak() {
        return Boolean.getBoolean(SOAK_PROPERTY);
    }

    /** A count or limit for this run: the everyday one, or the soak's. */
    public static int everydayOrSoak(int everyday, int soak) {
        return isSoak() ? soak : everyday;
    }

    /** The time a stress test may take in this run. */
    public static Duration everydayOrSoak(Duration everyday, Duration soak) {
        return isSoak() ? soak : everyday;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == SeededRandom.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return new SeededRandom(seedOf(context));
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure)
            throws Throwable {
        Long seed = context.getStore(NAMESPACE).get(SEED_PROPERTY, Long.class);
        if (seed == null || failure instanceof TestAbortedException) {
            throw failure;
        }
        context.publishReportEntry(SEED_PROPERTY, seed.toString());
        throw new AssertionError(
                "replay with -D" + SEED_PROPERTY + "=" + seed + ": " + failure, failure);
    }

    private static long seedOf(ExtensionContext context) {
        return context.getStore(NAMESPACE)
                .getOrComputeIfAbsent(SEED_PROPERTY, key -> newSeed(context), Long.class);
    }

    private static long newSeed(ExtensionContext context) {
        Long given = Long.getLong(SEED_PROPERTY);
        if (given != null) {
            return given;
        }
        long salt = isSoak() ? System.nanoTime() : 0;
        return new SeededRandom(salt).derive(context.getUniqueId()).seed();
    }
}
