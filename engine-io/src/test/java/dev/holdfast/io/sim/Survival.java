// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The fate of every pending change in one power loss. What is not named here survives whole.
 *
 * <p>Not changed any more once an image is built from it.
 */
final class Survival {
    private static final byte[] NOISE = {-7};

    private final int sectorBytes;
    private final DiskFlaw flaw;
    private final Map<Long, Fate> fates = new HashMap<>();
    private final Set<NameChange> lostNames = new HashSet<>();

    Survival(int sectorBytes, DiskFlaw flaw) {
        this.sectorBytes = flaw == DiskFlaw.SECTORS_TEAR ? sectorBytes / 4 : sectorBytes;
        this.flaw = flaw;
    }

    /** The same losses but for those that are not in the list. */
    Survival restrictedTo(List<Object> losses) {
        Survival restricted = new Survival(sectorBytes, flaw);
        Set<Object> kept = new HashSet<>(losses);
        fates.forEach(
                (sequence, fate) -> {
                    if (kept.contains(sequence)) {
                        restricted.fates.put(sequence, fate);
                    }
                });
        for (NameChange lost : lostNames) {
            if (kept.contains(lost)) {
                restricted.lostNames.add(lost);
            }
        }
        return restricted;
    }

    /** What is lost, each by itself: numbers of changes, and changes of names. */
    List<Object> losses() {
        List<Object> losses = new ArrayList<>(fates.keySet());
        losses.addAll(lostNames);
        return losses;
    }

    int sectorBytes() {
        return sectorBytes;
    }

    void decide(PendingChange change, Fate fate) {
        fates.put(change.sequence(), fate);
    }

    /** The fate of that change, null if it survives whole. */
    Fate fateOf(long sequence) {
        return fates.get(sequence);
    }

    void lose(NameChange name) {
        lostNames.add(name);
    }

    Set<NameChange> lostNames() {
        return lostNames;
    }

    int lostCount() {
        return count(Fate.Kind.LOST);
    }

    int tornCount() {
        return count(Fate.Kind.TORN);
    }

    int garbageCount() {
        return count(Fate.Kind.GARBAGE);
    }

    private int count(Fate.Kind kind) {
        int count = 0;
        for (Fate fate : fates.values()) {
            if (fate.kind() == kind) {
                count++;
            }
        }
        return count;
    }

    /** Changes the content by what survives of the change; a cut must follow the last one. */
    void apply(PendingChange change, FileContent content) {
        Fate fate = fates.get(change.sequence());
        if (fate == null) {
            change.applyTo(content);
            return;
        }
        if (!change.isWrite()) {
            return;
        }
        if (fate.lengthKept && change.changesLength()) {
            content.growTo(change.newLength());
        }
        if (!fate.kept.isEmpty() || !fate.garbage.isEmpty()) {
            content.writeData(
                    change.write(),
                    sectorBytes,
                    fate.kept,
                    fate.garbage,
                    new SeededRandom(fate.noiseSeed));
        }
        if (flaw == DiskFlaw.NOISE_SPREADS && !fate.garbage.isEmpty()) {
            content.writeData(Write.of(change.write().end(), ByteBuffer.wrap(NOISE), 1));
        }
    }

    /**
     * What becomes of one write; for a truncation it means that nothing arrived.
     *
     * @param kept sectors that arrive, counted from the first that the write touches
     * @param garbage sectors that hold noise
     * @param lengthKept whether the file has grown as the write made it
     * @param noiseSeed gives the noise
     */
    record Fate(BitSet kept, BitSet garbage, boolean lengthKept, long noiseSeed) {
        private static final BitSet NONE = new BitSet();

        static final Fate LOST = new Fate(NONE, NONE, false, 0);
        static final Fate ONLY_LENGTH = new Fate(NONE, NONE, true, 0);

        /** What becomes of a write, in a word. */
        enum Kind {
            LOST,
            TORN,
            GARBAGE
        }

        Kind kind() {
            if (!garbage.isEmpty()) {
                return Kind.GARBAGE;
            }
            return kept.isEmpty() ? Kind.LOST : Kind.TORN;
        }

        @Override
        public String toString() {
            String sectors = kept.isEmpty() ? "" : ", keptSectors=" + kept;
            String noise = garbage.isEmpty() ? "" : ", garbageSectors=" + garbage;
            return kind() + sectors + noise + ", lengthKept=" + lengthKept;
        }
    }
}
