// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.Table;
import org.junit.jupiter.api.Test;

/** If this failed, the report had changed its words, and figures made from it would be zero. */
class EngineCountsTest {
    private static final int COMMITS = 5;

    @Test
    void givenAnEngineThatWorked_whenItsStatusIsParsed_thenItsWorkIsCounted() {
        try (Engine engine = Engine.inMemory(EngineOptions.defaults())) {
            Table table = engine.table("rows");
            EngineCounts before = EngineCounts.parse(engine.status());
            for (int i = 0; i < COMMITS; i++) {
                byte[] key = {(byte) i};
                engine.write(
                        transaction -> {
                            transaction.put(table, key, new byte[100_000]);
                            return null;
                        });
            }

            EngineCounts counts = EngineCounts.parse(engine.status()).minus(before);

            assertThat(counts.commits()).isEqualTo(COMMITS);
            assertThat(counts.logSyncs()).isBetween(1L, 10L * COMMITS);
            assertThat(counts.pagesFixed()).isGreaterThan(COMMITS);
            assertThat(counts.pagesMissed()).isLessThan(counts.pagesFixed());
            assertThat(counts.hitRatio()).isBetween(0.0, 1.0);
            assertThat(counts.redoBytes()).isGreaterThan(COMMITS * 100_000L);
            assertThat(counts.commitsPerSync()).isPositive();
        }
    }

    @Test
    void givenATextWithoutCounters_whenParsed_thenAllAreZero() {
        assertThat(EngineCounts.parse("state=CLOSED")).isEqualTo(EngineCounts.NONE);
    }
}
