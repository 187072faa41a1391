// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.ChecksumConversion;
import dev.holdfast.EngineClosedException;
import dev.holdfast.WaitInterruptedException;
import dev.holdfast.core.catalog.Catalog;
import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.io.async.IoCapacity;
import dev.holdfast.io.async.IoUser;
import dev.holdfast.io.checksum.PageChecksum;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The body of the agent that converts the checksums of data files: what a call asks for, and at
 * first what an earlier open has left.
 */
final class ChecksumConverter implements BackgroundAgent.Body {
    /*
     * Callers wait and the agent works, so that a conversion goes on when its caller is gone, and a
     * close stops it like all other background work, between two of its short rounds. A caller who
     * asks for another kind while the agent still finishes what was left takes that over.
     *
     * Pages that are changed, and those that are written for a checkpoint on the way, are taken from
     * the budget of all background IO when it is known how many they are: so a round's pages say how
     * long the pause behind it is, and the page cleaner goes first.
     */
    private static final long IDLE_NANOS = TimeUnit.MINUTES.toNanos(1);
    private static final long OTHERS_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long LOOK_MILLIS = 20;

    private final StorageLayer storage;
    private final Catalog catalog;
    private final IoCapacity capacity;
    private final ReentrantLock oneAtATime = new ReentrantLock();
    private volatile Runnable waker = () -> {};

    /** What is to be done; replaced by callers, one at a time. */
    private volatile ConversionJob job;

    /** Written by the agent alone, which asks for it. */
    private volatile long pauseNanos = IDLE_NANOS;

    ChecksumConverter(StorageLayer storage, Catalog catalog) {
        this.storage = storage;
        this.catalog = catalog;
        this.capacity = storage.ioCapacity();
        this.job = new ConversionJob(storage, catalog, null);
    }

    /** Set once: what wakes the agent. */
    void waker(Runnable runnable) {
        waker = runnable;
    }

    long pauseNanos() {
        return pauseNanos;
    }

    @Override
    public boolean run() {
        ConversionJob current = job;
        if (current.hasEnded()) {
            pauseNanos = IDLE_NANOS;
            return false;
        }
        int pages = current.step();
        if (pages > 0) {
            capacity.overdraw(IoUser.BACKGROUND, pages);
            pauseNanos = capacity.waitNanos(IoUser.BACKGROUND, 1);
            return false;
        }
        pauseNanos = OTHERS_NANOS;
        return pages < 0;
    }

    /**
     * Converts all files to a kind, and returns when that is done.
     *
     * @param isClosing whether the engine is being closed, which ends the wait
     */
    ChecksumConversion convert(PageChecksum kind, BooleanSupplier isClosing) {
        oneAtATime.lock();
        try {
            ConversionJob wanted = new ConversionJob(storage, catalog, kind);
            job = wanted;
            waker.run();
            while (!wanted.awaitEnd(LOOK_MILLIS)) {
                storage.health().check();
                if (isClosing.getAsBoolean()) {
                    throw new EngineClosedException(storage.store().name());
                }
            }
            return wanted.progress();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new WaitInterruptedException("end of a conversion of checksums");
        } finally {
            oneAtATime.unlock();
        }
    }

    /** How far what is or was done is. */
    ChecksumConversion progress() {
        return job.progress();
    }
}
