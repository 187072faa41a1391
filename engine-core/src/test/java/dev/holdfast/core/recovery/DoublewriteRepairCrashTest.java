// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.recovery;

import static dev.holdfast.core.recovery.RepairFixture.copy;
import static dev.holdfast.core.recovery.RepairFixture.pageId;
import static dev.holdfast.core.recovery.RepairFixture.torn;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.DoublewriteMode;
import dev.holdfast.core.recovery.RepairFixture.Copy;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.sim.CrashHarness;
import dev.holdfast.io.sim.CrashImage;
import dev.holdfast.io.sim.CrashMode;
import dev.holdfast.io.sim.CrashReport;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.SimulatedDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** If this failed, a crash inside the repair would leave a page that no repair puts right again. */
@ExtendWith(SeedExtension.class)
final class DoublewriteRepairCrashTest {
    private static final int PAGE_BYTES = 4096;
    private static final int PAGES = 6;
    private static final int FIRST_PAGE = 4;
    private static final long OLD_LSN = 900;
    private static final long NEW_LSN = 1300;

    @Test
    void givenTornPagesInThreeSlots_whenTheRepairIsCrashedAgainAndAgain_thenItComesToTheSame(
            SeededRandom random) throws IOException {
        SimulatedDisk disk = SimulatedDisk.create();
        byte[] header;
        try (RepairFixture fixture =
                RepairFixture.create(disk.directory(), PAGE_BYTES, PageChecksums.CRC32C)) {
            header = fixture.readPage(pageId(0));
            damage(fixture, header);
        }
        CrashImage damaged = disk.crash(CrashMode.ALL_PENDING, 0);
        SimulatedDisk repairing = damaged.disk();
        repairAndSync(repairing);

        CrashReport report =
                new CrashHarness("repair", repairing.trace(), random.seed())
                        .images(SeedExtension.everydayOrSoak(300, 5000))
                        .nested(3, 0.3, 0.3, 4)
                        .run(image -> check(image, header));

        assertThat(report.imagesOfDepth(3)).as(report.toText()).isPositive();
        assertThat(report.lossyImages()).as(report.toText()).isPositive();
        assertThat(report.recoveryPaths()).as(report.toText()).hasSizeGreaterThan(2);
    }

    /** Old, newer and newest copies over three slots; each page torn elsewhere, the header too. */
    private static void damage(RepairFixture fixture, byte[] header) throws IOException {
        List<Copy> olds = new ArrayList<>();
        List<Copy> even = new ArrayList<>();
        List<Copy> odd = new ArrayList<>();
        odd.add(copy(pageId(0), header, 1350));
        for (int i = 0; i < PAGES; i++) {
            long pageId = pageId(FIRST_PAGE + i);
            byte[] old = fixture.image(pageId, OLD_LSN, PageChecksums.CRC32C);
            byte[] newest = fixture.image(pageId, NEW_LSN, PageChecksums.CRC32C);
            olds.add(copy(pageId, old, 1100));
            (i % 2 == 0 ? even : odd).add(copy(pageId, newest, 1350));
            fixture.writePage(pageId, torn(newest, old, 512 * (i + 1)));
        }
        fixture.writeBatch(DoublewriteMode.ON, 3, 0, even.toArray(new Copy[0]));
        fixture.writeBatch(DoublewriteMode.ON, 3, 1, olds.toArray(new Copy[0]));
        fixture.writeBatch(DoublewriteMode.ON, 3, 2, odd.toArray(new Copy[0]));
        fixture.writePage(pageId(0), torn(header, new byte[PAGE_BYTES], 512));
    }

    private static int repairAndSync(SimulatedDisk disk) throws IOException {
        try (RepairFixture fixture =
                RepairFixture.open(disk.directory(), PAGE_BYTES, PageChecksums.CRC32C)) {
            int repaired = fixture.repair().repaired().size();
            fixture.files.syncAll();
            return repaired;
        }
    }

    private static String check(CrashImage image, byte[] header) {
        try {
            int repaired = repairAndSync(image.disk());
            try (RepairFixture fixture =
                    RepairFixture.open(
                            image.disk().directory(), PAGE_BYTES, PageChecksums.CRC32C)) {
                assertThat(fixture.readPage(pageId(0))).isEqualTo(header);
                for (int i = 0; i < PAGES; i++) {
                    long pageId = pageId(FIRST_PAGE + i);
                    assertThat(fixture.readPage(pageId))
                            .isEqualTo(fixture.image(pageId, NEW_LSN, PageChecksums.CRC32C));
                }
            }
            return "repaired=" + repaired;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
