// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

/** One file, apart from its names: what reads show, what would survive, and what lies between. */
final class FileState {
    private FileContent visible;
    private final FileContent durable;
    private final PendingChanges pending;

    FileState() {
        this(new FileContent(), new FileContent(), new PendingChanges());
    }

    private FileState(FileContent visible, FileContent durable, PendingChanges pending) {
        this.visible = visible;
        this.durable = durable;
        this.pending = pending;
    }

    /** A file of that content, with nothing pending. */
    static FileState settled(FileContent content) {
        return new FileState(content, content.copy(), new PendingChanges());
    }

    FileState copy() {
        return new FileState(visible.copy(), durable.copy(), pending.copy());
    }

    FileContent visible() {
        return visible;
    }

    FileContent durable() {
        return durable;
    }

    PendingChanges pending() {
        return pending;
    }

    void write(long sequence, Write write) {
        long newLength = write.end() > visible.length() ? write.end() : -1;
        visible.write(write);
        pending.add(new PendingChange(sequence, write, newLength));
    }

    void truncate(long sequence, long newLength) {
        if (newLength < visible.length()) {
            visible.truncate(newLength);
            pending.add(new PendingChange(sequence, null, newLength));
        }
    }

    /** Ends a sync that began before that event. */
    void sync(long beganAt, SyncOutcome outcome, long seed) {
        if (outcome == SyncOutcome.LIED) {
            return;
        }
        SeededRandom random = new SeededRandom(seed);
        int count = pending.countBefore(beganAt);
        for (int i = 0; i < count; i++) {
            if (outcome == SyncOutcome.DURABLE) {
                pending.get(i).saveTo(durable);
            } else if (outcome == SyncOutcome.PARTLY_DURABLE && random.nextBoolean()) {
                pending.get(i).applyTo(durable);
            }
        }
        pending.removeFirst(count);
        if (outcome == SyncOutcome.PARTLY_DURABLE) {
            durable.cut();
        } else if (outcome == SyncOutcome.REVERTED) {
            visible = durable.copy();
            for (int i = 0; i < pending.count(); i++) {
                pending.get(i).applyTo(visible);
            }
            visible.cut();
        }
    }

    /** Changes bytes at rest: durable and visible ones at once, whatever is pending. */
    void damage(Write write) {
        visible.writeData(write);
        visible.cut();
        durable.writeData(write);
        durable.cut();
    }

    /** What a power loss leaves. */
    FileContent survivor(Survival survival) {
        FileContent content = durable.copy();
        for (int i = 0; i < pending.count(); i++) {
            survival.apply(pending.get(i), content);
        }
        content.cut();
        return content;
    }

    long hash() {
        long hash = visible.hash();
        if (pending.count() > 0) {
            hash += SeededRandom.mix(durable.hash() + 1);
        }
        return hash;
    }
}
