// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jcstress;

import dev.holdfast.sync.BufferLatch;
import dev.holdfast.sync.LatchWord;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * The latch of the frame table guards bytes beside its word: optimistic reads of them are whole.
 */
@JCStressTest
@Outcome(
        id = "0, 0",
        expect = Expect.ACCEPTABLE,
        desc = "Validated before the writer took the latch.")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "Begun after the writer had released.")
@Outcome(
        id = "-1, -1",
        expect = Expect.ACCEPTABLE_INTERESTING,
        desc = "The writer held the latch at the beginning, or took it meanwhile: not validated.")
@Outcome(
        expect = Expect.FORBIDDEN,
        desc = "Half of the change passed validation: a fence of reader or writer is missing.")
@State
public class BufferLatchInDirectMemory {
    /*
     * States are made by the million, direct buffers are not: each state takes the next line of one
     * table, which is used again long after the state that had it is done.
     */
    private static final int LINE_BYTES = 64;
    private static final int LINES = 1 << 18;
    private static final int LEFT = 8;
    private static final int RIGHT = 16;
    private static final ByteBuffer TABLE = ByteBuffer.allocateDirect(LINES * LINE_BYTES);
    private static final AtomicInteger LINES_TAKEN = new AtomicInteger();

    private final int offset = (LINES_TAKEN.getAndIncrement() & (LINES - 1)) * LINE_BYTES;

    /** Begins with both halves zero; the latch's version goes on from where it was. */
    public BufferLatchInDirectMemory() {
        TABLE.putLong(offset + LEFT, 0);
        TABLE.putLong(offset + RIGHT, 0);
    }

    @Actor
    public void writer() {
        BufferLatch.acquireExclusive(TABLE, offset, StressSite.STRESS);
        TABLE.putLong(offset + LEFT, 1);
        TABLE.putLong(offset + RIGHT, 1);
        BufferLatch.releaseExclusive(TABLE, offset);
    }

    @Actor
    public void reader(JJ_Result result) {
        long version = BufferLatch.optimisticVersion(TABLE, offset);
        long left = TABLE.getLong(offset + LEFT);
        long right = TABLE.getLong(offset + RIGHT);
        boolean isValid =
                !LatchWord.isLocked(version) && BufferLatch.validate(TABLE, offset, version);
        result.r1 = isValid ? left : -1;
        result.r2 = isValid ? right : -1;
    }
}
