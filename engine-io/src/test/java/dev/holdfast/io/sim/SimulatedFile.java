// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import dev.holdfast.io.file.StorageFile;
import dev.holdfast.io.file.TransferCheck;
import dev.holdfast.io.sim.Fault.Effect;
import dev.holdfast.io.stats.FileStatistics;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.atomic.AtomicBoolean;

/** A file of a {@link SimulatedDisk} as one program has it open. */
final class SimulatedFile implements StorageFile {
    private static final int ZERO_TRANSFER_BYTES = 1 << 20;

    private final SimulatedDisk disk;
    private final int inode;
    private final String name;
    private final FileStatistics statistics = new FileStatistics();
    private final AtomicBoolean isClosed = new AtomicBoolean();

    SimulatedFile(SimulatedDisk disk, int inode, String name) {
        this.disk = disk;
        this.inode = inode;
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void read(long position, ByteBuffer target) throws IOException {
        TransferCheck.check(name, disk.options().mode(), position, target);
        requireOpen();
        int begin = target.position();
        int length = target.remaining();
        long start = disk.clock().nanos();
        Fault fault = disk.begin(Operation.READ, name, position, length);
        if (fault != null && fault.is(Effect.ERROR)) {
            throw disk.failed(fault, Operation.READ, name, position, length);
        }
        readInParts(position, target);
        if (fault != null) {
            assert fault.is(Effect.FLIPPED_BIT) : "a fault that no read can have";
            int index = begin + (int) (fault.amount() - position);
            target.put(index, (byte) (target.get(index) ^ 1 << fault.bit()));
            disk.injected(Injection.READ_FLIPPED, fault);
            if (disk.flaw() == DiskFlaw.FLIPPED_READ_STAYS) {
                disk.flipBit(name, fault.amount(), fault.bit());
            }
        }
        statistics.readTook(disk.clock().nanos() - start, length);
    }

    private void readInParts(long position, ByteBuffer target) throws IOException {
        int begin = target.position();
        int end = target.limit();
        while (target.position() < end) {
            int length = disk.faults().readLength(end - target.position());
            if (length < end - target.position()) {
                disk.injected(Injection.TRANSFER_SPLIT);
            }
            long at = position + target.position() - begin;
            synchronized (disk.monitor()) {
                FileContent content = disk.state().file(inode).visible();
                if (at + length > content.length()) {
                    throw TransferCheck.endOfFile(name, position, end - begin, content.length());
                }
                content.read(at, target.limit(target.position() + length));
            }
            target.limit(end);
        }
    }

    @Override
    public void write(long position, ByteBuffer source) throws IOException {
        TransferCheck.check(name, disk.options().mode(), position, source);
        requireOpen();
        if (source.hasRemaining()) {
            store(Write.of(position, source, source.remaining()));
        }
    }

    @Override
    public void zeroFill(long from, long to) throws IOException {
        TransferCheck.checkRange(name, disk.options().mode(), from, to);
        requireOpen();
        for (long at = from; at < to; ) {
            int length = (int) Math.min(to - at, ZERO_TRANSFER_BYTES);
            store(Write.ofZeros(at, length));
            at += length;
        }
    }

    private void store(Write write) throws IOException {
        long start = disk.clock().nanos();
        Fault fault = disk.begin(Operation.WRITE, name, write.position(), write.length());
        if (fault == null) {
            storeInParts(write);
        } else {
            actOut(fault, write);
        }
        statistics.writeTook(disk.clock().nanos() - start, write.length());
    }

    private void actOut(Fault fault, Write write) throws IOException {
        DiskFlaw flaw = disk.flaw();
        if (fault.is(Effect.ERROR)) {
            int arrived =
                    switch (fault.arrival()) {
                        case NONE -> flaw == DiskFlaw.FAILED_WRITE_ARRIVES ? write.length() : 0;
                        case SOME -> disk.faultDraw(write.length());
                        case ALL -> write.length();
                    };
            storeBeginning(write, arrived);
            throw disk.failed(fault, Operation.WRITE, name, write.position(), write.length());
        } else if (fault.is(Effect.MISDIRECTED)) {
            long target = Math.max(0, write.position() + fault.amount());
            storeInParts(write.slice(0, write.length(), target));
            disk.injected(Injection.WRITE_MISDIRECTED, fault);
            if (flaw == DiskFlaw.MISDIRECTED_WRITE_ARRIVES_TWICE) {
                storeInParts(write);
            }
        } else {
            assert fault.is(Effect.LOST) : "a fault that no write can have";
            disk.injected(Injection.WRITE_LOST, fault);
            if (flaw == DiskFlaw.LOST_WRITE_ARRIVES) {
                storeInParts(write);
            }
        }
    }

    private void storeBeginning(Write write, int arrived) throws IOException {
        if (arrived > 0) {
            storeInParts(write.slice(0, arrived, write.position()));
        }
    }

    private void storeInParts(Write write) throws IOException {
        int done = 0;
        while (done < write.length()) {
            int length = write.length() - done;
            if (disk.flaw() != DiskFlaw.TRANSFERS_STAY_WHOLE) {
                length = disk.faults().transferLength(length);
            }
            if (length < write.length() - done) {
                disk.injected(Injection.TRANSFER_SPLIT);
            }
            Write part = write.slice(done, length, write.position() + done);
            synchronized (disk.monitor()) {
                FileContent content = disk.state().file(inode).visible();
                int fitting = disk.bytesWithRoom(name, content, part);
                if (fitting == length) {
                    disk.append(new Event.Written(inode, name, part));
                } else {
                    if (fitting > 0) {
                        Write beginning = part.slice(0, fitting, part.position());
                        disk.append(new Event.Written(inode, name, beginning));
                    }
                    disk.injected(Injection.NO_ROOM);
                    throw failure(write, Fault.NO_SPACE);
                }
            }
            done += length;
        }
    }

    @Override
    public void sync(boolean dataOnly) throws IOException {
        requireOpen();
        long start = disk.clock().nanos();
        long beganAt;
        synchronized (disk.monitor()) {
            beganAt = disk.state().sequence();
            disk.append(new Event.SyncBegun(name));
        }
        Fault fault = disk.begin(Operation.SYNC, name, 0, 0);
        SyncOutcome outcome = fault == null ? SyncOutcome.DURABLE : fault.outcome();
        synchronized (disk.monitor()) {
            disk.append(new Event.SyncEnded(inode, name, beganAt, outcome, disk.faultSeed()));
        }
        if (!outcome.reportsSuccess()) {
            disk.injected(Injection.SYNC_FAILED, fault);
            throw SimulatedDisk.failure(Operation.SYNC, name, 0, 0, fault.message());
        }
        if (outcome == SyncOutcome.LIED) {
            disk.injected(Injection.SYNC_LIED, fault);
        } else if (fault != null) {
            fault.act();
        }
        statistics.syncTook(disk.clock().nanos() - start);
    }

    @Override
    public long length() throws IOException {
        requireOpen();
        synchronized (disk.monitor()) {
            return disk.state().file(inode).visible().length();
        }
    }

    @Override
    public void truncate(long length) throws IOException {
        TransferCheck.checkRange(name, disk.options().mode(), 0, length);
        requireOpen();
        Fault fault = disk.begin(Operation.TRUNCATE, name, 0, 0);
        if (fault == null || fault.arrival() == Fault.Arrival.ALL) {
            synchronized (disk.monitor()) {
                if (length < disk.state().file(inode).visible().length()) {
                    disk.append(new Event.Truncated(inode, name, length));
                }
            }
        }
        if (fault != null) {
            throw disk.failed(fault, Operation.TRUNCATE, name, 0, 0);
        }
    }

    @Override
    public FileStatistics statistics() {
        return statistics;
    }

    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            disk.closed(inode, name);
        }
    }

    private void requireOpen() throws IOException {
        if (isClosed.get()) {
            throw new ClosedChannelException();
        }
    }

    private IOException failure(Write write, String reason) {
        return SimulatedDisk.failure(
                Operation.WRITE, name, write.position(), write.length(), reason);
    }
}
