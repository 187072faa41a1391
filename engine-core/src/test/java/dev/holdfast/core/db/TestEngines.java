// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.Engine;
import dev.holdfast.EngineOptions;
import dev.holdfast.EngineState;
import dev.holdfast.VerifyReport;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.sim.SimulatedDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * Opens engines for a test, and after it verifies every store that one was opened on: as it stands
 * if the engine is open still, else after opening it again. See {@link VerifyAfterTest}.
 */
public final class TestEngines implements AutoCloseable {
    private static final int PAGE_BYTES = 4096;

    private final List<Store> stores = new ArrayList<>();

    /** A store, and how to open an engine on it. */
    private static final class Store {
        private final Object key;
        private final Function<EngineOptions, Engine> opener;
        private Engine engine;
        private EngineOptions options;
        private boolean isVerified = true;

        Store(Object key, Function<EngineOptions, Engine> opener) {
            this.key = key;
            this.opener = opener;
        }
    }

    /** The smallest engine that there is, with the self-check of redo. */
    public static EngineOptions.Builder small() {
        return EngineOptions.builder()
                .pageBytes(PAGE_BYTES)
                .poolBytes(64L * PAGE_BYTES)
                .redoCapacityBytes(1 << 20)
                .redoSelfCheck(true);
    }

    /** A new store in memory. */
    public Engine open() {
        return open(small().build());
    }

    public Engine open(EngineOptions options) {
        return open(MemoryDirectory.create(), options);
    }

    /** A store in memory, new or opened before. */
    public Engine open(MemoryDirectory memory, EngineOptions options) {
        return open(memory, now -> EngineAssembly.open(memory.reopen(), now), options);
    }

    public Engine open(Path directory, EngineOptions options) {
        return open(directory, now -> Engine.open(directory, now), options);
    }

    /** A store on a simulated disk. */
    public Engine open(SimulatedDisk disk, EngineOptions options) {
        return open(disk, now -> EngineAssembly.open(disk.directory(), now), options);
    }

    /** Over a directory that the test has wrapped; what is there is not verified afterwards. */
    public Engine openUnverified(StorageDirectory directory, EngineOptions options) {
        Engine engine = open(new Object(), now -> EngineAssembly.open(directory, now), options);
        unverified(engine);
        return engine;
    }

    /** Closes the engine and opens another one on its store. */
    public Engine reopen(Engine engine) {
        Store store = storeOf(engine);
        engine.close();
        return open(store.key, store.opener, store.options);
    }

    /** The test damages the store of this engine: do not verify it. */
    public void unverified(Engine engine) {
        storeOf(engine).isVerified = false;
    }

    private Engine open(Object key, Function<EngineOptions, Engine> opener, EngineOptions options) {
        Store store = null;
        for (Store known : stores) {
            if (known.key.equals(key)) {
                store = known;
            }
        }
        if (store == null) {
            store = new Store(key, opener);
            stores.add(store);
        }
        store.engine = opener.apply(options);
        store.options = options;
        return store.engine;
    }

    private Store storeOf(Engine engine) {
        for (Store store : stores) {
            if (store.engine == engine) {
                return store;
            }
        }
        throw new IllegalArgumentException("not opened here: " + engine);
    }

    /** Verifies all stores and closes all engines. */
    @Override
    public void close() {
        AssertionError first = null;
        for (Store store : stores) {
            try {
                finish(store);
            } catch (RuntimeException | AssertionError failure) {
                AssertionError error =
                        new AssertionError("store after the test: " + store.key, failure);
                if (first == null) {
                    first = error;
                } else {
                    first.addSuppressed(error);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private static void finish(Store store) {
        if (store.engine == null) {
            return;
        }
        Engine engine = store.engine;
        if (store.isVerified && engine.state() != EngineState.OPEN) {
            engine.close();
            engine = store.opener.apply(store.options);
        }
        try {
            if (store.isVerified) {
                VerifyReport report = engine.verify();
                if (!report.isSound()) {
                    throw new AssertionError(report.toText());
                }
            }
        } finally {
            engine.close();
        }
    }
}
