// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import dev.holdfast.ConcurrentUseException;
import dev.holdfast.EngineClosedException;
import dev.holdfast.Isolation;
import dev.holdfast.TransactionFinishedException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * What a snapshot and a transaction have in common: a slot in the registry, the LSN that they see
 * up to, memory to work in, and the word that says who is inside.
 */
final class View {
    /*
     * The word: every call of the API goes IDLE → BUSY → IDLE by a CAS and a release store on a line
     * that belongs to this view alone. A second thread finds BUSY and is told so. The engine's close
     * takes a view between two calls, so the memory of the pool is in use only by views that are
     * BUSY or CLOSING (P2, P20).
     *
     *        enter           finish
     *   IDLE ------→ BUSY ------------→ FINISHED
     *    │   ←------                       by its user
     *    │    exit
     *    └---------→ CLOSING ---------→ CLOSED
     *   tryEnterForClose  closedByEngine   by the engine
     *
     *   field          written by                        guard or mode
     *   word           whoever enters or ends            CAS, release, acquire
     *   the rest       the thread inside                 the word
     */
    private static final int IDLE = 0;
    private static final int BUSY = 1;
    private static final int FINISHED = 2;
    private static final int CLOSING = 3;
    private static final int CLOSED = 4;
    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(View.class, "word", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final TransactionSystem system;
    private final Isolation isolation;
    private final int slot;
    private final Workspace workspace;

    @SuppressWarnings("UnusedVariable") // read and written through WORD
    private int word;

    private String end = "";
    private long snapshotLsn;
    private long ownId;

    /** Set once, before anybody else sees the view. */
    private ViewOwner owner;

    /** Whether its end gives back a place among the transactions; set as the owner is. */
    private boolean hasTicket;

    /** Statements that changed something; a cursor loads its leaf again when this has moved. */
    private long changes;

    View(TransactionSystem system, Isolation isolation, int slot, Workspace workspace) {
        this.system = system;
        this.isolation = isolation;
        this.slot = slot;
        this.workspace = workspace;
        if (isolation == Isolation.SNAPSHOT) {
            snapshotLsn = system.registry().register(slot);
        } else {
            system.registry().suspend(slot);
        }
    }

    TransactionSystem system() {
        return system;
    }

    Workspace workspace() {
        return workspace;
    }

    Isolation isolation() {
        return isolation;
    }

    int slot() {
        return slot;
    }

    ViewOwner owner() {
        return owner;
    }

    boolean hasTicket() {
        return hasTicket;
    }

    void hasTicket(boolean has) {
        hasTicket = has;
    }

    void owner(ViewOwner handle) {
        owner = handle;
    }

    long ownId() {
        return ownId;
    }

    void ownId(long id) {
        ownId = id;
    }

    long changes() {
        return changes;
    }

    void changed() {
        changes++;
    }

    /**
     * Begins a call.
     *
     * @throws ConcurrentUseException if another thread is inside
     */
    void enter() {
        if (!WORD.compareAndSet(this, IDLE, BUSY)) {
            throw refusal();
        }
        if (system.health().failed()) {
            exit();
            system.health().check();
        }
    }

    private RuntimeException refusal() {
        int now = (int) WORD.getAcquire(this);
        String used = owner instanceof SnapshotHandle ? "snapshot" : "transaction";
        if (now == FINISHED) {
            return new TransactionFinishedException(used, end);
        }
        if (now == CLOSING || now == CLOSED) {
            return new EngineClosedException(system.storeName());
        }
        return new ConcurrentUseException(used);
    }

    /** Ends a call. Release; pairs with the CAS of the next one to enter. */
    void exit() {
        WORD.setRelease(this, IDLE);
    }

    /** Begins a call that needs nothing of the engine; false if the view is in use or ended. */
    boolean tryEnter() {
        return WORD.compareAndSet(this, IDLE, BUSY);
    }

    /** Ends the last call and the view with it; gives back what it had. */
    void finish(String how) {
        assert (int) WORD.getAcquire(this) == BUSY : "finish of a view that nobody is inside";
        end = how;
        system.viewEnded(this);
        WORD.setRelease(this, FINISHED);
    }

    /** Ends a view whose engine has failed: enter refused, so nobody is inside but its user. */
    void finishFailed() {
        if (tryEnter()) {
            finish("engine failed");
        }
    }

    /** Lets the horizon pass: what is left of the last call reads nothing any more. */
    void giveUpSnapshot() {
        system.registry().suspend(slot);
    }

    /** Whether it has ended, by its user or by the engine; false while somebody is ending it. */
    boolean isEnded() {
        int now = (int) WORD.getAcquire(this);
        return now == FINISHED || now == CLOSED;
    }

    /**
     * Enters on behalf of the engine's close; false if somebody is inside or it has ended. From now
     * on calls are told that the engine is closed.
     */
    boolean tryEnterForClose() {
        return WORD.compareAndSet(this, IDLE, CLOSING);
    }

    /** Ends a view that close has entered. */
    void closedByEngine() {
        assert (int) WORD.getAcquire(this) == CLOSING : "end of a view that close has not entered";
        system.viewEnded(this);
        WORD.setRelease(this, CLOSED);
    }

    /**
     * The LSN that a statement sees up to: the transaction's own, or under READ_COMMITTED that of
     * now, which is registered until {@link #statementEnded}.
     */
    long statementLsn() {
        if (isolation == Isolation.READ_COMMITTED) {
            snapshotLsn = system.registry().register(slot);
        }
        return snapshotLsn;
    }

    void statementEnded() {
        if (isolation == Isolation.READ_COMMITTED) {
            system.registry().suspend(slot);
        }
    }

    /** The LSN of the last statement, or of the snapshot. */
    long snapshotLsn() {
        return snapshotLsn;
    }
}
