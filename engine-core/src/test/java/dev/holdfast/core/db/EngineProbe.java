// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.db;

import dev.holdfast.Engine;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.catalog.Catalog;
import dev.holdfast.core.recovery.RecoveryReport;
import dev.holdfast.core.space.Spaces;
import dev.holdfast.core.watch.Counters;
import java.util.Optional;

/** For tests of other packages: what an engine counts and has recovered. */
public final class EngineProbe {
    private EngineProbe() {}

    public static Counters counters(Engine engine) {
        return ((EngineImpl) engine).storage().counters();
    }

    /** Absent if the open created the store. */
    public static Optional<RecoveryReport> recovery(Engine engine) {
        return Optional.ofNullable(((EngineImpl) engine).recovery());
    }

    /** How many transactions that a crash ended are still to be taken back. */
    public static int losersLeft(Engine engine) {
        return ((EngineImpl) engine).transactionLayer().losersLeft();
    }

    public static BufferPool pool(Engine engine) {
        return ((EngineImpl) engine).storage().pool();
    }

    public static Spaces spaces(Engine engine) {
        return ((EngineImpl) engine).storage().spaces();
    }

    public static Catalog catalog(Engine engine) {
        return ((EngineImpl) engine).transactionLayer().catalog();
    }
}
