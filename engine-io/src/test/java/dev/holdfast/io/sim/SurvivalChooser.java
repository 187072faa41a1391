// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import dev.holdfast.io.sim.Survival.Fate;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Draws what a power loss takes, by mode and seed. */
final class SurvivalChooser {
    private static final double[] KEEP_PROBABILITIES = {0.1, 0.5, 0.9};

    private final DiskState state;
    private final CrashMode mode;
    private final boolean isPure;
    private final SeededRandom random;
    private final Survival survival;
    private final List<PendingChange> pending;

    private SurvivalChooser(DiskState state, CrashMode mode, long seed, int sectorBytes) {
        this.state = state;
        this.mode = mode;
        this.isPure = seed == 0;
        this.random = new SeededRandom(seed).derive(mode.ordinal());
        this.survival = new Survival(sectorBytes, state.flaw());
        this.pending = pendingOf(state);
    }

    static Survival choose(DiskState state, CrashMode mode, long seed, int sectorBytes) {
        SurvivalChooser chooser = new SurvivalChooser(state, mode, seed, sectorBytes);
        chooser.chooseData();
        return chooser.survival;
    }

    /** The pending changes of all files in the order in which they were made. */
    static List<PendingChange> pendingOf(DiskState state) {
        List<PendingChange> all = new ArrayList<>();
        Set<Integer> named = state.names().inodes();
        for (Map.Entry<Integer, FileState> entry : state.files().entrySet()) {
            FileState file = entry.getValue();
            if (file.pending().count() == 0 || !named.contains(entry.getKey())) {
                continue;
            }
            for (int i = 0; i < file.pending().count(); i++) {
                all.add(file.pending().get(i));
            }
        }
        all.sort(Comparator.comparingLong(PendingChange::sequence));
        return all;
    }

    private void chooseData() {
        if (state.flaw() == DiskFlaw.POWER_LOSS_TAKES_ALL) {
            keepBefore(0);
            chooseNames(Names.NONE);
            return;
        }
        switch (mode) {
            case NOTHING_PENDING -> {
                keepBefore(0);
                chooseNames(isPure ? Names.NONE : Names.PREFIX);
            }
            case ALL_PENDING -> chooseNames(isPure ? Names.ALL : Names.PREFIX);
            case PREFIX -> choosePrefix();
            case RANDOM_SUBSET -> {
                if (state.flaw() == DiskFlaw.LATER_WRITES_NEVER_OVERTAKE) {
                    choosePrefix();
                    return;
                }
                chooseSubset(KEEP_PROBABILITIES[random.nextInt(KEEP_PROBABILITIES.length)]);
                chooseNames(Names.PREFIX);
            }
            case LAST_TORN -> {
                chooseTorn();
                chooseNames(Names.PREFIX);
            }
            case GARBAGE_SECTORS -> {
                chooseSubset(0.5);
                chooseGarbage();
                chooseNames(Names.PREFIX);
            }
            case PROCESS_KILLED ->
                    throw new IllegalArgumentException("a killed process loses nothing");
        }
    }

    /** Loses all from that index on. */
    private void keepBefore(int index) {
        for (PendingChange change : pending.subList(index, pending.size())) {
            survival.decide(change, Fate.LOST);
        }
    }

    private void choosePrefix() {
        List<NameChange> names = state.names().pending();
        int cut = random.nextInt(pending.size() + names.size() + 1);
        List<Long> sequences = new ArrayList<>();
        pending.forEach(change -> sequences.add(change.sequence()));
        names.forEach(name -> sequences.add(name.sequence()));
        Collections.sort(sequences);
        long end = cut == sequences.size() ? Long.MAX_VALUE : sequences.get(cut);
        int keptChanges = 0;
        while (keptChanges < pending.size() && pending.get(keptChanges).sequence() < end) {
            keptChanges++;
        }
        keepBefore(keptChanges);
        if (random.nextBoolean()) {
            names.stream().filter(name -> name.sequence() >= end).forEach(survival::lose);
        } else {
            chooseNames(Names.PREFIX);
        }
    }

