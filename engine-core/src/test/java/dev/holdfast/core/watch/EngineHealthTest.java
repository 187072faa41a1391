// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.EngineFailedException;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

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
    void givenALogThatThrows_whenDamageOrAFullDiskIsTold_thenNobodyFailsAndItIsTriedAgain() {
        AtomicReference<Throwable> planned = new AtomicReference<>(new OutOfMemoryError("planned"));
        List<Object> told = new ArrayList<>();
        EngineHealth untold = new EngineHealth(logger(planned, told), System::nanoTime);
        CorruptionException damage =
                new CorruptionException("page is damaged", "f", 16, 3, "sound", "rotten");

        untold.damaged(damage, "purge");
        untold.roomWait().refused(new IOException("full"));
        planned.set(new IllegalStateException("planned"));
        untold.damaged(damage, "purge");
        planned.set(null);
        untold.damaged(damage, "purge");
        untold.damaged(damage, "purge");

        assertThat(untold.warningsLost()).isEqualTo(3);
        assertThat(told).as("once it could be").hasSize(1);
        assertThat(untold.damageMet()).isEqualTo(4);
        assertThat(untold.outOfRoom()).hasMessage("full");
        assertThat(untold.failed()).isFalse();
    }

    @Test
    void givenTwoThatWaitForRoom_whenOneGetsOn_thenTheDiskIsFullUntilTheOtherDoes() {
        RoomWait one = health.roomWait();
        RoomWait other = health.roomWait();
        one.refused(new IOException("one"));
        one.refused(new IOException("one again"));
        other.refused(new IOException("other"));

        one.over();
        one.over();

        assertThat(health.outOfRoom()).hasMessage("other");
        assertThat(health.noRoomMet()).isEqualTo(3);
        other.over();
        assertThat(health.outOfRoom()).isNull();
    }

    @Test
    void givenADiskThatIsFullNowAndAgain_whenRefused_thenAWarningAMinuteIsWritten() {
        List<Object> told = new ArrayList<>();
        AtomicLong now = new AtomicLong(Long.MAX_VALUE);
        EngineHealth full = new EngineHealth(logger(new AtomicReference<>(), told), now::get);
        RoomWait writer = full.roomWait();

        writer.refused(new IOException("first"));
        writer.over();
        now.addAndGet(TimeUnit.SECONDS.toNanos(59));
        writer.refused(new IOException("too early"));
        assertThat(told).hasSize(1);
        now.addAndGet(TimeUnit.SECONDS.toNanos(1));
        writer.refused(new IOException("still full"));
        now.addAndGet(TimeUnit.HOURS.toNanos(1));
        writer.refused(new IOException("known"));

        assertThat(told).hasSize(2);
        assertThat(full.warningsLost()).isZero();
    }

    /** A log that throws what is planned, or keeps what it is told. */
    private static Logger logger(AtomicReference<Throwable> planned, List<Object> told) {
        return (Logger)
                Proxy.newProxyInstance(
                        EngineHealthTest.class.getClassLoader(),
                        new Class<?>[] {Logger.class},
                        (proxy, method, values) -> {
                            if (planned.get() != null) {
                                throw planned.get();
                            }
                            told.add(values);
                            return null;
                        });
    }

    @Test
    void givenAnAgentThatMeetsDamage_whenTheLogThrows_thenItLivesOnAndTheEngineToo()
            throws Exception {
        EngineHealth untold =
                new EngineHealth(
                        logger(new AtomicReference<>(new OutOfMemoryError("planned")), List.of()),
                        System::nanoTime);
        CountDownLatch rounds = new CountDownLatch(2);
        BackgroundAgent agent =
                new BackgroundAgent(
                        "test",
                        untold,
                        1,
                        () -> {
                            rounds.countDown();
                            throw new CorruptionException("damaged", "f", 16, 3, "sound", "rotten");
                        });
        agent.start();

        assertThat(rounds.await(20, TimeUnit.SECONDS)).isTrue();

        assertThat(untold.failed()).isFalse();
        assertThat(agent.stop(TimeUnit.SECONDS.toNanos(20))).isTrue();
    }

    @Test
    void givenAFailureWithoutAMessage_whenAsked_thenItsClassIsNamed() {
        health.fail(new StackOverflowError());

        assertThatThrownBy(health::check)
                .isInstanceOf(EngineFailedException.class)
                .hasMessageContaining("java.lang.StackOverflowError");
    }
}
