// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Durability;
import dev.holdfast.core.rig.StoreModel.Loss;
import dev.holdfast.core.rig.StoreState.TableState;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The rigs' own script and oracle. If these failed, the rigs would accept wrong stores or refuse
 * right ones.
 */
@ExtendWith(SeedExtension.class)
final class ScriptTest {
    private static final int STEPS = 400;

    @Test
    void givenOneSeed_whenScriptedTwice_thenTheStepsAreTheSame(SeededRandom random) {
        assertThat(steps(random.seed(), 1)).isEqualTo(steps(random.seed(), 1));
        assertThat(steps(random.seed(), 1)).isNotEqualTo(steps(random.seed() + 1, 1));
    }

    @Test
    void givenTwoSessions_whenScripted_thenTheyShareNoRowAndNoTable(SeededRandom random) {
        SessionScript one = script(random.seed(), 1);
        SessionScript two = script(random.seed(), 2);

        for (int i = 0; i < STEPS; i++) {
            one.next();
            two.next();
            for (Map.Entry<Integer, TableState> table : one.state().tables().entrySet()) {
                Set<String> both = new HashSet<>(table.getValue().rows.keySet());
                if (two.state().has(table.getKey())) {
                    assertThat(table.getKey()).isLessThan(Tables.MADE);
                    both.retainAll(two.state().rows(table.getKey()).keySet());
                    assertThat(both).isEmpty();
                }
            }
        }
    }

    @Test
    void givenAStepId_whenMadeAKey_thenItComesBack() {
        for (StepId id :
                List.of(
                        new StepId(0, 0, 0),
                        new StepId(255, 65535, 1 << 20),
                        new StepId(3, 2, 1))) {
            assertThat(StepId.ofKey(id.key())).isEqualTo(id);
        }
    }

    @Test
    void givenALostAcknowledgedStep_whenJudged_thenItIsI1(SeededRandom random) {
        List<Object> marks = run(steps(random.seed(), 1));
        StoreModel model = StoreModel.of(marks, Loss.POWER);
        List<String> journal = journal(marks);

        assertThatThrownBy(() -> judge(model, marks, journal.subList(0, journal.size() / 2)))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("I1");
    }

    @Test
    void givenJournalsThatDiffer_whenJudged_thenItIsI2(SeededRandom random) {
        List<Object> marks = run(steps(random.seed(), 1));
        StoreModel model = StoreModel.of(marks, Loss.POWER);
        List<String> journal = journal(marks);

        assertThatThrownBy(
                        () ->
                                model.survivors(
                                        names(marks),
                                        journal,
                                        journal.subList(0, journal.size() - 1)))
                .hasMessageStartingWith("I2");
    }

    @Test
    void givenAGapInTheLazySteps_whenJudged_thenItIsI3(SeededRandom random) {
        List<Object> marks = new ArrayList<>();
        List<Step> lazy = new ArrayList<>(Tables.setup());
        for (int i = 0; lazy.size() < 20; i++) {
            Step step = steps(random.seed(), 1).get(i);
            if (step.durability() != Durability.SYNC) {
                lazy.add(step);
            }
        }
        marks.addAll(run(lazy));
        List<String> journal = new ArrayList<>(journal(marks));
        assertThat(judge(StoreModel.of(marks, Loss.POWER), marks, journal)).isNotEmpty();

        journal.remove(journal.size() - 2);

        assertThatThrownBy(() -> judge(StoreModel.of(marks, Loss.POWER), marks, journal))
                .hasMessageStartingWith("I3");
    }

    @Test
    void givenAStepThatARecoveryFoundAbsent_whenItComesBack_thenItIsI6(SeededRandom random) {
        List<Object> marks = new ArrayList<>(run(Tables.setup()));
        Set<StepId> recovered = judge(StoreModel.of(marks, Loss.POWER), marks, journal(marks));
        TransactionStep inDoubt = null;
        for (Step step : steps(random.seed(), 1)) {
            if (step instanceof TransactionStep transaction && transaction.commits()) {
                inDoubt = transaction;
            }
        }
        marks.add(new Mark.Committing(inDoubt, Map.of()));
        List<String> journal = new ArrayList<>(journal(marks));
        assertThat(judge(StoreModel.of(marks, Loss.POWER), marks, journal)).contains(inDoubt.id());

        marks.add(new Mark.Recovered(recovered));

        assertThatThrownBy(() -> judge(StoreModel.of(marks, Loss.POWER), marks, journal))
                .hasMessageStartingWith("I6");
    }

    private static Set<StepId> judge(StoreModel model, List<Object> marks, List<String> journal) {
        return model.survivors(names(marks), journal, journal);
    }

    private static SessionScript script(long seed, int session) {
        return new SessionScript(seed, session, ScriptShape.SMALL);
    }

    private static List<Step> steps(long seed, int session) {
        SessionScript script = script(seed, session);
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < STEPS; i++) {
            steps.add(script.next());
        }
        return steps;
    }

    /** The marks of the setup, unless it is given, and of steps without shared rows. */
    private static List<Object> run(List<Step> steps) {
        List<Object> marks = new ArrayList<>();
        List<Step> all = new ArrayList<>();
        if (steps.get(0).id().session() != 0) {
            all.addAll(Tables.setup());
        }
        all.addAll(steps);
        for (Step step : all) {
            if (!(step instanceof TransactionStep transaction) || transaction.commits()) {
                marks.add(new Mark.Committing(step, Map.of()));
                marks.add(new Mark.Acknowledged(step));
            }
        }
        return marks;
    }

    private static List<String> names(List<Object> marks) {
        StoreState state = new StoreState();
        for (Object mark : marks) {
            if (mark instanceof Mark.Committing committing
                    && committing.step() instanceof TableStep step) {
                step.applyTo(state);
            }
        }
        return state.names();
    }

    private static List<String> journal(List<Object> marks) {
        TreeMap<String, Step> journal = new TreeMap<>();
        for (Object mark : marks) {
            if (mark instanceof Mark.Committing committing
                    && committing.step() instanceof TransactionStep step) {
                journal.put(step.id().key(), step);
            }
        }
        return List.copyOf(journal.keySet());
    }
}
