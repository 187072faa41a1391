// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.Table;
import dev.holdfast.bench.report.TimeSeries;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** If this failed, the load would not notice a wrong answer, or find one where there is none. */
class MixedLoadTest {
    private static final int PAGE_BYTES = 4096;
    private static final int THREADS = 3;

    private final Differences differences = new Differences();
    private ImportSource source;
    private AtomicIntegerArray versions;
    private SourceChecksums checksums;
    private Engine engine;

    @BeforeEach
    void importAll() throws Exception {
        source = ImportSource.open(PAGE_BYTES, new SourceSettings(3, 100));
        versions = new AtomicIntegerArray(source.count());
        checksums = new SourceChecksums(source);
        engine = Engine.inMemory(EngineOptions.builder().pageBytes(PAGE_BYTES).build());
        Table files = engine.table(StoreSettings.FILES);
        for (int i = 0; i < source.count(); i++) {
            int entry = i;
            engine.write(
                    transaction -> {
                        transaction.insert(files, source.key(entry), source.value(entry));
                        return null;
                    });
        }
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void givenASoundStore_whenPutUnderLoad_thenItIsWorkedOnAndNothingDiffers() throws Exception {
        LoadTally tally = run(TimeUnit.SECONDS.toNanos(1));

        assertThat(differences.texts()).isEmpty();
        Set<LoadKind> frequent = EnumSet.complementOf(EnumSet.of(LoadKind.AUDIT));
        for (LoadKind kind : frequent) {
            assertThat(tally.count(kind)).as("calls of %s", kind).isPositive();
        }
        assertThat(Accounts.open(engine).sum()).isEqualTo(Accounts.SUM);
    }

    @Test
    void givenAWrongValue_whenPutUnderLoad_thenItIsFound() throws Exception {
        Table files = engine.table(StoreSettings.FILES);
        engine.write(
                transaction -> {
                    for (int i = 0; i < source.count(); i++) {
                        transaction.put(files, source.key(i), new byte[3]);
                    }
                    return null;
                });

        run(TimeUnit.MILLISECONDS.toNanos(200));

        assertThat(differences.count()).isPositive();
    }

    private LoadTally run(long nanos) throws Exception {
        TimeSeries calls = new TimeSeries("calls", System.nanoTime());
        return new MixedLoad(engine, source, checksums, versions, differences, calls)
                .run(THREADS, nanos, 1);
    }
}
