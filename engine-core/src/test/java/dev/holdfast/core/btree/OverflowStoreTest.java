// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.space.AllocationMap;
import dev.holdfast.core.space.SpaceCheck;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.sync.HeldLatches;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Values in chains of pages. If this failed, a long value would come back wrong, or its pages would
 * be lost or freed while the value is still read.
 */
final class OverflowStoreTest {
    private static final int PAGE_BYTES = 4096;
    private static final int CAPACITY = PAGE_BYTES - 88 - 8; // header and trailer

    private final TreeFixture fixture = new TreeFixture(PAGE_BYTES, 128);
    private final MiniTransaction m = fixture.mtrs.mtr();
    private final Owner owner = new Owner();

    @AfterEach
    void close() {
        fixture.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, CAPACITY - 1, CAPACITY, CAPACITY + 1, 5 * CAPACITY, 1 << 20})
    void givenAValue_whenWrittenAndLinked_thenItIsReadBackWholeAndInParts(int length) {
        byte[] value = new SeededRandom(length).bytes(length + 3);

        int head = write(value, 3, length);
        link(head, length);

        assertThat(read(head, length, 0, length))
                .isEqualTo(Arrays.copyOfRange(value, 3, length + 3));
        int from = length / 3;
        int part = length - from - length / 5;
        assertThat(read(head, length, from, part))
                .isEqualTo(Arrays.copyOfRange(value, 3 + from, 3 + from + part));
        assertThat(owner.head).isEqualTo(head);
        assertThat(owner.length).isEqualTo(length);
        assertThat(owner.latchedBefore).isTrue();
        fixture.check();
    }

    @Test
    void givenACondemnedChain_whenItsEpochsArePast_thenAllItsPagesAreFree() {
        byte[] value = new SeededRandom(1).bytes(200_000);
        int head = write(value, 0, value.length);
        int token = fixture.spaces.epochs().enter();

        condemn(head);

        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200);
        while (System.nanoTime() < deadline) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(read(head, value.length, 0, value.length))
                .as("read by who entered before")
                .isEqualTo(value);
        fixture.spaces.epochs().leave(token);
        deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (pagesOfTree() > 1 && System.nanoTime() < deadline) {
            LockSupport.parkNanos(1_000_000);
        }
        assertThat(pagesOfTree()).as("the root alone").isEqualTo(1);
        assertThat(fixture.mtrs.counters.sum(Counter.OVERFLOW_PAGES_FREED))
                .isEqualTo(OverflowLayout.pageCount(PAGE_BYTES, value.length));
    }

    @Test
    void givenAPointerToAnotherPage_whenRead_thenTheDamageIsNamed() {
        byte[] value = new byte[3 * CAPACITY];
        int head = write(value, 0, value.length);
        link(head, value.length);

        assertThatThrownBy(() -> read(head, value.length + CAPACITY, 0, value.length + 1))
                .isInstanceOf(CorruptionException.class);
        int root = PageId.pageNumber(fixture.tree.rootPageId());
        assertThatThrownBy(() -> read(root, value.length, 0, 10))
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("page=" + root);
    }

    private int write(byte[] value, int offset, int length) {
        return fixture.overflow.write(
                m, fixture.space, TreeFixture.TREE_ID, value, offset, length, false, owner);
    }

    private byte[] read(int head, int total, int from, int length) {
        byte[] target = new byte[length];
        fixture.overflow.read(
                fixture.space.spaceId(), TreeFixture.TREE_ID, head, total, from, target, 0, length);
        return target;
    }

    private void link(int head, int length) {
        byte[] pointer = new byte[OverflowPointer.BYTES];
        OverflowPointer.encode(pointer, 0, head, length);
        TreeWrites writes = fixture.writes();
        writes.put(new byte[] {1}, LeafRecord.OVERFLOW, 0, 0, pointer);
    }

    private void condemn(int head) {
        long pageId = PageId.of(fixture.space.spaceId(), head);
        m.begin(100, 1, true);
        try {
            assertThat(fixture.space.fixMap(m, pageId)).isTrue();
            fixture.space.condemn(m, pageId, true);
            m.commit();
        } catch (Throwable t) {
            throw m.failed(t);
        }
    }

    private int pagesOfTree() {
        int[] count = {0};
        new SpaceCheck(fixture.space)
                .visitEntries(
                        (page, state, treeId) ->
                                count[0] +=
                                        state != AllocationMap.FREE && treeId == TreeFixture.TREE_ID
                                                ? 1
                                                : 0);
        return count[0];
    }

    /** Only remembers what it was told; undo records own chains in the engine. */
    private final class Owner implements OverflowOwner {
        private boolean latchedBefore;
        private int head;
        private int length;

        @Override
        public int redoBytesMax() {
            return 0;
        }

        @Override
        public void latch(MiniTransaction mtr) {
            latchedBefore = mtr == m && HeldLatches.mayWaitFor(CoreSites.FREE_FRAME);
        }

        @Override
        public void own(MiniTransaction mtr, int headPageNumber, int totalLength) {
            head = headPageNumber;
            length = totalLength;
        }
    }
}
