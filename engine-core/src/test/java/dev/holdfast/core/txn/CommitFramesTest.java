// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Snapshot;
import dev.holdfast.Transaction;
import dev.holdfast.core.buffer.BufferPool;
import dev.holdfast.core.buffer.FrameStock;
import dev.holdfast.core.buffer.TestThread;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A commit takes no free frame. If this failed, each commit would go through the latches of the
 * pool's free lists, which all writers share, and wait where others have taken all the frames.
 */
final class CommitFramesTest {
    private final TransactionFixture engine = TransactionFixture.small();
    private final TableHandle table = engine.table("t");

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void givenEveryFrameThatMayBePromisedTaken_whenCommitted_thenTheCommitIsDone()
            throws Exception {
        BufferPool pool = engine.under.under.pool;
        byte[] key = "key".getBytes(UTF_8);
        Transaction writer = engine.begin();
        writer.put(table, key, new byte[10]);
        int promises = pool.frameCount() / 2;
        int ordinary = promises - promises / 8;

        try (FrameStock most = pool.newStock();
                FrameStock rest = pool.newStock()) {
            pool.fill(most, ordinary, true);
            pool.fill(rest, promises - ordinary, true);
            TestThread<Boolean> committer =
                    TestThread.start(
                            () -> {
                                writer.commit();
                                return true;
                            });

            assertThat(committer.result()).isTrue();
        }
        try (Snapshot now = engine.snapshot()) {
            assertThat(now.get(table, key)).hasSize(10);
        }
    }
}
