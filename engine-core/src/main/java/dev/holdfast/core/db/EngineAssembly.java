// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.core.recovery.RecoveryReport;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.file.FileMode;
import dev.holdfast.io.file.FileSystemDirectory;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.stats.IoSites;
import dev.holdfast.sync.WaitTiming;
import java.io.IOException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens engines. What an open has acquired is given back if it fails. */
public final class EngineAssembly {
    private static final Logger LOG = LoggerFactory.getLogger(EngineAssembly.class);

    private EngineAssembly() {}

    /** Opens or creates the store in a directory of the file system. */
    public static Engine open(Path path, EngineOptions options) {
        FileMode mode =
                switch (options.fileMode()) {
                    case BUFFERED -> FileMode.BUFFERED;
                    case DIRECT -> FileMode.DIRECT;
                };
        StorageDirectory directory;
        try {
            directory =
                    options.createIfMissing()
                            ? FileSystemDirectory.create(path, mode)
                            : FileSystemDirectory.open(path, mode);
        } catch (IOException failure) {
            throw OpenErrors.ofDirectory(path.toString(), failure);
        }
        return open(directory, options);
    }

    /** Creates an engine whose files are in memory. */
    public static Engine inMemory(EngineOptions options) {
        return open(MemoryDirectory.create(), options.toBuilder().createIfMissing(true).build());
    }

    /**
     * Opens or creates the store in a directory, which is the engine's from now on: it is closed
     * with the engine, and when this throws.
     */
    public static Engine open(StorageDirectory directory, EngineOptions options) {
        timeWaits(options);
        EngineHealth health = new EngineHealth();
        CloseStack owned = new CloseStack();
        owned.push(directory);
        try {
            OpenedStore store = OpenedStore.open(directory, options, owned);
            StorageLayer storage = new StorageLayer(store, options, health, owned);
            Object engine = new Object();
            TransactionLayer transactions = new TransactionLayer(storage, options, engine, owned);
            transactions.startAgents();
            health.check();
            RecoveryReport recovery = storage.recovery();
            LOG.info(
                    "engine is open: store={}, pageBytes={}, {}",
                    store.name(),
                    options.pageBytes(),
                    recovery == null ? "created=true" : recovery.toText());
            return new EngineImpl(options, storage, transactions, owned);
        } catch (Throwable failure) {
            Throwable root = OpenErrors.root(health, failure);
            health.fail(root);
            owned.closeAfter(root);
            throw OpenErrors.of(directory.describe(), root);
        }
    }

    /** Sites are of the JVM, so the engine that was opened last says how they are timed. */
    private static void timeWaits(EngineOptions options) {
        WaitTiming timing =
                switch (options.timeWaits()) {
                    case OFF -> WaitTiming.OFF;
                    case SAMPLED -> WaitTiming.SAMPLED;
                    case FULL -> WaitTiming.FULL;
                };
        for (CoreSites site : CoreSites.values()) {
            site.counters().timing(timing);
        }
        for (IoSites site : IoSites.values()) {
            site.counters().timing(timing);
        }
    }
}
