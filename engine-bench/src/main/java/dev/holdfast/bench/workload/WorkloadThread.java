// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

/** What a thread of a phase has for itself, so that an operation allocates nothing of its own. */
final class WorkloadThread {
    static final int VALUE_BYTES = 100;

    private final SplittableRandom random;
    private final byte[] key = new byte[RowKeys.KEY_BYTES];
    private final byte[] value = new byte[VALUE_BYTES];
    private final ByteBuffer target = ByteBuffer.allocate(2 * VALUE_BYTES);

    /** Keeps what was read alive, so that reading cannot be left out. */
    private long checksum;

    private long retries;

    WorkloadThread(long seed) {
        random = new SplittableRandom(seed);
    }

    SplittableRandom random() {
        return random;
    }

    long randomRow(long rows) {
        return random.nextLong(rows);
    }

    /** Returns the thread's key array with the key of a row in it. */
    byte[] key(long row) {
        RowKeys.fill(key, row);
        return key;
    }

    /** Returns the thread's value array with new random bytes in it. */
    byte[] randomValue() {
        random.nextBytes(value);
        return value;
    }

    ByteBuffer target() {
        return target.clear();
    }

    void use(long read) {
        checksum += read;
    }

    long checksum() {
        return checksum;
    }

    void retried() {
        retries++;
    }

    long retries() {
        return retries;
    }
}
