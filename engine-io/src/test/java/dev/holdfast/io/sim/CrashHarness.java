// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * Crashes a recorded run at many points in many ways, and checks what recovery makes of each image.
 *
 * <pre>{@code
 * CrashReport report =
 *         new CrashHarness("transfers", disk.trace(), random.seed()).images(2000).run(check);
 * }</pre>
 *
 * <p>It fails with the crash in words and in one string, which replays it on the same trace: pass
 * that to {@link #replay}, or set the system property {@code holdfast.crash}, which makes {@link
 * #run} check that image alone.
 */
public final class CrashHarness {
    /*
     * The tries are all pairs of point and mode in random order, round after round with other
     * seeds, until enough images were checked or a round brings nothing new. An image whose content
     * and obligations (the marks) were checked before is left out: only distinct ones count. Modes
     * that depend little on the seed are part of the first rounds only.
     *
     * After an image passed, a share of them is crashed again somewhere in the recovery and the
     * check itself, with all obligations kept, and so on to the depth wanted. Killed processes get
     * a larger share, since what they leave differs from a power loss only after the next one.
     */
    public static final String REPLAY_PROPERTY = "holdfast.crash";

    private static final int ROUNDS_MAX = 1000;
    private static final int NAME_ROUNDS = 3;

    private final String name;
    private final Trace trace;
    private final long seed;
    private long imagesMax = 2000;
    private int pointsMax = 4000;
    private int depthMax = 3;
    private double nestedShare = 0.05;
    private double killedNestedShare = 0.25;
    private int nestedPoints = 8;
    private int threads = 1;
    private int shrinkTries = 150;
    private List<CrashMode> modes = List.of(CrashMode.values());

    /**
     * Prepares the crashes of one trace.
     *
     * @param seed of the workload that made the trace; all that is random here derives from it
     */
    public CrashHarness(String name, Trace trace, long seed) {
        this.name = name;
        this.trace = trace;
        this.seed = seed;
    }

    /**
     * How many distinct images of the trace itself are checked at most; nested ones add to them.
     */
    public CrashHarness images(long max) {
        imagesMax = max;
        return this;
    }

    /** How many points are tried at most; borders of syncs and names are among them first. */
    public CrashHarness points(int max) {
        pointsMax = max;
        return this;
    }

    public CrashHarness modes(CrashMode... which) {
        modes = List.of(which);
        return this;
    }

    /**
     * How recoveries are crashed in turn.
     *
     * @param depth the longest chain of crashes; 1 for none in recoveries
     * @param share of the images of a power loss whose recovery is crashed; a tenth of that deeper
     * @param killedShare the same for killed processes
     * @param points how many crashes each of those recoveries suffers
     */
    public CrashHarness nested(int depth, double share, double killedShare, int points) {
        depthMax = depth;
        nestedShare = share;
        killedNestedShare = killedShare;
        nestedPoints = points;
        return this;
    }

    /** How many threads check images. */
    public CrashHarness threads(int count) {
        threads = count;
        return this;
    }

    /** How many tries a failing image is made simpler with. */
    public CrashHarness shrinkTries(int max) {
        shrinkTries = max;
        return this;
    }

    /** Checks the images; fails with an AssertionError on the first that does not pass. */
    public CrashReport run(RecoverAndCheck check) {
        String replay = System.getProperty(REPLAY_PROPERTY);
        return replay == null ? enumerate(check) : replay(replay, check);
    }

    /** Checks one image only. */
    public CrashReport replay(String crashes, RecoverAndCheck check) {
        CrashReport report = new CrashReport(name);
        CrashImage image = null;
        for (CrashPoint crash : CrashPoint.parse(crashes)) {
            Trace crashed = trace;
            if (image != null) {
                checkOne(image, check, report);
                crashed = image.disk().trace();
            }
            image = CrashImage.build(crashed, crash.point(), crash.mode(), crash.seed());
        }
        report.count(image, image.contentHash());
        checkOne(image, check, report);
        report.end();
        return report;
    }

    private CrashReport enumerate(RecoverAndCheck check) {
        CrashReport report = new CrashReport(name);
        SeededRandom random = new SeededRandom(seed).derive(name);
        List<Integer> points = points(random.derive("points"));
        Set<List<Long>> seen = ConcurrentHashMap.newKeySet();
        for (int round = 0; round < ROUNDS_MAX && seen.size() < imagesMax; round++) {
            int seenBefore = seen.size();
            List<CrashPoint> tries = tries(points, round, random.derive("round").derive(round));
            inParallel(tries, crash -> tryOne(crash, seen, check, report));
            if (seen.size() == seenBefore && round >= NAME_ROUNDS) {
                break;
            }
        }
        report.end();
        return report;
    }

    private List<Integer> points(SeededRandom random) {
        int count = trace.eventCount() + 1;
        List<Integer> all = new ArrayList<>();
        for (int point = 0; point < count; point++) {
            all.add(point);
        }
        if (count <= pointsMax) {
            return all;
        }
        Set<Integer> nearBorders = new TreeSet<>();
        for (int border : trace.borders()) {
            for (int point = border - 2; point <= border + 2; point++) {
                if (point >= 0 && point < count) {
                    nearBorders.add(point);
                }
            }
        }
        List<Integer> chosen = new ArrayList<>(nearBorders);
        random.shuffle(chosen);
        chosen = chosen.subList(0, Math.min(chosen.size(), pointsMax * 3 / 4));
        Set<Integer> points = new TreeSet<>(chosen);
        random.shuffle(all);
        for (int i = 0; points.size() < pointsMax; i++) {
            points.add(all.get(i));
        }
        return new ArrayList<>(points);
    }

    private List<CrashPoint> tries(List<Integer> points, int round, SeededRandom random) {
        List<CrashPoint> tries = new ArrayList<>();
        for (CrashMode mode : modes) {
            if (mode.isRandom() || round < NAME_ROUNDS) {
                for (int point : points) {
                    long crashSeed = round == 0 && !mode.isRandom() ? 0 : seedOf(random);
                    tries.add(new CrashPoint(point, mode, crashSeed));
                }
            }
        }
        random.shuffle(tries);
        return tries;
    }

    /** Short ones, since people type them. */
    private static long seedOf(SeededRandom random) {
        return 1 + random.nextLong(1_000_000_000);
    }

    private void tryOne(
            CrashPoint crash, Set<List<Long>> seen, RecoverAndCheck check, CrashReport report) {
        if (seen.size() >= imagesMax) {
            return;
        }
        long start = System.nanoTime();
        CrashImage image = CrashImage.build(trace, crash.point(), crash.mode(), crash.seed());
        long hash = image.contentHash();
        report.countBuild(System.nanoTime() - start);
        if (!seen.add(List.of(hash, (long) image.markCount()))) {
            report.countRepeated();
            return;
        }
        report.count(image, hash);
        checkOne(image, check, report);
        SeededRandom random = new SeededRandom(crash.seed()).derive(crash.toString());
        checkNested(image, random, check, report);
    }

    private void checkNested(
            CrashImage image, SeededRandom random, RecoverAndCheck check, CrashReport report) {
        double share = image.where().mode().isPowerLoss() ? nestedShare : killedNestedShare;
        double shareHere = image.depth() == 1 ? share : share / 10;
        if (image.depth() >= depthMax || !random.chance(shareHere)) {
            return;
        }
        Trace recovery = image.disk().trace();
        for (int i = 0; i < nestedPoints; i++) {
            int point = random.nextInt(recovery.eventCount() + 1);
            CrashMode mode = random.pick(modes);
            CrashImage nested = CrashImage.build(recovery, point, mode, seedOf(random));
            report.count(nested, nested.contentHash());
            checkOne(nested, check, report);
            checkNested(nested, random.derive(i), check, report);
        }
    }

    private void checkOne(CrashImage image, RecoverAndCheck check, CrashReport report) {
        try {
            report.countPath(check.recoverAndCheck(image));
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Throwable failure) {
            CrashImage simpler = new CrashSimplifier(check, shrinkTries).simplify(image);
            throw new CrashFailure(name, seed, image, simpler, report, failure);
        }
    }

    private void inParallel(List<CrashPoint> tries, Consumer<CrashPoint> work) {
        Queue<CrashPoint> queue = new ConcurrentLinkedQueue<>(tries);
        AtomicReference<Throwable> failed = new AtomicReference<>();
        Runnable worker = () -> drain(queue, work, failed);
        List<Thread> helpers = new ArrayList<>();
        for (int i = 1; i < threads; i++) {
            Thread helper = new Thread(worker, "crash-harness-" + i);
            helper.start();
            helpers.add(helper);
        }
        worker.run();
        for (Thread helper : helpers) {
            join(helper);
        }
        if (failed.get() instanceof Error error) {
            throw error;
        }
        if (failed.get() != null) {
            throw new IllegalStateException("the harness failed", failed.get());
        }
    }

    private static void drain(
            Queue<CrashPoint> queue, Consumer<CrashPoint> work, AtomicReference<Throwable> failed) {
        try {
            CrashPoint next = queue.poll();
            while (next != null && failed.get() == null) {
                work.accept(next);
                next = queue.poll();
            }
        } catch (Throwable failure) {
            failed.compareAndSet(null, failure);
        }
    }

    private static void join(Thread thread) {
        boolean wasInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException waitsOn) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
