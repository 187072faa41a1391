// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Engine;
import dev.holdfast.core.rig.Operation.Move.Where;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.Shrinker;
import dev.holdfast.io.sim.SimulatedDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Any operations in any order do what sorted maps do. If this failed, some answer of the engine
 * would be wrong for somebody who uses it alone, or beside others who touch other keys.
 */
@ExtendWith(SeedExtension.class)
final class RandomOperationsPropertyTest {
    private static final int OPERATIONS = 150;
    private static final int THREADS = 4;
    private static final int ROUNDS = 6;
    private static final int SHRINK_TRIES = 400;

    @Test
    void givenRandomOperations_whenRunAlone_thenEachAnswersAsTheModel(SeededRandom random) {
        int lists = SeedExtension.everydayOrSoak(150, 10_000);

        for (int i = 0; i < lists; i++) {
            List<Operation> operations = Operation.list(random.derive(i), OPERATIONS, true);
            Throwable failure = failure(operations);
            if (failure != null) {
                throw new AssertionError(message(i, operations, failure), failure);
            }
        }
    }

    @Test
    void givenACursorSentToTheLastOfNothing_whenARowComes_thenNextDoesNotFindIt() {
        // seed 6, list 4
        List<Operation> operations =
                List.of(
                        new Operation.OpenCursor(1, "m", null, false),
                        new Operation.Move(Where.LAST, "", 1),
                        new Operation.Write(Change.Kind.INSERT, 1, "n", 55, true),
                        new Operation.Move(Where.NEXT, "", 2),
                        new Operation.Move(Where.PREVIOUS, "", 2));

        assertThat(failure(operations)).isNull();
    }

    @Test
    void givenALeafFilledInOrder_whenLongKeysSplitIt_thenTheirSeparatorHasRoomInBothHalves() {
        // seed -567798326952120693, list 1894
        String longKey = "m".repeat(511);
        List<Operation> operations =
                List.of(
                        new Operation.Write(Change.Kind.INSERT, 0, "383", 60, true),
                        new Operation.PutRun(0, "r1", 24, 120, true),
                        new Operation.Reopen(false),
                        new Operation.Write(Change.Kind.PUT, 0, longKey + "f", 17, true),
                        new Operation.Write(Change.Kind.PUT, 0, longKey + "c", 656, false));

        assertThat(failure(operations)).isNull();
    }

    private static Throwable failure(List<Operation> operations) {
        try (ModelMachine machine = new ModelMachine(SimulatedDisk.create())) {
            for (Operation operation : operations) {
                operation.runOn(machine);
            }
            machine.rollback();
            machine.check();
            machine.verify();
            return null;
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Throwable failure) {
            return failure;
        }
    }

    private static String message(int list, List<Operation> operations, Throwable failure) {
        List<Operation> few =
                Shrinker.shrink(operations, some -> failure(some) != null, SHRINK_TRIES);
        StringBuilder text = new StringBuilder("list=").append(list);
        text.append(": ").append(failure);
        Throwable ofTheFew = failure(few);
        text.append("\nthese suffice: ").append(ofTheFew);
        few.forEach(operation -> text.append("\n  ").append(operation));
        return text.toString();
    }

    @Test
    void givenFourThreads_whenEachRunsItsOperations_thenEachAnswersAsItsModel(SeededRandom random)
            throws Exception {
        int stores = SeedExtension.everydayOrSoak(1, 80);

        for (int store = 0; store < stores; store++) {
            runRounds(random.derive(store));
        }
    }

    private static void runRounds(SeededRandom random) throws Exception {
        SimulatedDisk disk = SimulatedDisk.create();
        RigEngine opened = RigEngine.open(disk.directory());
        List<ModelMachine> machines = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            machines.add(new ModelMachine(opened.engine(), String.valueOf((char) ('e' + thread))));
        }
        for (int round = 0; round < ROUNDS; round++) {
            runAll(machines, random.derive(round));
            StoreCheck.verify(opened.engine());
            assertThat(opened.count(Counter.PAGES_EVICTED)).isPositive();
            disk = endOfRound(round, disk, opened, random);
            opened = RigEngine.open(disk.directory());
            Engine engine = opened.engine();
            machines.forEach(machine -> machine.reopened(engine));
            machines.forEach(ModelMachine::check);
        }
        opened.close();
    }

    /** Closes, or lets the process die, or the power go after all is durable. */
    private static SimulatedDisk endOfRound(
            int round, SimulatedDisk disk, RigEngine opened, SeededRandom random) {
        SimulatedDisk next = disk;
        if (round % 3 != 0) {
            CrashMode mode =
                    round % 3 == 1 ? CrashMode.PROCESS_KILLED : random.pickOf(CrashMode.values());
            opened.engine().checkpoint();
            next = disk.crash(mode, random.nextInt(1_000_000)).disk();
        }
        opened.close();
        return next;
    }

    private static void runAll(List<ModelMachine> machines, SeededRandom random) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(machines.size());
        try {
            List<Callable<Void>> all = new ArrayList<>();
            for (int i = 0; i < machines.size(); i++) {
                ModelMachine machine = machines.get(i);
                List<Operation> operations =
                        Operation.list(random.derive("thread").derive(i), 3 * OPERATIONS, false);
                all.add(
                        () -> {
                            operations.forEach(operation -> operation.runOn(machine));
                            machine.endViews();
                            machine.check();
                            return null;
                        });
            }
            for (Future<Void> ended : threads.invokeAll(all)) {
                ended.get();
            }
        } catch (ExecutionException e) {
            throw new AssertionError("a thread failed: " + e.getCause(), e.getCause());
        } finally {
            threads.shutdown();
        }
    }
}
