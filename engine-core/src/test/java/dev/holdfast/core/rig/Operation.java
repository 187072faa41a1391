// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import dev.holdfast.Durability;
import dev.holdfast.Isolation;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.SeededRandom;
import java.util.ArrayList;
import java.util.List;

/**
 * One random operation. It names nothing that an earlier one must have made: what it is about is
 * chosen from what is there when it runs, so that any part of a list of operations can be run too.
 */
interface Operation {
    void runOn(ModelMachine machine);

    /** Begins a transaction; does nothing if there is one. */
    record Begin(Isolation isolation) implements Operation {
        @Override
        public void runOn(ModelMachine machine) {
            machine.begin(isolation);
        }
    }

    record Write(Change.Kind kind, int table, String key, int length, boolean matches)
            implements Operation {
        @Override
        public void runOn(ModelMachine machine) {
            machine.write(kind, table, key, length, matches);
        }

        @Override
        public String toString() {
            return kind
                    + "["
                    + table
                    + ", "
                    + Keys.text(key)
                    + ", "
                    + length
                    + ", "
                    + matches
                    + "]";
        }
    }

    /** Many puts of neighbouring keys in one transaction, in either order. */
    record PutRun(int table, String prefix, int count, int length, boolean descending)
            implements Operation {
        @Override
        public void runOn(ModelMachine machine) {
            machine.putRun(table, prefix, count, length, descending);
        }
    }

    record DeleteRange(int table, String from, String to) implements Operation {
        @Override
        public void runOn(ModelMachine machine) {
            machine.deleteRange(table, from, to);
        }

        @Override
        public String toString() {
            return "DeleteRange[" + table + ", " + Keys.text(from) + ", " + Keys.text(to) + "]";
        }
    }

    record Get(int table, String key) implements Operation {
        @Override
        public void runOn(ModelMachine machine) {
            machine.get(table, key);
        }

        @Override
        public String toString() {
            return "Get[" + table + ", " + Keys.text(key) + "]";
        }
    }

    /** Opens a cursor in the place of the one before. */
    record OpenCursor(int table, String from, String to, boolean reversed) implements Operation {
        @Override
        public void runOn(ModelMachine machine) {
            machine.openCursor(table, from, to, reversed);
        }

        @Override
        public String toString() {
            return "OpenCursor["
                    + table
                    + ", "
                    + Keys.text(from)
                    + ", "
                    + (to == null ? "end" : Keys.text(to))
                    + ", "
                    + reversed
                    + "]";
        }
    }

    record Move(Where where, String key, int times) implements Operation {
        enum Where {
            NEXT,
            PREVIOUS,
            SEEK,
            FIRST,
            LAST
        }

        @Override
        public void runOn(ModelMachine machine) {
            for (int i = 0; i < times; i++) {
                machine.move(where, key);
            }
        }

        @Override
        public String toString() {
            return where + "[" + Keys.text(key) + ", " + times + "]";
        }
    }

    record End(boolean commits, Durability durability) implements Operation {
        @Override
        public void runOn(ModelMachine machine) {
            if (commits) {
                machine.commit(durability);
            } else {
                machine.rollback();
            }
        }
    }

    /** Keeps a view of now; of several the oldest is given up. */
    record TakeSnapshot() implements Operation {
        @Override
        public void runOn(ModelMachine machine) {
            machine.takeSnapshot();
        }
    }

    /** Looks at all that the kept views show. */
    record ReadSnapshots() implements Operation {
        @Override
        public void runOn(ModelMachine machine) {
            machine.readSnapshots();
        }
    }

    record ChangeTables(TableStep.Kind kind, int table, boolean ownSpace) implements Operation {
        @Override
        public void runOn(ModelMachine machine) {
            machine.changeTables(kind, table, ownSpace);
        }
    }

    record Checkpoint() implements Operation {
        @Override
        public void runOn(ModelMachine machine) {
            machine.checkpoint();
        }
    }

    record Verify() implements Operation {
        @Override
        public void runOn(ModelMachine machine) {
            machine.verify();
        }
    }

    record Reopen(boolean clean) implements Operation {
        @Override
        public void runOn(ModelMachine machine) {
            machine.reopen(clean);
        }
    }

    record Crash(CrashMode mode, long seed) implements Operation {
        @Override
        public void runOn(ModelMachine machine) {
            machine.crash(mode, seed);
        }
    }

    /** Draws a list. */
    static List<Operation> list(SeededRandom random, int count, boolean isAlone) {
        List<Operation> operations = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            operations.add(
                    isAlone && random.oneIn(14) ? ofTheStore(random) : ofATransaction(random));
        }
        return operations;
    }

    private static Operation ofTheStore(SeededRandom random) {
        return switch (random.nextInt(10)) {
            case 0, 1 -> new Reopen(random.nextBoolean());
            case 2, 3, 4 -> new Crash(random.pickOf(CrashMode.values()), random.nextInt(1_000_000));
            case 5 -> new Checkpoint();
            case 6 -> new Verify();
            default ->
                    new ChangeTables(
                            random.pickOf(TableStep.Kind.values()),
                            random.nextInt(4),
                            random.nextBoolean());
        };
    }

    private static Operation ofATransaction(SeededRandom random) {
        int table = random.nextInt(3);
        String key = Keys.random(random, RigEngine.PAGE_BYTES);
        String other = Keys.random(random, RigEngine.PAGE_BYTES);
        return switch (random.nextInt(30)) {
            case 0, 1, 2 ->
                    new Begin(random.oneIn(2) ? Isolation.SNAPSHOT : Isolation.READ_COMMITTED);
            case 3, 4 -> new End(!random.oneIn(3), random.pickOf(Durability.values()));
            case 5, 6 -> new Get(table, key);
            case 7, 8 ->
                    new OpenCursor(
                            table, key, random.oneIn(3) ? null : other, random.nextBoolean());
            case 9, 10, 11, 12 ->
                    new Move(
                            random.pickOf(Move.Where.values()),
                            key,
                            random.oneIn(3) ? 12 : random.between(1, 4));
            case 13 -> new TakeSnapshot();
            case 14 -> new ReadSnapshots();
            case 15 ->
                    new PutRun(
                            table,
                            "r" + random.nextInt(4),
                            random.between(5, 60),
                            random.between(5, 300),
                            random.nextBoolean());
            case 16 ->
                    key.compareTo(other) <= 0
                            ? new DeleteRange(table, key, other)
                            : new DeleteRange(table, other, key);
            default ->
                    new Write(
                            random.pickOf(
                                    Change.Kind.PUT,
                                    Change.Kind.PUT,
                                    Change.Kind.INSERT,
                                    Change.Kind.REPLACE,
                                    Change.Kind.UPDATE,
                                    Change.Kind.DELETE),
                            table,
                            key,
                            length(random),
                            !random.oneIn(4));
        };
    }

    private static int length(SeededRandom random) {
        return switch (random.nextInt(12)) {
            case 0 -> 0;
            case 1 -> 1;
            case 2 -> random.between(900, 1100);
            case 3 -> random.between(1000, 30_000);
            case 4 -> random.between(400, 900);
            default -> random.between(5, 120);
        };
    }
}
