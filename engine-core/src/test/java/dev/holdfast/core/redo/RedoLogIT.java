// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.io.file.FileMode;
import dev.holdfast.io.file.FileSystemDirectory;
import dev.holdfast.io.file.StorageDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** If this failed, the log would work in memory only: alignment, lengths, real syncs. */
final class RedoLogIT {
    private static final RedoOptions OPTIONS = TestLog.options(64, 1 << 16, 1 << 14);

    @TempDir Path temporary;

    @ParameterizedTest
    @EnumSource(FileMode.class)
    void givenRealFiles_whenTheLogWrapsAndIsReopened_thenTheNewestGroupsAreFound(FileMode mode)
            throws IOException {
        long next = 0;
        try (StorageDirectory directory = FileSystemDirectory.open(temporary, mode);
                TestLog log = TestLog.create(directory, OPTIONS)) {
            while (log.log.appendLsn() < 3 * OPTIONS.layout().capacityBytes()) {
                long end = log.append(0, next, (int) (next * 7919 % 16_000));
                next++;
                if (next % 7 == 0) {
                    log.log.makeDurable(end);
                } else if (next % 7 == 3) {
                    log.log.makeWritten(end);
                }
                if (log.log.space().age() > OPTIONS.layout().capacityBytes() / 2) {
                    log.checkpoint(next);
                }
            }
            log.log.makeWritten(log.log.closedLsn());
        }

        try (StorageDirectory directory = FileSystemDirectory.open(temporary, mode);
                TestLog second = TestLog.recover(directory, OPTIONS)) {
            long first = second.checkpoints.newest().transactionIdHighWater();
            assertThat(second.recovered.stream().map(TestLog.Group::number).toList())
                    .isEqualTo(LongStream.range(first, next).boxed().toList());
        }
    }
}
