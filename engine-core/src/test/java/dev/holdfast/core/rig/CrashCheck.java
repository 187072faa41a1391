// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import dev.holdfast.core.rig.StoreCheck.Found;
import dev.holdfast.core.rig.StoreModel.Loss;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.sim.CrashImage;
import dev.holdfast.io.sim.RecoverAndCheck;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.SimulatedDisk;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the crash rigs do with each image: opens the store, checks I1 to I5 against the marks, works
 * on it and checks again (I7), opens it twice more and finds the same (I6).
 *
 * <p>All that it does is marked too, so that a crash in the middle of it is judged by the same
 * rules.
 */
final class CrashCheck implements RecoverAndCheck {
    private static final int STEPS = 3;
    private static final int WORKER = 1;

    private final long seed;
    private final int reopenedOneIn;
    private final AtomicLong pagesRepaired = new AtomicLong();
    private final AtomicLong reopened = new AtomicLong();

    /**
     * Makes a check.
     *
     * @param seed of what is done after recovery
     * @param reopenedOneIn of so many images one is opened again
     */
    CrashCheck(long seed, int reopenedOneIn) {
        this.seed = seed;
        this.reopenedOneIn = reopenedOneIn;
    }

    /** Pages of all images that were restored from a doublewrite copy. */
    long pagesRepaired() {
        return pagesRepaired.get();
    }

    /** Images that were opened again. */
    long reopened() {
        return reopened.get();
    }

    @Override
    public String recoverAndCheck(CrashImage image) {
        SimulatedDisk disk = image.disk();
        StoreModel model =
                StoreModel.of(image.marks(), image.isPowerLoss() ? Loss.POWER : Loss.PROCESS);
        StoreState state;
        String path;
        try (RigEngine opened = RigEngine.open(disk.directory())) {
            Found found = StoreCheck.check(opened.engine(), model);
            disk.mark(new Mark.Recovered(found.steps()));
            state = found.state();
            if (found.steps().size() >= Tables.setup().size()) {
                work(opened, disk, state, model.recoveries() + 1);
                StoreCheck.check(opened.engine(), state);
            }
            StoreCheck.verify(opened.engine());
            path = path(opened, model);
            pagesRepaired.addAndGet(opened.pagesRepaired());
        }
        SeededRandom random = new SeededRandom(image.where().seed() + image.where().point());
        if (random.oneIn(reopenedOneIn)) {
            reopen(disk, state);
            reopen(disk, state);
            reopened.incrementAndGet();
        }
        return path;
    }

    /** A few more steps, on all rows that are there; the state follows. */
    private void work(RigEngine opened, SimulatedDisk disk, StoreState state, int generation) {
        SessionScript script = new SessionScript(seed, WORKER, ScriptShape.SMALL);
        script.restart(generation, state);
        SessionRunner runner =
                new SessionRunner(opened.engine(), new MarksAndHotRows(disk, state), state);
        for (int i = 0; i < STEPS; i++) {
            runner.run(script.next());
        }
    }

    private static void reopen(SimulatedDisk disk, StoreState state) {
        try (RigEngine opened = RigEngine.open(disk.directory())) {
            StoreCheck.check(opened.engine(), state);
            StoreCheck.verify(opened.engine());
        }
    }

    /** Words for the way that recovery went. */
    private static String path(RigEngine opened, StoreModel model) {
        StringBuilder words = new StringBuilder();
        words.append(opened.recoveryPath());
        words.append(opened.count(Counter.LOSERS_ROLLED_BACK) > 0 ? " losers" : "");
        words.append(opened.dropsResumed() ? " drops" : "");
        words.append(model.recoveries() > 0 ? " again" : "");
        return words.toString();
    }

    /** Marks the steps, and keeps the shared rows of the state, which the script does not know. */
    private record MarksAndHotRows(SimulatedDisk disk, StoreState state) implements StepListener {
        @Override
        public void committing(Step step, Map<Integer, Integer> hotVersions) {
            disk.mark(new Mark.Committing(step, hotVersions));
            hotVersions.forEach(
                    (hotKey, version) ->
                            state.rows(Tables.HOT)
                                    .put(
                                            Tables.hotKey(hotKey),
                                            ((TransactionStep) step).hotValue(hotKey, version)));
        }

        @Override
        public void acknowledged(Step step) {
            disk.mark(new Mark.Acknowledged(step));
        }
    }
}
