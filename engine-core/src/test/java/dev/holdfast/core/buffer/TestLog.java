// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import java.util.concurrent.atomic.AtomicLong;

/** A log that is only its numbers. */
final class TestLog implements WriteAhead {
    final AtomicLong append = new AtomicLong(1000);
    final AtomicLong closed = new AtomicLong(1000);
    final AtomicLong durable = new AtomicLong();

    /** A group of that many bytes that is published at once; returns where it starts. */
    long group(int bytes) {
        long start = append.getAndAdd(bytes);
        closed.set(start + bytes);
        return start;
    }

    @Override
    public long appendLsn() {
        return append.get();
    }

    @Override
    public long closedLsn() {
        return closed.get();
    }

    @Override
    public long durableLsn() {
        return durable.get();
    }

    @Override
    public void makeDurable(long lsn) {
        durable.accumulateAndGet(lsn, Math::max);
    }
}
