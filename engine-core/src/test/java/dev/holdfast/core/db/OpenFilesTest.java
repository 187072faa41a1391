// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.Engine;
import dev.holdfast.EngineClosedException;
import dev.holdfast.FileReport;
import dev.holdfast.FileReport.Row;
import dev.holdfast.Table;
import dev.holdfast.TableOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** If this failed, a file's work would be hidden from who looks for the cause of a slow disk. */
@ExtendWith(VerifyAfterTest.class)
final class OpenFilesTest {
    @TempDir Path directory;

    @Test
    void givenAStore_whenAsked_thenEveryFileThatIsReadAndWrittenHasARow(TestEngines engines)
            throws Exception {
        Engine engine = engines.open(directory, TestEngines.small().build());
        engine.table("own", TableOptions.ownSpace());

        FileReport report = engine.files();

        assertThat(report.rows())
                .extracting(Row::name)
                .containsExactlyInAnyOrderElementsOf(filesThere());
        assertThat(row(report, "undo-2.hfs").number()).isEqualTo(2);
        assertThat(row(report, "redo/001.hfl").number()).isEqualTo(1);
    }

    /** The identity is read whole at open, and the lock never. */
    private List<String> filesThere() throws Exception {
        try (Stream<Path> all = Files.walk(directory)) {
            return all.filter(Files::isRegularFile)
                    .map(file -> directory.relativize(file).toString().replace('\\', '/'))
                    .filter(name -> !name.equals("holdfast.id") && !name.equals("lock"))
                    .toList();
        }
    }

    @Test
    void givenADurableChange_whenAsked_thenTheLogHasWrittenAndSynced(TestEngines engines) {
        Engine engine = engines.open();
        Table table = engine.table("t");
        FileReport before = engine.files();
        engine.write(
                transaction -> {
                    transaction.put(table, new byte[] {1}, new byte[] {2});
                    return null;
                });

        FileReport after = engine.files();

        assertThat(logSum(after, true)).isGreaterThan(logSum(before, true));
        assertThat(logSum(after, false)).isGreaterThan(logSum(before, false));
    }

    private static long logSum(FileReport report, boolean syncs) {
        return report.rows().stream()
                .filter(row -> row.name().startsWith("redo/"))
                .mapToLong(row -> syncs ? row.syncs().requests() : row.writes().pages())
                .sum();
    }

    @Test
    void givenACheckpoint_whenTold_thenThePagesOfTheDoublewriteAndOfTheSpacesShow(
            TestEngines engines) {
        Engine engine = engines.open();
        engine.table("t");
        engine.checkpoint();

        FileReport report = engine.files();

        Row doublewrite = row(report, "doublewrite/0.hfd");
        assertThat(doublewrite.writes().requests()).isPositive();
        assertThat(row(report, "main.hfs").writes().pages()).isPositive();
        assertThat(row(report, "main.hfs").syncs().requests()).isPositive();
        assertThat(row(report, "checkpoint").writes().pages())
                .isEqualTo(row(report, "checkpoint").writes().bytes() / 4096);
    }

    @Test
    void givenAnEngine_whenItsStatusIsAsked_thenEachFileAndTheTotalHaveALine(TestEngines engines) {
        Engine engine = engines.open();
        engine.close();

        assertThatThrownBy(engine::files).isInstanceOf(EngineClosedException.class);
        Engine open = engines.open();
        assertThat(open.status())
                .containsPattern("(?m)^checkpoint, 0, read: [0-9]+ requests, [0-9]+ pages, ")
                .containsPattern("(?m)^redo/[0-9]+\\.hfl, [0-9]+, read: ")
                .containsPattern("(?m)^doublewrite/[0-9]+\\.hfd, [0-9]+, read: ")
                .containsPattern("(?m)^undo-2\\.hfs, 2, read: ")
                .containsPattern(
                        "(?m)^main\\.hfs, 1, read: .*, write: .*, sync: .* ms/r, merged: \\d+"
                                + " reads, \\d+ writes$")
                .containsPattern("(?m)^total, " + open.files().rows().size() + ", read: ");
    }

    private static Row row(FileReport report, String name) {
        return report.rows().stream()
                .filter(row -> row.name().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
