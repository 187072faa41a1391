// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Random writes, truncations and syncs against a second, naive statement of the fault model: for
 * each sector the set of contents that it may have, for each file the set of lengths.
 */
@ExtendWith(SeedExtension.class)
final class SimulatedDiskPropertyTest {
    private static final int SECTOR = 512;
    private static final int SECTORS = 40;
    private static final List<String> NAMES = List.of("a", "b", "redo/1");

    private final SimulatedDisk disk = SimulatedDisk.create();
    private final Map<String, StorageFile> files = new HashMap<>();
    private final Map<String, Model> models = new HashMap<>();

    @RepeatedTest(30)
    void givenRandomOperations_whenCrashedAnywhere_thenEachSectorIsOneOfThoseAllowed(
            SeededRandom random) throws IOException {
        createFiles();
        List<Map<String, Model>> history = new ArrayList<>();
        List<Integer> points = new ArrayList<>();
        for (int step = 0; step < 250; step++) {
            step(random);
            Map<String, Model> copy = new HashMap<>();
            models.forEach((name, model) -> copy.put(name, model.copy()));
            history.add(copy);
            points.add(disk.eventCount());
        }
        Trace trace = disk.trace();

        for (int i = 0; i < 150; i++) {
            int when = random.nextInt(points.size());
            CrashMode mode = random.pickOf(CrashMode.values());
            int seed = mode == CrashMode.PROCESS_KILLED ? 0 : random.nextInt(1000);
            CrashImage image = CrashImage.build(trace, points.get(when), mode, seed);
            check(image, history.get(when));
            if (mode == CrashMode.PROCESS_KILLED) {
                check(image.disk().crash(CrashMode.RANDOM_SUBSET, i), history.get(when));
            }
        }
    }

    private void createFiles() throws IOException {
        StorageDirectory directory = disk.directory();
        directory.createDirectory("redo");
        for (String name : NAMES) {
            files.put(name, directory.create(name));
            models.put(name, new Model());
        }
        directory.syncDirectory("");
        directory.syncDirectory("redo");
    }

    private void step(SeededRandom random) throws IOException {
        String name = random.pick(NAMES);
        StorageFile file = files.get(name);
        Model model = models.get(name);
        int from = random.nextInt(SECTORS - 10);
        int kind = random.nextInt(10);
        if (kind == 0) {
            file.truncate((long) from * SECTOR);
            model.truncate(from);
        } else if (kind == 1) {
            file.sync(random.nextBoolean());
            model.sync();
        } else {
            byte[] bytes = random.bytes(random.between(1, 10) * SECTOR);
            if (random.oneIn(5)) {
                Arrays.fill(bytes, (byte) 0);
            }
            file.write((long) from * SECTOR, TestBytes.direct(bytes));
            model.write(from, bytes);
        }
    }

    private static void check(CrashImage image, Map<String, Model> models) throws IOException {
        boolean mayBeNoise = image.where().mode() == CrashMode.GARBAGE_SECTORS;
        for (String name : NAMES) {
            Model model = models.get(name);
            byte[] bytes = image.disk().contents(name);
            assertThat(model.lengths).as("%s, file=%s", image, name).contains(bytes.length);
            for (int sector = 0; sector < bytes.length / SECTOR; sector++) {
                byte[] found = Arrays.copyOfRange(bytes, sector * SECTOR, (sector + 1) * SECTOR);
                Set<Integer> allowed = model.sectors.get(sector);
                if (!(mayBeNoise && model.written.contains(sector))) {
                    assertThat(allowed)
                            .as("%s, file=%s, sector=%s", image, name, sector)
                            .contains(Arrays.hashCode(found));
                }
            }
        }
    }

    /** What may be in a file after a crash; contents are known by their hash. */
    private static final class Model {
        private static final int ZEROS = Arrays.hashCode(new byte[SECTOR]);

        private final Map<Integer, Set<Integer>> sectors = new HashMap<>();
        private final Set<Integer> lengths = new HashSet<>(Set.of(0));
        private final Set<Integer> written = new HashSet<>();
        private final Map<Integer, Integer> newest = new HashMap<>();
        private int length;

        Model() {
            for (int sector = 0; sector < SECTORS; sector++) {
                sectors.put(sector, new HashSet<>(Set.of(ZEROS)));
                newest.put(sector, ZEROS);
            }
        }

        void write(int from, byte[] bytes) {
            for (int i = 0; i < bytes.length / SECTOR; i++) {
                byte[] content = Arrays.copyOfRange(bytes, i * SECTOR, (i + 1) * SECTOR);
                allow(from + i, Arrays.hashCode(content));
                written.add(from + i);
            }
            length = Math.max(length, from * SECTOR + bytes.length);
            lengths.add(length);
        }

        void truncate(int from) {
            if (from * SECTOR < length) {
                length = from * SECTOR;
                lengths.add(length);
                for (int sector = from; sector < SECTORS; sector++) {
                    allow(sector, ZEROS);
                }
            }
        }

        void sync() {
            newest.forEach(
                    (sector, content) -> sectors.put(sector, new HashSet<>(Set.of(content))));
            lengths.retainAll(Set.of(length));
            written.clear();
        }

        Model copy() {
            Model copy = new Model();
            sectors.forEach(
                    (sector, contents) -> copy.sectors.put(sector, new HashSet<>(contents)));
            copy.lengths.clear();
            copy.lengths.addAll(lengths);
            copy.written.addAll(written);
            return copy;
        }

        private void allow(int sector, int content) {
            sectors.get(sector).add(content);
            newest.put(sector, content);
        }
    }
}
