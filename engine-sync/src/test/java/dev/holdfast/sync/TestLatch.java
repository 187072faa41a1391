// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.nio.ByteBuffer;

/** The three storages of latches behind one interface, so that each test runs on all. */
interface TestLatch {
    long optimisticVersion();

    boolean validate(long version);

    boolean tryUpgradeToExclusive(long version);

    void acquireShared();

    boolean tryAcquireShared();

    void releaseShared();

    void acquireExclusive();

    boolean tryAcquireExclusive();

    void releaseExclusive();

    boolean tryAcquireShared(long timeoutNanos);

    boolean tryAcquireExclusive(long timeoutNanos);

    void acquireUpdate();

    boolean tryAcquireUpdate();

    boolean tryAcquireUpdate(long timeoutNanos);

    void releaseUpdate();

    void upgradeToExclusive();

    boolean tryUpgradeToExclusive();

    void downgradeToUpdate();

    void downgradeToShared();

    void awaitNotExclusive();

    boolean isExclusive();

    boolean isUpdate();

    boolean isShared();

    /** Acquires and releases, as a thread that has nothing to do inside. */
    default void passThrough(Mode mode) {
        passThrough(mode, () -> {});
    }

    /** Acquires, does something, and releases. */
    default void passThrough(Mode mode, Runnable inside) {
        switch (mode) {
            case SHARED -> {
                acquireShared();
                inside.run();
                releaseShared();
            }
            case UPDATE -> {
                acquireUpdate();
                inside.run();
                releaseUpdate();
            }
            case EXCLUSIVE -> {
                acquireExclusive();
                inside.run();
                releaseExclusive();
            }
            default -> throw new IllegalArgumentException("not held: mode=" + mode);
        }
    }

    /** Where a latch's word lies. */
    enum Storage {
        BUFFER,
        ARRAY,
        OBJECT,
        /** With readers in stripes after each change; two stripes, so that threads share one. */
        SPREAD;

        TestLatch latch(ContentionSite site) {
            return switch (this) {
                // Not the first of the table, so that a lost offset shows.
                case BUFFER -> new InBuffer(ByteBuffer.allocateDirect(192), 64, site);
                case ARRAY -> new InArray(new LatchArray(3, site), 1);
                case OBJECT -> new InObject(new Latch(site), false);
                case SPREAD -> spread(new Latch(site, new ReaderStripes(2)));
            };
        }

        private static TestLatch spread(Latch latch) {
            latch.spread();
            return new InObject(latch, true);
        }
    }

    /** In a buffer. */
    record InBuffer(ByteBuffer table, int offset, ContentionSite site) implements TestLatch {
        @Override
        public long optimisticVersion() {
            return BufferLatch.optimisticVersion(table, offset);
        }

        @Override
        public boolean validate(long version) {
            return BufferLatch.validate(table, offset, version);
        }

        @Override
        public boolean tryUpgradeToExclusive(long version) {
            return BufferLatch.tryUpgradeToExclusive(table, offset, version);
        }

        @Override
        public void acquireShared() {
            BufferLatch.acquireShared(table, offset, site);
        }

        @Override
        public boolean tryAcquireShared() {
            return BufferLatch.tryAcquireShared(table, offset);
        }

        @Override
        public void releaseShared() {
            BufferLatch.releaseShared(table, offset);
        }

        @Override
        public void acquireExclusive() {
            BufferLatch.acquireExclusive(table, offset, site);
        }

        @Override
        public boolean tryAcquireExclusive() {
            return BufferLatch.tryAcquireExclusive(table, offset);
        }

        @Override
        public void releaseExclusive() {
            BufferLatch.releaseExclusive(table, offset);
        }

        @Override
        public boolean tryAcquireShared(long timeoutNanos) {
            return BufferLatch.tryAcquireShared(table, offset, site, timeoutNanos);
        }

        @Override
        public boolean tryAcquireExclusive(long timeoutNanos) {
            return BufferLatch.tryAcquireExclusive(table, offset, site, timeoutNanos);
        }

        @Override
        public void acquireUpdate() {
            BufferLatch.acquireUpdate(table, offset, site);
        }

        @Override
        public boolean tryAcquireUpdate() {
            return BufferLatch.tryAcquireUpdate(table, offset);
        }

        @Override
        public boolean tryAcquireUpdate(long timeoutNanos) {
            return BufferLatch.tryAcquireUpdate(table, offset, site, timeoutNanos);
        }

        @Override
        public void releaseUpdate() {
            BufferLatch.releaseUpdate(table, offset);
        }

        @Override
        public void upgradeToExclusive() {
            BufferLatch.upgradeToExclusive(table, offset, site);
        }

        @Override
        public boolean tryUpgradeToExclusive() {
            return BufferLatch.tryUpgradeToExclusive(table, offset);
        }

        @Override
        public void downgradeToUpdate() {
            BufferLatch.downgradeToUpdate(table, offset);
        }

        @Override
        public void downgradeToShared() {
            BufferLatch.downgradeToShared(table, offset);
        }

        @Override
        public boolean isUpdate() {
            return BufferLatch.isUpdate(table, offset);
        }

