// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.jmh;

import dev.holdfast.bench.latch.HoldfastBufferLatch;
import dev.holdfast.bench.latch.HoldfastLatch;
import dev.holdfast.bench.latch.HoldfastLatchArray;
import dev.holdfast.bench.latch.HoldfastOptimistic;
import dev.holdfast.bench.latch.JdkReadWriteLock;
import dev.holdfast.bench.latch.JdkReentrantLock;
import dev.holdfast.bench.latch.JdkStampedLock;
import dev.holdfast.bench.latch.JdkStampedOptimistic;
import dev.holdfast.bench.latch.JdkSynchronized;
import dev.holdfast.bench.latch.LatchSection;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** One latch of each kind, for all threads; a benchmark uses one of them, each in its own JVM. */
@State(Scope.Benchmark)
public class LatchState {
    final HoldfastLatch latch = new HoldfastLatch();
    final HoldfastOptimistic optimistic = new HoldfastOptimistic();
    final HoldfastLatchArray latchArray = new HoldfastLatchArray();
    final HoldfastBufferLatch bufferLatch = new HoldfastBufferLatch();
    final JdkReadWriteLock readWriteLock = new JdkReadWriteLock();
    final JdkStampedLock stampedLock = new JdkStampedLock();
    final JdkStampedOptimistic stampedOptimistic = new JdkStampedOptimistic();
    final JdkReentrantLock reentrantLock = new JdkReentrantLock();
    final JdkSynchronized monitor = new JdkSynchronized();

    /** How long a latch is held; JMH sets it. */
    @Param({"SHORT", "MICRO"})
    public LatchSection section;

    private long tokens;

    /** Measures how much work the section is. */
    @Setup(Level.Trial)
    public void calibrate() {
        tokens = section.tokens();
    }

    long tokens() {
        return tokens;
    }

    /** Returns the sum that was read, which is zero. */
    static long checked(long sum) {
        if (sum != 0) {
            throw new IllegalStateException("torn read: sum=" + sum);
        }
        return sum;
    }
}
