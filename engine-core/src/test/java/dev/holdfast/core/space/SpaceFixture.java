// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.mtr.MtrFixture;
import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.io.checksum.PageChecksums;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.file.StorageDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Real spaces over real files, pool and log, with the two agents that work on them. */
public final class SpaceFixture implements AutoCloseable {
    private static final long STOP_NANOS = TimeUnit.SECONDS.toNanos(20);

    public final StorageDirectory directory;
    public final SpaceFiles files;
    public final MtrFixture under;
    public final OperationEpochs epochs = new OperationEpochs();
    public final Spaces spaces;

    /** Frees condemned pages round by round, where the test stopped the agent. */
    public final CondemnedPages condemned;

    private final List<BackgroundAgent> agents = new ArrayList<>();

    /** In memory, with 256 frames. */
    public SpaceFixture(int pageBytes) {
        this(pageBytes, MemoryDirectory.create(), 256, (space, head) -> {});
    }

    /** With a directory of the test's own, in which there may be spaces already. */
    public SpaceFixture(int pageBytes, StorageDirectory directory, int frames, ChainFreer chains) {
        this.directory = directory;
        StoreIdentity store = StoreIdentity.create(new UUID(1, 2), pageBytes);
        this.files = new SpaceFiles(directory, store, PageChecksums.CRC32C);
        this.under = new MtrFixture(pageBytes, frames, files, directory);
        this.spaces = new Spaces(files, under.pool, epochs, under.health, under.counters);
        this.condemned = new CondemnedPages(spaces, under.mtr(), chains);
    }

    /** Starts the growth agent, and the one for condemned pages if wanted. */
    public SpaceFixture start(boolean freeCondemned) {
        BackgroundAgent growth = agent("test-growth", new GrowthAgent(spaces, under.mtr()));
        Runnable wakeCondemned = () -> {};
        if (freeCondemned) {
            wakeCondemned = agent("test-condemned", condemned)::wake;
        }
        spaces.wakers(growth::wake, wakeCondemned);
        return this;
    }

    public Space create(int spaceId) {
        try {
            return spaces.create(spaceId);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    public MiniTransaction mtr() {
        return under.mtr();
    }

    @Override
    public void close() {
        for (BackgroundAgent agent : agents) {
            agent.stop(STOP_NANOS);
        }
        under.close();
        try {
            files.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private BackgroundAgent agent(String name, BackgroundAgent.Body body) {
        BackgroundAgent agent =
                new BackgroundAgent(name, under.health, TimeUnit.MILLISECONDS.toNanos(5), body);
        agents.add(agent);
        agent.start();
        return agent;
    }
}
