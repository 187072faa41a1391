// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.buffer.ReadAhead;
import dev.holdfast.core.watch.Counter;
import dev.holdfast.io.async.IoCapacity;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** If this failed, scans would read ahead too little to be of use, or what nobody wants. */
final class LeafAheadTest {
    private static final int ROWS = 4000;
    private static final int FRAMES = 512;
    private static final int WINDOW_MAX = FRAMES / 16;
    private static final byte[] VALUE = new byte[100];

    private final TreeFixture fixture = new TreeFixture(4096, FRAMES);
    private final LeafSnapshot leaf = new LeafSnapshot(fixture.tree);
    private ReadAhead readAhead;

    @BeforeEach
    void fill() throws Exception {
        TreeWrites writes = fixture.writes();
        for (int i = 0; i < ROWS; i++) {
            writes.put(key(i * 7 % ROWS), VALUE);
        }
        readAhead =
                new ReadAhead(
                        fixture.pool,
                        fixture.mtrs.store,
                        fixture.mtrs.io,
                        new IoCapacity(1_000_000, System::nanoTime),
                        fixture.mtrs.health,
                        fixture.mtrs.counters);
        fixture.pool.readAhead(readAhead);
        fixture.mtrs.checkpointer.checkpoint(true);
        forgetAll();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static byte[] key(int i) {
        return String.format(Locale.ROOT, "%06d", i).getBytes(US_ASCII);
    }

    /** All pages leave the pool; they are clean. */
    private void forgetAll() {
        fixture.pool.discardSpace(fixture.space.spaceId());
    }

    private long count(Counter counter) {
        return fixture.mtrs.counters.sum(counter);
    }

    /**
     * Goes on by so many leaves; the agent is quick. Returns how many pages each step asked for.
     */
    private List<Long> walk(boolean up, int leaves) {
        List<Long> asked = new ArrayList<>();
        for (int i = 0; i < leaves; i++) {
            long before = count(Counter.READ_AHEAD_ASKED);
            step(up);
            readAhead.run();
            asked.add(count(Counter.READ_AHEAD_ASKED) - before);
        }
        return asked;
    }

    private void step(boolean up) {
        leaf.crosses(up, null);
        int slot = up ? leaf.nextLeaf() : TreeFixture.previousLeaf(leaf);
        assertThat(slot).isNotEqualTo(LeafSnapshot.NO_LEAF);
    }

    @Test
    void givenPagesThatAreUsed_whenAScanGoesUp_thenItsWindowDoublesUpToTheLimit() {
        leaf.seekFirst();

        List<Long> asked = walk(true, 60);

        assertThat(asked).startsWith(0L, 2L, 0L, 4L, 0L, 0L, 7L);
        assertThat(asked).allMatch(pages -> pages <= WINDOW_MAX);
        assertThat(asked).anyMatch(pages -> pages >= WINDOW_MAX / 2);
        assertThat(count(Counter.READ_AHEAD_USED)).isEqualTo(58);
        assertThat(count(Counter.READ_AHEAD_READ)).isEqualTo(count(Counter.READ_AHEAD_ASKED));
    }

    @Test
    void givenAScanThatGoesDown_whenItCrossesLeaves_thenItAsksForThoseBeforeIt() {
        leaf.seekLast();

        List<Long> asked = walk(false, 30);

        assertThat(asked).startsWith(0L, 2L, 0L, 4L, 0L, 0L, 7L);
        assertThat(count(Counter.READ_AHEAD_USED)).isEqualTo(28);
    }

    @Test
    void givenPagesEvictedUnused_whenTheScanComesThere_thenItsWindowHalves() {
        leaf.seekFirst();
        walk(true, 7);
        forgetAll();

        List<Long> asked = walk(true, 8);

        assertThat(asked).contains(4L).allMatch(pages -> pages <= 4);
    }

    @Test
    void givenAJump_whenTheScanGoesOn_thenItBeginsWithASmallWindow() {
        leaf.seekFirst();
        walk(true, 10);
        leaf.jumps();
        byte[] middle = key(ROWS / 2);
        leaf.seek(middle, middle.length);
        forgetAll();

        assertThat(walk(true, 3)).containsExactly(0L, 2L, 0L);
    }

    @Test
    void givenAnAgentThatDoesNotCome_whenScanned_thenTheScanGoesOnAndOneRequestIsWaiting() {
        leaf.seekFirst();
        for (int i = 0; i < 20; i++) {
            step(true);
        }

        assertThat(count(Counter.READ_AHEAD_ASKED)).isEqualTo(2);
        assertThat(count(Counter.READ_AHEAD_DROPPED_QUEUE)).isPositive();
        readAhead.run();
        assertThat(count(Counter.READ_AHEAD_READ)).isZero();
        assertThat(count(Counter.READ_AHEAD_PRESENT)).isEqualTo(2);
    }

    @Test
    void givenLeavesInThePool_whenScanned_thenNothingIsAskedFor() {
        leaf.seekFirst();
        walk(true, 60);
        long asked = count(Counter.READ_AHEAD_ASKED);
        leaf.jumps();
        leaf.seekFirst();

        walk(true, 50);

        assertThat(count(Counter.READ_AHEAD_ASKED)).isEqualTo(asked);
    }
}
