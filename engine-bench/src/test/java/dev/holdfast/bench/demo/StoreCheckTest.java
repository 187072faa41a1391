// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Codec;
import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.Table;
import dev.holdfast.Transaction;
import dev.holdfast.TypedTable;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** If this failed, the demo would end well on a store that lost something. */
class StoreCheckTest {
    private static final int PAGE_BYTES = 4096;
    private static final int THREADS = 3;

    private final Differences differences = new Differences();
    private final BitSet acknowledged = new BitSet();
    private ImportSource source;
    private ImportPlan plan;
    private StoreCheck check;
    private AtomicIntegerArray versions;
    private Engine engine;
    private Table files;
    private TypedTable<Integer, Integer> batches;

    @BeforeEach
    void importTheFirstBatches() throws Exception {
        SourceSettings settings = new SourceSettings(3, 200);
        source = ImportSource.open(PAGE_BYTES, settings);
        plan = new ImportPlan(source.count(), settings.seed());
        versions = new AtomicIntegerArray(source.count());
        check = new StoreCheck(source, plan, differences, THREADS);
        engine = Engine.inMemory(EngineOptions.builder().pageBytes(PAGE_BYTES).build());
        files = engine.table(StoreSettings.FILES);
        batches = engine.table(StoreSettings.BATCHES, Codec.INT, Codec.INT);
        for (int place = 0; place < plan.batchCount() - 1; place++) {
            int batch = plan.batchAt(place);
            try (Transaction transaction = engine.begin()) {
                for (int i = plan.firstEntry(batch); i < plan.endEntry(batch); i++) {
                    transaction.insert(files, source.key(i), source.value(i));
                }
                batches.insert(transaction, batch, plan.rowCount(batch));
                transaction.commit();
            }
            acknowledged.set(batch);
        }
    }

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void givenWhatWasImported_whenCompared_thenNothingDiffers() throws Exception {
        StoreCheck.Result found = compare();

        assertThat(differences.texts()).isEmpty();
        assertThat(found.batches()).isEqualTo(acknowledged);
        assertThat(check.verify(engine).isSound()).isTrue();
    }

    @Test
    void givenACommitWithoutAcknowledgement_whenCompared_thenNothingDiffers() throws Exception {
        acknowledged.clear(plan.batchAt(0));

        StoreCheck.Result found = compare();

        assertThat(differences.texts()).isEmpty();
        assertThat(found.batches().get(plan.batchAt(0))).isTrue();
    }

    @Test
    void givenALostRow_whenCompared_thenItIsNamed() throws Exception {
        int entry = presentEntry();
        engine.write(transaction -> transaction.delete(files, source.key(entry)));

        compare();

        assertThat(differences.texts()).singleElement().asString().startsWith("row is lost");
    }

    @Test
    void givenALostBatch_whenCompared_thenItAndItsRowsAreNamed() throws Exception {
        int batch = plan.batchAt(0);
        engine.write(transaction -> batches.delete(transaction, batch));

        compare();

        assertThat(differences.texts().get(0)).startsWith("acknowledged batch is lost");
        assertThat(differences.count()).isEqualTo(1L + plan.rowCount(batch));
    }

    @Test
    void givenAByteThatChanged_whenCompared_thenTheOffsetIsNamed() throws Exception {
        int entry = presentEntry();
        byte[] value = source.value(entry);
        value[value.length - 1] ^= 1;
        put(source.key(entry), value);

        compare();

        assertThat(differences.texts())
                .singleElement()
                .asString()
                .startsWith("value differs")
                .contains("offset=" + (value.length - 1));
    }

    @Test
    void givenARowOfABatchThatIsNotThere_whenCompared_thenItIsNamed() throws Exception {
        int batch = plan.batchAt(plan.batchCount() - 1);
        int entry = plan.firstEntry(batch);
        put(source.key(entry), source.value(entry));

        compare();

        assertThat(differences.texts())
                .singleElement()
                .asString()
                .startsWith("row of a batch that is not there");
    }

    @Test
    void givenARowThatNeverWas_whenCompared_thenItIsNamed() throws Exception {
        put("zzz".getBytes(StandardCharsets.UTF_8), new byte[1]);

        compare();

        assertThat(differences.texts()).singleElement().asString().startsWith("row that never was");
    }

    @Test
    void givenAnUpdatedRow_whenCompared_thenItsVersionCounts() throws Exception {
        int entry = presentEntry();
        put(source.key(entry), VersionedValue.of(source.value(entry), 2));

        versions.set(entry, 2);
        compare();
        long withTheVersion = differences.count();
        versions.set(entry, 1);
        compare();

        assertThat(withTheVersion).isZero();
        assertThat(differences.count()).isEqualTo(1);
    }

    /** An entry of an imported batch, with a value that has bytes. */
    private int presentEntry() {
        int entry = 0;
        while (!acknowledged.get(plan.batchOf(entry)) || source.value(entry).length == 0) {
            entry++;
        }
        return entry;
    }

    private void put(byte[] key, byte[] value) {
        engine.write(
                transaction -> {
                    transaction.put(files, key, value);
                    return null;
                });
    }

    private StoreCheck.Result compare() throws InterruptedException, ExecutionException {
        return check.compare(engine, acknowledged, versions);
    }
}