        @Override
        public void awaitNotExclusive() {
            BufferLatch.awaitNotExclusive(table, offset, site);
        }

        @Override
        public boolean isExclusive() {
            return BufferLatch.isExclusive(table, offset);
        }

        @Override
        public boolean isShared() {
            return BufferLatch.isShared(table, offset);
        }
    }

    /** In an array. */
    record InArray(LatchArray array, int index) implements TestLatch {
        @Override
        public long optimisticVersion() {
            return array.optimisticVersion(index);
        }

        @Override
        public boolean validate(long version) {
            return array.validate(index, version);
        }

        @Override
        public boolean tryUpgradeToExclusive(long version) {
            return array.tryUpgradeToExclusive(index, version);
        }

        @Override
        public void acquireShared() {
            array.acquireShared(index);
        }

        @Override
        public boolean tryAcquireShared() {
            return array.tryAcquireShared(index);
        }

        @Override
        public void releaseShared() {
            array.releaseShared(index);
        }

        @Override
        public void acquireExclusive() {
            array.acquireExclusive(index);
        }

        @Override
        public boolean tryAcquireExclusive() {
            return array.tryAcquireExclusive(index);
        }

        @Override
        public void releaseExclusive() {
            array.releaseExclusive(index);
        }

        @Override
        public boolean tryAcquireShared(long timeoutNanos) {
            return array.tryAcquireShared(index, timeoutNanos);
        }

        @Override
        public boolean tryAcquireExclusive(long timeoutNanos) {
            return array.tryAcquireExclusive(index, timeoutNanos);
        }

        @Override
        public void acquireUpdate() {
            array.acquireUpdate(index);
        }

        @Override
        public boolean tryAcquireUpdate() {
            return array.tryAcquireUpdate(index);
        }

        @Override
        public boolean tryAcquireUpdate(long timeoutNanos) {
            return array.tryAcquireUpdate(index, timeoutNanos);
        }

        @Override
        public void releaseUpdate() {
            array.releaseUpdate(index);
        }

        @Override
        public void upgradeToExclusive() {
            array.upgradeToExclusive(index);
        }

        @Override
        public boolean tryUpgradeToExclusive() {
            return array.tryUpgradeToExclusive(index);
        }

        @Override
        public void downgradeToUpdate() {
            array.downgradeToUpdate(index);
        }

        @Override
        public void downgradeToShared() {
            array.downgradeToShared(index);
        }

        @Override
        public boolean isUpdate() {
            return array.isUpdate(index);
        }

        @Override
        public void awaitNotExclusive() {
            array.awaitNotExclusive(index);
        }

        @Override
        public boolean isExclusive() {
            return array.isExclusive(index);
        }

        @Override
        public boolean isShared() {
            return array.isShared(index);
        }
    }

    /** In an object; readers are spread again and again if {@code spreads}. */
    record InObject(Latch latch, boolean spreads) implements TestLatch {
        @Override
        public long optimisticVersion() {
            return latch.optimisticVersion();
        }

        @Override
        public boolean validate(long version) {
            return latch.validate(version);
        }

        @Override
        public boolean tryUpgradeToExclusive(long version) {
            return latch.tryUpgradeToExclusive(version);
        }

        @Override
        public void acquireShared() {
            latch.acquireShared();
        }

        @Override
        public boolean tryAcquireShared() {
            return latch.tryAcquireShared();
        }

        @Override
        public void releaseShared() {
            latch.releaseShared();
        }

        @Override
        public void acquireExclusive() {
            latch.acquireExclusive();
        }

        @Override
        public boolean tryAcquireExclusive() {
            return latch.tryAcquireExclusive();
        }

        @Override
        public void releaseExclusive() {
            latch.releaseExclusive();
            if (spreads) {
                latch.spread();
            }
        }

        @Override
        public boolean tryAcquireShared(long timeoutNanos) {
            return latch.tryAcquireShared(timeoutNanos);
        }

        @Override
        public boolean tryAcquireExclusive(long timeoutNanos) {
            return latch.tryAcquireExclusive(timeoutNanos);
        }

        @Override
        public void acquireUpdate() {
            latch.acquireUpdate();
        }

        @Override
        public boolean tryAcquireUpdate() {
            return latch.tryAcquireUpdate();
        }

        @Override
        public boolean tryAcquireUpdate(long timeoutNanos) {
            return latch.tryAcquireUpdate(timeoutNanos);
        }

        @Override
        public void releaseUpdate() {
            latch.releaseUpdate();
        }

        @Override
        public void upgradeToExclusive() {
            latch.upgradeToExclusive();
        }

        @Override
        public boolean tryUpgradeToExclusive() {
            return latch.tryUpgradeToExclusive();
        }

        @Override
        public void downgradeToUpdate() {
            latch.downgradeToUpdate();
        }

        @Override
        public void downgradeToShared() {
            latch.downgradeToShared();
        }

        @Override
        public boolean isUpdate() {
            return latch.isUpdate();
        }

        @Override
        public void awaitNotExclusive() {
            latch.awaitNotExclusive();
        }

        @Override
        public boolean isExclusive() {
            return latch.isExclusive();
        }

        @Override
        public boolean isShared() {
            return latch.isShared();
        }
    }
}
