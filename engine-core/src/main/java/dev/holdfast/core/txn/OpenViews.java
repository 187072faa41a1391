// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.EngineClosedException;
import dev.holdfast.Isolation;
import dev.holdfast.LockTimeoutException;
import dev.holdfast.core.watch.CoreSites;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.sync.CurrentWait;
import dev.holdfast.sync.TestHooks;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** The views of users, snapshots and transactions: opens them, and ends them all at the close. */
final class OpenViews {
    /*
     * A view is seen by close from the moment it is the holder of its slot. Who opens one looks
     * whether the engine is closing after that, and close looks for holders after it has said so;
     * both are volatile, so either the opener ends its view itself or close finds it.
     */
    /** Sync point: the view has its slot, and close does not see it yet. */
    static final String SHOWING = "txn.view.showing";

    private static final long CLOSE_PARK_NANOS = 1_000_000;

    private final TransactionSystem system;
    private final SnapshotRegistry registry;
    private final Workspaces workspaces;
    private final Admission admission;
    private final EngineHealth health;
    private volatile boolean closing;

    OpenViews(
            TransactionSystem system,
            SnapshotRegistry registry,
            Admission admission,
            EngineHealth health) {
        this.system = system;
        this.registry = registry;
        this.admission = admission;
        this.health = health;
        this.workspaces = new Workspaces(system);
    }

    /** Opens a view of now, and what its user has in hand. */
    <H extends ViewOwner> H open(Isolation isolation, Function<View, H> maker) {
        return open(false, isolation, maker);
    }

    /** The same for a transaction, once it is let in. */
    <H extends ViewOwner> H openAdmitted(Isolation isolation, Function<View, H> maker) {
        return open(admission.enter(), isolation, maker);
    }

    private <H extends ViewOwner> H open(
            boolean hasTicket, Isolation isolation, Function<View, H> maker) {
        View view = null;
        try {
            if (closing) {
                throw new EngineClosedException(system.storeName());
            }
            health.check();
            view = newView(isolation);
            view.hasTicket(hasTicket);
        } finally {
            if (view == null && hasTicket) {
                admission.leave();
            }
        }
        H handle = null;
        try {
            handle = maker.apply(view);
        } finally {
            if (handle == null) {
                ended(view);
            }
        }
        show(view, handle);
        return handle;
    }

    private View newView(Isolation isolation) {
        Workspace workspace = workspaces.take();
        int slot = -1;
        View view = null;
        try {
            slot = registry.acquire();
            if (slot < 0) {
                throw new LockTimeoutException("snapshot slot", Duration.ZERO);
            }
            view = new View(system, isolation, slot, workspace);
        } finally {
            // A slot that nobody gives back would hold the horizon for ever.
            if (view == null) {
                if (slot >= 0) {
                    registry.release(slot);
                }
                workspaces.giveBack(workspace);
            }
        }
        return view;
    }

    /** Lets the view be seen by close; either it sees the closing, or close sees the view. */
    private void show(View view, ViewOwner handle) {
        TestHooks.reached(SHOWING);
        view.owner(handle);
        registry.holder(view.slot(), view);
        if (closing) {
            if (view.tryEnterForClose()) {
                handle.closeByEngine(System.nanoTime());
            }
            throw new EngineClosedException(system.storeName());
        }
    }

    /** To be called once by each view, when nobody is inside it any more. */
    void ended(View view) {
        registry.release(view.slot());
        view.workspace().reset();
        workspaces.giveBack(view.workspace());
        if (view.hasTicket()) {
            admission.leave();
        }
    }

    /**
     * Whether there is a transaction that has changed the table and may still change or restore it;
     * for a drop, after {@link TableHandle#dropped}.
     */
    boolean haveWritten(TableHandle handle) {
        for (View view : registry.holders()) {
            if (view.owner() instanceof TransactionHandle transaction
                    && !view.isEnded()
                    && transaction.hasWritten(handle)) {
                return true;
            }
        }
        return false;
    }

    /** Nothing is opened any more, and who waits for that is told. */
    void refuse() {
        closing = true;
        admission.close();
    }

    /**
     * Ends every view between two of its calls; one that somebody is inside is waited for, also if
     * all that is left of it is the wait for the log. What there is no time to roll back is left to
     * the next open.
     *
     * @return whether all have ended within the limit
     */
    boolean endAll(long timeoutNanos) {
        long deadline = System.nanoTime() + timeoutNanos;
        if (!endIdle(deadline)) {
            return true;
        }
        boolean interrupted = false;
        boolean busy = true;
        CurrentWait wait = CurrentWait.begin(CoreSites.CLOSE_CALLS, inUse());
        try {
            while (busy && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(this, CLOSE_PARK_NANOS);
                interrupted |= Thread.interrupted();
                busy = endIdle(deadline);
            }
        } finally {
            wait.end();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        return !busy;
    }

    /** Ends the views that nobody is inside; returns whether there are others. */
    private boolean endIdle(long deadline) {
        boolean busy = false;
        for (View view : registry.holders()) {
            if (view.tryEnterForClose()) {
                close(view, deadline);
            } else if (!view.isEnded()) {
                busy = true;
            }
        }
        return busy;
    }

    private void close(View view, long deadline) {
        try {
            view.owner().closeByEngine(deadline);
        } catch (Throwable t) {
            // The other views are to be ended all the same; close reports the failure.
            health.fail(t);
        }
    }

    /** Snapshots and transactions. Racy. */
    int inUse() {
        return registry.inUse();
    }

    /** Transactions that wait to be let in. Racy. */
    int waiting() {
        return admission.waiting();
    }
}
