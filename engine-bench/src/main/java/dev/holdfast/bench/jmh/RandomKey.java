// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jmh;

import dev.holdfast.bench.workload.RowKeys;
import java.util.SplittableRandom;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.ThreadParams;

/** Random keys of a loaded table, one array a thread. */
@State(Scope.Thread)
public class RandomKey {
    private final byte[] key = new byte[RowKeys.KEY_BYTES];
    private SplittableRandom random;
    private long rows;

    /** Gives each thread numbers of its own. */
    @Setup(Level.Trial)
    public void begin(LoadedStore store, ThreadParams thread) {
        random = new SplittableRandom(thread.getThreadIndex());
        rows = store.rows;
    }

    byte[] next() {
        RowKeys.fill(key, random.nextLong(rows));
        return key;
    }
}
