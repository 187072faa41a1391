// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import dev.holdfast.EngineFailedException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Whether the engine may still be trusted. The first failure wins and is final: nothing is written
 * after it, reads are refused too, and reopening recovers.
 */
public final class EngineHealth {
    /*
     * fail() is called with latches held, from code that met any Throwable, an OutOfMemoryError
     * among them. So it allocates nothing on its way to the state change, and the wakers that it
     * runs only wake: they take no latch above a leaf one and never wait. The state is one field,
     * so that a waiter that reads it before parking, and is registered to be woken, cannot sleep
     * through the change.
     */
    private static final VarHandle CAUSE;

    static {
        try {
            CAUSE =
                    MethodHandles.lookup()
                            .findVarHandle(EngineHealth.class, "cause", Throwable.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final List<Runnable> wakers = new CopyOnWriteArrayList<>();

    /** Null while healthy. Written once by CAS. */
    @SuppressWarnings("FieldMayBeFinal")
    private volatile Throwable cause;

    /** Healthy. */
    public EngineHealth() {
        cause = null;
    }

    /**
     * Moves the engine to FAILED and wakes everybody who sleeps in it. Later calls change nothing.
     *
     * <p><b>Latches:</b> any may be held.
     */
    public void fail(Throwable failure) {
        if (!CAUSE.compareAndSet(this, null, failure)) {
            return;
        }
        for (Runnable waker : wakers) {
            wake(waker, failure);
        }
    }

    public boolean failed() {
        return cause != null;
    }

    /** What made the engine fail, or {@code null} while it is healthy. */
    public Throwable cause() {
        return cause;
    }

    /**
     * Returns if the engine is healthy.
     *
     * @throws EngineFailedException if it is not; its cause is the first failure
     */
    public void check() {
        Throwable failure = cause;
        if (failure != null) {
            throw new EngineFailedException(String.valueOf(failure.getMessage()), failure);
        }
    }

    /**
     * Registers what wakes sleepers when the engine fails; run at once if it has failed already.
     *
     * @param waker takes no latch of rank, never waits, never throws
     */
    public void onFailure(Runnable waker) {
        wakers.add(waker);
        Throwable failure = cause;
        if (failure != null) {
            wake(waker, failure);
        }
    }

    private static void wake(Runnable waker, Throwable failure) {
        try {
            waker.run();
        } catch (Throwable wakerFailure) {
            // The others must be woken all the same; the first failure carries this one along.
            if (wakerFailure != failure) {
                failure.addSuppressed(wakerFailure);
            }
        }
    }
}
