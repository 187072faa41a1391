// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.EngineFailedException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** If this failed, a failed engine would go on, or leave somebody asleep in it. */
final class EngineHealthTest {
    private final EngineHealth health = new EngineHealth();

    @Test
    void givenAHealthyEngine_whenChecked_thenNothingIsThrown() {
        health.check();

        assertThat(health.failed()).isFalse();
        assertThat(health.cause()).isNull();
    }

    @Test
    void givenTwoFailures_whenChecked_thenTheFirstIsTheCause() {
        IOException first = new IOException("disk gone");
        health.fail(first);
        health.fail(new IOException("later"));

        assertThatThrownBy(health::check)
                .isInstanceOf(EngineFailedException.class)
                .hasMessageContaining("disk gone")
                .hasCause(first);
    }

    @Test
    void givenAWakerThatThrows_whenTheEngineFails_thenTheOthersAreRunAllTheSame() {
        List<String> woken = new ArrayList<>();
        IOException failure = new IOException("disk gone");
        health.onFailure(() -> woken.add("first"));
        health.onFailure(
                () -> {
                    throw new IllegalStateException("waker");
                });
        health.onFailure(() -> woken.add("third"));

        health.fail(failure);

        assertThat(woken).containsExactly("first", "third");
        assertThat(failure.getSuppressed()).hasSize(1);
    }

    @Test
    void givenAWakerThatThrewOnce_whenAnAgentEnds_thenItsSleepersAreWokenAfterAll() {
        List<String> woken = new ArrayList<>();
        boolean[] memory = new boolean[1];
        health.onFailure(
                () -> {
                    if (!memory[0]) {
                        throw new OutOfMemoryError("planned");
                    }
                    woken.add("late");
                });
        health.fail(new IOException("disk gone"));
        memory[0] = true;

        BackgroundAgent agent = new BackgroundAgent("test", health, 1, () -> false);
        agent.start();

        assertThat(agent.stop(TimeUnit.SECONDS.toNanos(20))).isTrue();
        assertThat(woken).containsExactly("late");
    }

    @Test
    void givenACauseThatCannotBeDescribed_whenChecked_thenTheBareCauseIsKept() {
        Throwable failure = new WithoutText();
        health.fail(failure);

        assertThatThrownBy(health::check)
                .isInstanceOf(EngineFailedException.class)
                .hasMessageContaining("cause cannot be described")
                .extracting(Throwable::getCause)
                .isSameAs(failure);
    }

    private static final class WithoutText extends Error {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new OutOfMemoryError("planned");
        }
    }

    @Test
    void givenAFailedEngine_whenAWakerIsRegistered_thenItIsRunAtOnce() {
        List<String> woken = new ArrayList<>();
        health.fail(new IOException("disk gone"));

        health.onFailure(() -> woken.add("late"));

        assertThat(woken).containsExactly("late");
    }

    @Test
    void givenAFailureWithoutAMessage_whenAsked_thenItsClassIsNamed() {
        health.fail(new StackOverflowError());

        assertThatThrownBy(health::check)
                .isInstanceOf(EngineFailedException.class)
                .hasMessageContaining("java.lang.StackOverflowError");
    }
}
