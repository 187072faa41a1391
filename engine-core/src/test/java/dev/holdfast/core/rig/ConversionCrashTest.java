// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ChecksumConversion;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.sim.CrashHarness;
import dev.holdfast.io.sim.CrashImage;
import dev.holdfast.io.sim.CrashReport;
import dev.holdfast.io.sim.RecoverAndCheck;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.io.sim.Trace;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A workload during which all files get another kind of checksum, several times, crashed
 * everywhere. If this failed, a crash could leave a page of a kind that its file does not allow, or
 * bring back an old copy of one.
 */
@ExtendWith(SeedExtension.class)
final class ConversionCrashTest {
    private static final List<String> KINDS = List.of("WORD", "NONE", "CRC32C");
    private static final int EVERYDAY_IMAGES = 250;
    private static final int SOAK_IMAGES = 20_000;
    private static final long LIMIT_NANOS = Duration.ofSeconds(60).toNanos();

    @Test
    void givenConversionsUnderLoad_whenCrashedEverywhere_thenTheStoreIsRightAndTheyComeThrough(
            SeededRandom random, TestReporter reporter) throws Exception {
        int images = SeedExtension.everydayOrSoak(EVERYDAY_IMAGES, SOAK_IMAGES);
        CrashWorkload workload = new CrashWorkload(random.seed(), 2, 25);
        Trace trace = workload.runConverting(KINDS).trace();
        Check check = new Check(random.seed());

        CrashReport report =
                new CrashHarness("conversion", trace, random.seed())
                        .images(images)
                        .modes(EngineCrashTest.modes())
                        .nested(2, 0.05, 0.25, 4)
                        .threads(2)
                        .shrinkTries(10)
                        .run(check);

        reporter.publishEntry("workload", workload.counts().toString());
        reporter.publishEntry("crashes", report.toText());
        reporter.publishEntry("comeThrough", check.cameThrough + " conversions");
        assertThat(workload.count(Counter.SPACE_PAGES_CONVERTED)).isGreaterThan(50);
        assertThat(workload.conversionsLeft()).isPositive();
        assertThat(check.cameThrough).hasPositiveValue();
        assertThat(report.distinctImages()).as(report.toText()).isGreaterThan(images / 2);
        assertThat(report.lossyImages()).as(report.toText()).isPositive();
    }

    /** What all crash rigs check, and that a conversion that was under way ends. */
    private static final class Check implements RecoverAndCheck {
        private final CrashCheck common;
        private final AtomicLong cameThrough = new AtomicLong();

        Check(long seed) {
            this.common = new CrashCheck(seed, 8);
        }

        @Override
        public String recoverAndCheck(CrashImage image) {
            String path = common.recoverAndCheck(image);
            var fast = RigEngine.options().ioCapacity(1_000_000).build();
            try (RigEngine opened = RigEngine.open(image.disk().directory(), fast)) {
                ChecksumConversion end = awaitEnd(opened);
                assertThat(end.isComplete()).as(end.toText()).isTrue();
                if (end.spaces() > 0) {
                    StoreCheck.verify(opened.engine());
                    cameThrough.incrementAndGet();
                    return path + " converting";
                }
            }
            return path;
        }

        private ChecksumConversion awaitEnd(RigEngine opened) {
            long deadline = System.nanoTime() + LIMIT_NANOS;
            while (opened.engine().checksumConversion().running()) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                LockSupport.parkNanos(this, 500_000);
            }
            return opened.engine().checksumConversion();
        }
    }
}
