// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Store;
import org.opentest4j.TestAbortedException;

/** Were the seed of a failure not told, or not taken again, it could not be replayed. */
@ExtendWith(SeedExtension.class)
final class SeedExtensionTest {
    private final SeedExtension extension = new SeedExtension();
    private final Map<Object, Object> stored = new HashMap<>();
    private String seedBefore;
    private long seedOfSetUp;

    @BeforeEach
    void rememberSeed(SeededRandom random) {
        seedOfSetUp = random.seed();
        seedBefore = System.getProperty(SeedExtension.SEED_PROPERTY);
    }

    @AfterEach
    void restoreProperty() {
        if (seedBefore == null) {
            System.clearProperty(SeedExtension.SEED_PROPERTY);
        } else {
            System.setProperty(SeedExtension.SEED_PROPERTY, seedBefore);
        }
    }

    @Test
    void givenOneTest_whenItAsksTwice_thenTheSeedIsTheSame(SeededRandom random) {
        assertThat(random.seed()).isEqualTo(seedOfSetUp);
    }

    @Test
    void givenASeedByProperty_whenAsked_thenItIsTaken() {
        System.setProperty(SeedExtension.SEED_PROPERTY, "-42");

        SeededRandom random = (SeededRandom) extension.resolveParameter(null, context("a"));

        assertThat(random.seed()).isEqualTo(-42);
    }

    @Test
    void givenTwoTests_whenAsked_thenTheirSeedsDiffer() {
        System.clearProperty(SeedExtension.SEED_PROPERTY);
        SeededRandom first = (SeededRandom) extension.resolveParameter(null, context("a"));
        stored.clear();

        SeededRandom second = (SeededRandom) extension.resolveParameter(null, context("b"));

        assertThat(second.seed()).isNotEqualTo(first.seed());
    }

    @Test
    void givenAFailure_whenItIsHandled_thenTheSeedStandsInItsMessage() {
        System.setProperty(SeedExtension.SEED_PROPERTY, "77");
        ExtensionContext context = context("a");
        extension.resolveParameter(null, context);
        IllegalStateException cause = new IllegalStateException("broken");

        assertThatThrownBy(() -> extension.handleTestExecutionException(context, cause))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("-Dholdfast.seed=77")
                .hasMessageContaining("broken")
                .hasCause(cause);
    }

    @Test
    void givenNoSeedDrawnOrATestAborted_whenHandled_thenTheFailurePassesAsItIs() {
        ExtensionContext context = context("a");
        IllegalStateException cause = new IllegalStateException("broken");
        TestAbortedException aborted = new TestAbortedException("not here");

        assertThatThrownBy(() -> extension.handleTestExecutionException(context, cause))
                .isSameAs(cause);
        extension.resolveParameter(null, context);
        assertThatThrownBy(() -> extension.handleTestExecutionException(context, aborted))
                .isSameAs(aborted);
    }

    private ExtensionContext context(String uniqueId) {
        return proxy(
                ExtensionContext.class,
                call ->
                        switch (call) {
                            case "getUniqueId" -> uniqueId;
                            case "getStore" -> store();
                            default -> null;
                        });
    }

    private Store store() {
        return (Store)
                Proxy.newProxyInstance(
                        Store.class.getClassLoader(),
                        new Class<?>[] {Store.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("getOrComputeIfAbsent")) {
                                @SuppressWarnings("unchecked")
                                Function<Object, Object> creator =
                                        (Function<Object, Object>) arguments[1];
                                return stored.computeIfAbsent(arguments[0], creator);
                            }
                            return stored.get(arguments[0]);
                        });
    }

    private static <T> T proxy(Class<T> type, Function<String, Object> answer) {
        return type.cast(
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> answer.apply(method.getName())));
    }
}
