// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import static dev.holdfast.io.sim.TestBytes.createSynced;
import static dev.holdfast.io.sim.TestBytes.filled;
import static dev.holdfast.io.sim.TestBytes.read;

import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What is promised of the simulated disk, each as a trial that a disk passes or does not.
 *
 * <p>{@link DiskHonestyTest} puts an honest disk and all dishonest ones to each: a rule that none
 * of these breaks would be a rule that is not looked at.
 */
enum DiskRule {
    WHAT_WAS_SYNCED_IS_THERE {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            createSynced(disk.directory(), "a", SECTOR, 2);
            return all(disk, CrashMode.RANDOM_SUBSET, after -> contents(after, SECTOR, 2));
        }
    },
    A_SYNC_SAVES_NO_LATER_WRITE {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", SECTOR, 1);
            Runnable write = () -> unchecked(() -> file.write(0, filled(SECTOR, 2)));
            disk.faults().add(Fault.on(Operation.SYNC, "a").run(write));
            file.sync(true);
            return contents(lost(disk), SECTOR, 1);
        }
    },
    A_SYNC_SAVES_ITS_FILE_ALONE {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", SECTOR, 1);
            StorageFile other = createSynced(disk.directory(), "b", SECTOR, 1);
            file.write(0, filled(SECTOR, 2));
            other.sync(true);
            return contents(lost(disk), SECTOR, 1);
        }
    },
    A_LYING_SYNC_SAVES_NOTHING_UNTIL_AN_HONEST_ONE {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", SECTOR, 1);
            disk.faults().add(Fault.on(Operation.SYNC, "a").sync(SyncOutcome.LIED));
            file.write(0, filled(SECTOR, 2));
            file.sync(true);
            boolean isLost = contents(lost(disk), SECTOR, 1);
            file.sync(true);
            return isLost && contents(lost(disk), SECTOR, 2);
        }
    },
    A_FAILED_SYNC_SAVES_NOTHING_EVER {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", SECTOR, 1);
            disk.faults().add(Fault.on(Operation.SYNC, "a").sync(SyncOutcome.NEVER_DURABLE));
            file.write(0, filled(SECTOR, 2));
            boolean hasFailed = fails(() -> file.sync(true));
            boolean isLost = contents(lost(disk), SECTOR, 1);
            file.sync(true);
            return hasFailed && isLost && contents(lost(disk), SECTOR, 1);
        }
    },
    A_REVERTING_SYNC_SHOWS_THE_OLD_BYTES {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", SECTOR, 1);
            disk.faults().add(Fault.on(Operation.SYNC, "a").sync(SyncOutcome.REVERTED));
            file.write(0, filled(2 * SECTOR, 2));
            return fails(() -> file.sync(true)) && contents(disk, SECTOR, 1);
        }
    },
    A_POWER_LOSS_TAKES_ANY_SUBSET {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", 2 * SECTOR, 1);
            file.write(0, filled(SECTOR, 2));
            file.write(SECTOR, filled(SECTOR, 2));
            return seen(disk, CrashMode.RANDOM_SUBSET, 2).size() == 4;
        }
    },
    A_TEAR_IS_BETWEEN_SECTORS_AND_REAL {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", 3 * SECTOR, 1);
            file.write(0, filled(3 * SECTOR, 2));
            return seen(disk, CrashMode.LAST_TORN, 3).size() == 6
                    && all(disk, CrashMode.LAST_TORN, DiskRule::isOfWholeSectors);
        }
    },
    NOISE_STAYS_WITHIN_THE_WRITE {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", 4 * SECTOR, 1);
            file.write(SECTOR + 100, filled(SECTOR, 2));
            Set<Byte> written = new HashSet<>();
            return all(
                            disk,
                            CrashMode.GARBAGE_SECTORS,
                            after -> {
                                written.add(byteOf(after, SECTOR + 100));
                                byte[] bytes = bytesOf(after);
                                return only(bytes, 0, SECTOR + 100, 1)
                                        && only(bytes, 2 * SECTOR + 100, bytes.length, 1);
                            })
                    && written.size() > 2;
        }
    },
    LENGTH_AND_BYTES_SURVIVE_APART {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", SECTOR, 1);
            file.write(SECTOR, filled(SECTOR, 2));
            Set<Byte> seen = new HashSet<>();
            all(disk, CrashMode.RANDOM_SUBSET, after -> seen.add(byteOf(after, SECTOR)));
            return seen.equals(Set.of((byte) 2, (byte) 0, NO_BYTE));
        }
    },
    A_KILL_TAKES_NOTHING_AND_SAVES_NOTHING {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            createSynced(disk.directory(), "a", SECTOR, 1).write(0, filled(SECTOR, 2));
            SimulatedDisk killed = disk.crash(CrashMode.PROCESS_KILLED, 0).disk();
            return contents(killed, SECTOR, 2) && contents(lost(killed), SECTOR, 1);
        }
    },
    NAMES_ARE_DURABLE_BY_THEIR_DIRECTORYS_SYNC_ALONE {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            disk.directory().create("a").close();
            boolean isLost = !lost(disk).directory().exists("a");
            disk.directory().syncDirectory("");
            return isLost && lost(disk).directory().exists("a");
        }
    },
    NAMES_SURVIVE_AS_A_PREFIX {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            disk.directory().create("a").close();
            disk.directory().create("b").close();
            Set<List<String>> seen = new HashSet<>();
            all(disk, CrashMode.RANDOM_SUBSET, after -> seen.add(after.directory().list("")));
            return seen.equals(Set.of(List.of(), List.of("a"), List.of("a", "b")));
        }
    },
    A_FAILED_WRITE_ARRIVES_AS_PLANNED {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", SECTOR, 1);
            disk.faults().add(Fault.on(Operation.WRITE, "a").error(Fault.IO_ERROR));
            return fails(() -> file.write(0, filled(SECTOR, 2))) && contents(disk, SECTOR, 1);
        }
    },
    A_STICKY_FAULT_STAYS {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", SECTOR, 1);
            disk.faults().add(Fault.on(Operation.READ, "a").sticky().error(Fault.IO_ERROR));
            boolean failsFirst = fails(() -> read(file, 0, SECTOR));
            return failsFirst && fails(() -> read(file, 0, SECTOR));
        }
    },
    A_LOST_WRITE_IS_NOWHERE {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", SECTOR, 1);
            disk.faults().add(Fault.on(Operation.WRITE, "a").lost());
            file.write(0, filled(SECTOR, 2));
            file.sync(true);
            return contents(disk, SECTOR, 1) && contents(lost(disk), SECTOR, 1);
        }
    },
    A_MISDIRECTED_WRITE_IS_ELSEWHERE_ONLY {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", 2 * SECTOR, 1);
            disk.faults().add(Fault.on(Operation.WRITE, "a").misdirected(SECTOR));
            file.write(0, filled(SECTOR, 2));
            byte[] bytes = disk.contents("a");
            return only(bytes, 0, SECTOR, 1) && only(bytes, SECTOR, 2 * SECTOR, 2);
        }
    },
    A_FLIPPED_READ_LEAVES_THE_DISK_SOUND {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", SECTOR, 1);
            disk.faults().add(Fault.on(Operation.READ, "a").flipBit(7, 1));
            return read(file, 0, SECTOR)[7] == 3 && contents(disk, SECTOR, 1);
        }
    },
    DAMAGE_STAYS {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            createSynced(disk.directory(), "a", SECTOR, 1);
            disk.flipBit("a", 7, 1);
            return byteOf(disk, 7) == 3 && byteOf(lost(disk), 7) == 3;
        }
    },
    A_FULL_DISK_IS_FULL {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", Block.BYTES, 1);
            disk.limitCapacity(Block.BYTES);
            file.write(0, filled(Block.BYTES, 2));
            return fails(() -> file.write(Block.BYTES, filled(1, 2)))
                    && contents(disk, Block.BYTES, 2);
        }
    },
    A_SPLIT_TRANSFER_CAN_BE_CUT {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", 8 * SECTOR, 1);
            disk.faults().splitTransfers(new SeededRandom(1));
            int before = disk.eventCount();
            file.write(0, filled(8 * SECTOR, 2));
            return disk.eventCount() > before + 1;
        }
    },
    A_DEVICE_TAKES_ITS_TIME_AND_HAS_ITS_PLACES {
        @Override
        boolean holds(SimulatedDisk disk) throws IOException {
            StorageFile file = createSynced(disk.directory(), "a", SECTOR, 1);
            TestClock clock = TestClock.stopped();
            disk.clock(clock);
            disk.shapeLatency(Latency.of(10, 10, 10, 1 << 30), 2, new SeededRandom(1));
            return DeviceTrial.syncAtOnce(file, clock, 3).equals(List.of(10L, 10L, 20L));
        }
    };

    static final int SECTOR = 512;
    private static final byte NO_BYTE = -1;
    private static final int SEEDS = 200;

    /** Whether the new and empty disk passes. */
    abstract boolean holds(SimulatedDisk disk) throws IOException;

    /** What a power loss leaves if nothing pending arrives. */
    private static SimulatedDisk lost(SimulatedDisk disk) {
        return disk.crash(CrashMode.NOTHING_PENDING, 0).disk();
    }

    private static boolean all(SimulatedDisk disk, CrashMode mode, Trial trial) throws IOException {
        boolean isRight = true;
        for (int seed = 0; seed < SEEDS; seed++) {
            isRight &= trial.passes(disk.crash(mode, seed).disk());
        }
        return isRight;
    }

    /** The first byte of each of the first sectors, over many crashes. */
    private static Set<List<Byte>> seen(SimulatedDisk disk, CrashMode mode, int sectors)
            throws IOException {
        Set<List<Byte>> seen = new HashSet<>();
        all(
                disk,
                mode,
                after -> {
                    Byte[] first = new Byte[sectors];
                    for (int i = 0; i < sectors; i++) {
                        first[i] = byteOf(after, i * SECTOR);
                    }
                    return seen.add(List.of(first));
                });
        return seen;
    }

    private static boolean isOfWholeSectors(SimulatedDisk disk) throws IOException {
        byte[] bytes = bytesOf(disk);
        boolean isWhole = true;
        for (int at = 0; at < bytes.length; at += SECTOR) {
            isWhole &= only(bytes, at, at + SECTOR, bytes[at]);
        }
        return isWhole;
    }

    private static boolean contents(SimulatedDisk disk, int length, int fill) throws IOException {
        byte[] bytes = bytesOf(disk);
        return bytes.length == length && only(bytes, 0, length, fill);
    }

    /** The byte at that place, or one that nobody wrote if there is none. */
    private static byte byteOf(SimulatedDisk disk, int index) throws IOException {
        byte[] bytes = bytesOf(disk);
        return index < bytes.length ? bytes[index] : NO_BYTE;
    }

    /** Of the file that all trials write; nothing if it is gone. */
    private static byte[] bytesOf(SimulatedDisk disk) throws IOException {
        return disk.directory().exists("a") ? disk.contents("a") : new byte[0];
    }

    private static boolean only(byte[] bytes, int from, int to, int fill) {
        if (to > bytes.length) {
            return false;
        }
        byte[] expected = new byte[to - from];
        Arrays.fill(expected, (byte) fill);
        return Arrays.equals(bytes, from, to, expected, 0, expected.length);
    }

    private static boolean fails(Request request) {
        try {
            request.run();
            return false;
        } catch (IOException asPlanned) {
            return true;
        }
    }

    private static void unchecked(Request request) {
        try {
            request.run();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A call to storage. */
    private interface Request {
        void run() throws IOException;
    }

    /** Something that a disk is, or is not. */
    private interface Trial {
        boolean passes(SimulatedDisk disk) throws IOException;
    }
}
