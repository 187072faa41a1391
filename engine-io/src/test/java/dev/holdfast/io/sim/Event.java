// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.Set;

/**
 * One step of a disk's life, as its trace keeps it.
 *
 * <p>An event holds all that it needs, so that applying the same events to the same state gives the
 * same state. Reads change nothing and are no events.
 */
interface Event {
    /** Changes the state; its sequence is this event's number. */
    void applyTo(DiskState state);

    /** Whether a crash before or after it is worth a try even when points are sampled. */
    boolean isBorder();

    /** How much memory it keeps, as far as that counts. */
    default long heldBytes() {
        return 0;
    }

    /** The bytes arrived at a file. */
    record Written(int inode, String name, Write write) implements Event {
        @Override
        public void applyTo(DiskState state) {
            state.file(inode).write(state.sequence(), write);
        }

        @Override
        public boolean isBorder() {
            return false;
        }

        @Override
        public long heldBytes() {
            return write.heldBytes();
        }

        @Override
        public String toString() {
            return "write " + name + ", " + write;
        }
    }

    /** A file was cut. */
    record Truncated(int inode, String name, long newLength) implements Event {
        @Override
        public void applyTo(DiskState state) {
            state.file(inode).truncate(state.sequence(), newLength);
        }

        @Override
        public boolean isBorder() {
            return true;
        }

        @Override
        public String toString() {
            return "truncate " + name + ", length=" + newLength;
        }
    }

    /** A sync of a file began: what is pending now is what it saves. */
    record SyncBegun(String name) implements Event {
        @Override
        public void applyTo(DiskState state) {
            // The end of the sync knows when it began.
        }

        @Override
        public boolean isBorder() {
            return true;
        }

        @Override
        public String toString() {
            return "sync begins " + name;
        }
    }

    /** A sync of a file ended. */
    record SyncEnded(int inode, String name, long beganAt, SyncOutcome outcome, long seed)
            implements Event {
        @Override
        public void applyTo(DiskState state) {
            DiskFlaw flaw = state.flaw();
            boolean isGreedy = flaw == DiskFlaw.SYNC_SAVES_WHAT_CAME_LATER;
            long savedBefore = isGreedy ? state.sequence() : beganAt;
            state.file(inode).sync(savedBefore, flaw.outcomeOf(outcome), seed);
            if (flaw == DiskFlaw.SYNC_SAVES_OTHER_FILES) {
                state.files().values().forEach(file -> file.sync(beganAt, outcome, seed));
            }
            if (outcome == SyncOutcome.DURABLE && state.nameRules() == NameRules.EXT4) {
                state.names().makeDurable(state.names().pendingBefore(beganAt));
            }
        }

        @Override
        public boolean isBorder() {
            return true;
        }

        @Override
        public String toString() {
            return "sync ends " + name + ", outcome=" + outcome;
        }
    }

    /** A name came, went or changed. */
    record Named(NameChange.Kind kind, String from, String to, int inode) implements Event {
        @Override
        public void applyTo(DiskState state) {
            if (kind == NameChange.Kind.CREATE) {
                state.createFile(inode);
            }
            state.names().change(new NameChange(state.sequence(), kind, from, to, inode));
        }

        @Override
        public boolean isBorder() {
            return true;
        }

        @Override
        public String toString() {
            return new NameChange(0, kind, from, to, inode).toString();
        }
    }

    /** A sync of a directory began. */
    record DirectorySyncBegun(String directory) implements Event {
        @Override
        public void applyTo(DiskState state) {
            // The end of the sync knows when it began.
        }

        @Override
        public boolean isBorder() {
            return true;
        }

        @Override
        public String toString() {
            return "directory sync begins '" + directory + "'";
        }
    }

    /** A sync of a directory ended; one that lied, or failed without a word, leaves all pending. */
    record DirectorySyncEnded(String directory, long beganAt, SyncOutcome outcome)
            implements Event {
        @Override
        public void applyTo(DiskState state) {
            if (outcome == SyncOutcome.LIED
                    || state.flaw() == DiskFlaw.DIRECTORY_SYNC_SAVES_NOTHING) {
                return;
            }
            Set<NameChange> covered =
                    state.nameRules() == NameRules.EXT4
                            ? state.names().pendingBefore(beganAt)
                            : state.names().pendingOf(directory, beganAt);
            if (outcome == SyncOutcome.DURABLE) {
                state.names().makeDurable(covered);
            } else {
                state.names().forget(covered);
            }
        }

        @Override
        public boolean isBorder() {
            return true;
        }

        @Override
        public String toString() {
            return "directory sync ends '" + directory + "', outcome=" + outcome;
        }
    }

    /** Bytes at rest changed by themselves. */
    record Damaged(int inode, String name, Write write) implements Event {
        @Override
        public void applyTo(DiskState state) {
            if (state.flaw() == DiskFlaw.DAMAGE_HEALS) {
                state.file(inode).visible().write(write);
            } else {
                state.file(inode).damage(write);
            }
        }

        @Override
        public boolean isBorder() {
            return true;
        }

        @Override
        public String toString() {
            return "damage " + name + ", " + write;
        }
    }

    /** The test noted something, above all an acknowledgement. */
    record Marked(Object mark) implements Event {
        @Override
        public void applyTo(DiskState state) {
            // Nothing happens to the disk.
        }

        @Override
        public boolean isBorder() {
            return true;
        }

        @Override
        public String toString() {
            return "mark " + mark;
        }
    }
}