    private void chooseSubset(double keepProbability) {
        for (PendingChange change : pending) {
            boolean isKept = random.chance(keepProbability);
            boolean lengthKept = !change.changesLength() || random.chance(keepProbability);
            if (state.flaw() == DiskFlaw.LENGTH_GOES_WITH_BYTES) {
                lengthKept = isKept;
            }
            if (!isKept) {
                boolean grows = change.isWrite() && change.changesLength() && lengthKept;
                survival.decide(change, grows ? Fate.ONLY_LENGTH : Fate.LOST);
            } else if (change.isWrite() && !lengthKept) {
                survival.decide(change, new Fate(sectors(change), new BitSet(), false, 0));
            }
        }
    }

    private void chooseTorn() {
        if (pending.isEmpty()) {
            return;
        }
        int victim = random.nextBoolean() ? pending.size() - 1 : random.nextInt(pending.size());
        keepBefore(victim);
        if (random.nextBoolean()) {
            for (PendingChange change : pending.subList(0, victim)) {
                if (random.nextBoolean()) {
                    survival.decide(change, Fate.LOST);
                }
            }
        }
        PendingChange torn = pending.get(victim);
        if (state.flaw() == DiskFlaw.NOTHING_TEARS) {
            survival.decide(torn, Fate.LOST);
        } else if (torn.isWrite()) {
            boolean lengthKept = random.chance(0.75);
            survival.decide(torn, new Fate(tornSectors(torn), new BitSet(), lengthKept, 0));
        }
    }

    /** A real tear: some sectors and not all, if there are several. */
    private BitSet tornSectors(PendingChange change) {
        int count = change.write().sectorCount(survival.sectorBytes());
        BitSet kept = new BitSet(count);
        if (count == 1) {
            return kept;
        }
        int cut = random.between(1, count - 1);
        switch (random.nextInt(3)) {
            case 0 -> kept.set(0, cut);
            case 1 -> kept.set(cut, count);
            default -> {
                for (int i = 0; i < count; i++) {
                    kept.set(i, random.nextBoolean());
                }
                kept.set(cut);
                kept.clear(random.nextBoolean() ? 0 : cut - 1);
            }
        }
        return kept;
    }

    private void chooseGarbage() {
        List<PendingChange> writes = new ArrayList<>();
        for (PendingChange change : pending) {
            if (change.isWrite()) {
                writes.add(change);
            }
        }
        for (int i = writes.isEmpty() ? 0 : random.between(1, 3); i > 0; i--) {
            PendingChange victim =
                    random.nextBoolean() ? writes.get(writes.size() - 1) : random.pick(writes);
            int count = victim.write().sectorCount(survival.sectorBytes());
            BitSet kept = new BitSet(count);
            BitSet garbage = new BitSet(count);
            int noisy = random.nextInt(count);
            for (int sector = 0; sector < count; sector++) {
                if (sector == noisy || random.oneIn(8)) {
                    garbage.set(sector);
                } else if (random.nextBoolean()) {
                    kept.set(sector);
                }
            }
            boolean lengthKept = random.chance(0.75);
            survival.decide(victim, new Fate(kept, garbage, lengthKept, random.nextLong()));
        }
    }

    private BitSet sectors(PendingChange change) {
        BitSet all = new BitSet();
        all.set(0, change.write().sectorCount(survival.sectorBytes()));
        return all;
    }

    private enum Names {
        NONE,
        PREFIX,
        ALL
    }

    private void chooseNames(Names which) {
        List<NameChange> names = state.names().pending();
        if (which == Names.ALL || names.isEmpty()) {
            return;
        }
        if (state.flaw() == DiskFlaw.NAMES_ARE_DURABLE_AT_ONCE) {
            return;
        }
        if (state.flaw() == DiskFlaw.NAMES_OVERTAKE) {
            names.stream().filter(name -> random.nextBoolean()).forEach(survival::lose);
            return;
        }
        if (which == Names.NONE) {
            names.forEach(survival::lose);
            return;
        }
        if (state.nameRules() == NameRules.EXT4) {
            int cut = random.nextInt(names.size() + 1);
            names.subList(cut, names.size()).forEach(survival::lose);
            return;
        }
        Set<String> directories = new HashSet<>();
        names.forEach(name -> directories.addAll(name.directories()));
        List<String> ordered = new ArrayList<>(directories);
        Collections.sort(ordered);
        for (String directory : ordered) {
            List<NameChange> own = new ArrayList<>(names);
            own.removeIf(name -> !name.directories().contains(directory));
            int cut = random.nextInt(own.size() + 1);
            own.subList(cut, own.size()).forEach(survival::lose);
        }
    }
}
