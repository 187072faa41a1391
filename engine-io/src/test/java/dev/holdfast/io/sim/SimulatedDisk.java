// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import dev.holdfast.io.file.StorageDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A disk in memory that records what is done to it and fails as planned.
 *
 * <p>The package's page tells the fault model. Safe for use by many threads; every event takes one
 * monitor, so that the trace is one total order: an event is in it before the call that made it
 * returns, and a mark after the events of all calls that had returned before.
 */
public final class SimulatedDisk {
    /*
     * Field          written by            read by       guard
     * state          each event            each request  monitor
     * events         each event            trace()       monitor
     * traceBytes …   each event            each event    monitor
     * openHandles    open and close        delete        monitor
     * holder         lock and its close    lock          monitor
     * isUnplugged …  the test              each request  volatile
     * injections     each deed of a plan   the test      atomic, one element an Injection
     *
     * Buffers are copied into blocks before the monitor is taken. A request waits (planned delays,
     * stuck devices) outside of it, between the events of its beginning and its end if it has two.
     */
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final DiskOptions options;
    private final CrashImage origin;
    private final FaultPlan faults = new FaultPlan();
    private final SeededRandom faultRandom;

    private final Object monitor = new Object();
    private final DiskState state;
    private final DiskState firstState;
    private final List<Event> events = new ArrayList<>();
    private final Map<Integer, List<String>> openHandles = new HashMap<>();
    private String holder;
    private boolean isRecording = true;
    private long traceBytes;
    private long traceBytesMax = Runtime.getRuntime().maxMemory() / 2;

    private volatile boolean isUnplugged;
    private volatile long capacityBytes = NO_LIMIT;
    private final Map<String, Long> directoryCapacities = new ConcurrentHashMap<>();
    private final AtomicLongArray injections = new AtomicLongArray(Injection.values().length);
    private volatile DiskClock clock = DiskClock.REAL;
    private volatile DeviceQueue queue =
            new DeviceQueue(Latency.NONE, 1, new SeededRandom(0), DiskClock.REAL);

    private SimulatedDisk(DiskOptions options, CrashImage origin, DiskState state) {
        this.options = options;
        this.origin = origin;
        this.state = state;
        this.firstState = state.copy();
        this.faultRandom = new SeededRandom(state.sequence());
    }

    public static SimulatedDisk create() {
        return create(DiskOptions.DEFAULT);
    }

    public static SimulatedDisk create(DiskOptions options) {
        return new SimulatedDisk(options, null, new DiskState(options.nameRules()));
    }

    /** A disk that is wrong in one way, for the tests of this package. */
    static SimulatedDisk flawed(DiskOptions options, DiskFlaw flaw) {
        return new SimulatedDisk(options, null, new DiskState(options.nameRules(), flaw));
    }

    static SimulatedDisk restarted(CrashImage origin, DiskState state, DiskOptions options) {
        return new SimulatedDisk(options, origin, state);
    }

    /** The disk's only directory, as one program sees it; another call is another program. */
    public StorageDirectory directory() {
        return new SimulatedDirectory(this);
    }

    public DiskOptions options() {
        return options;
    }

    /** Notes something in the trace, above all that an effect was acknowledged. */
    public void mark(Object mark) {
        synchronized (monitor) {
            append(new Event.Marked(mark));
        }
    }

    /** How many events there were; as a crash point it means now. */
    public int eventCount() {
        synchronized (monitor) {
            return events.size();
        }
    }

    /** What has happened so far. */
    public Trace trace() {
        synchronized (monitor) {
            if (!isRecording) {
                throw new IllegalStateException("the disk does not record");
            }
            return new Trace(firstState, List.copyOf(events), origin, options);
        }
    }

    /** Ends the recording, so that a long run needs no memory for it. */
    public void stopRecording() {
        synchronized (monitor) {
            isRecording = false;
            events.clear();
            traceBytes = 0;
        }
    }

    /**
     * Limits the blocks that the trace holds; half the JVM's memory if not set. An event beyond it
     * fails by name, where else the memory would end, and with it tests that have no part in it.
     */
    void limitTrace(long bytes) {
        synchronized (monitor) {
            traceBytesMax = bytes;
        }
    }

    /** The image of a crash now. */
    public CrashImage crash(CrashMode mode, long seed) {
        Trace trace = trace();
        return CrashImage.build(trace, trace.eventCount(), mode, seed);
    }

    public FaultPlan faults() {
        return faults;
    }

    /** Limits what the files may occupy together; what is already occupied stays. */
    public void limitCapacity(long bytes) {
        capacityBytes = bytes;
    }

    /**
     * Limits what the files of one directory may occupy, as if it were on a device of its own.
     *
     * @param directory the subdirectory's name, or empty for the root
     */
    public void limitCapacity(String directory, long bytes) {
        directoryCapacities.put(directory, bytes);
    }

    /** Gives room again, everywhere. */
    public void unlimitCapacity() {
        capacityBytes = NO_LIMIT;
        directoryCapacities.clear();
    }

    /** What the files that have a name occupy, in whole blocks; holes occupy nothing. */
    public long usedBytes() {
        synchronized (monitor) {
            return state.allocatedBlocks(name -> true) * Block.BYTES;
        }
    }

    /** From now on requests take time, by the disk's clock. */
    public void shapeLatency(Latency latency, int queueDepth, SeededRandom random) {
        if (queueDepth < 1) {
            throw new IllegalArgumentException("no place for requests: queueDepth=" + queueDepth);
        }
        int places = flaw() == DiskFlaw.DEVICE_HAS_ONE_PLACE ? 1 : queueDepth;
        queue = new DeviceQueue(latency, places, random, clock);
    }

    /**
     * Sets the clock by which requests are slow; before latency is shaped. Real time if not set.
     */
    public void clock(DiskClock newClock) {
        clock = newClock;
    }

    DiskClock clock() {
        return clock;
    }

    /** How often the disk has done that. */
    public long count(Injection injection) {
        return injections.get(injection.ordinal());
    }

    /** Counts something that has just happened. */
    void injected(Injection injection) {
        injections.incrementAndGet(injection.ordinal());
    }

    /** Counts what a planned fault has just done. */
    void injected(Injection injection, Fault fault) {
        fault.act();
        injected(injection);
    }

    DiskFlaw flaw() {
        return state.flaw();
    }

    /** From now on every request fails; what was pending stays so. */
    public void unplug() {
        isUnplugged = true;
    }

    public void plugIn() {
        isUnplugged = false;
    }

    /** Flips a bit at rest. */
    public void flipBit(String name, long position, int bit) throws IOException {
        byte[] bytes = contents(name, position, 1);
        bytes[0] ^= (byte) (1 << bit);
        damage(name, position, bytes);
    }

    /** Replaces bytes at rest, durable and visible ones, without anybody having written. */
    public void damage(String name, long position, byte[] bytes) throws IOException {
        Write write = Write.of(position, ByteBuffer.wrap(bytes), bytes.length);
        synchronized (monitor) {
            append(new Event.Damaged(inodeOf(name), name, write));
            injected(Injection.DAMAGED);
        }
    }

    /** What reads would show. */
    public byte[] contents(String name) throws IOException {
        synchronized (monitor) {
            long length = state.file(inodeOf(name)).visible().length();
            return contents(name, 0, Math.toIntExact(length));
        }
    }

    /** What reads of a part of a file would show. */
    public byte[] contents(String name, long position, int length) throws IOException {
        byte[] bytes = new byte[length];
        synchronized (monitor) {
            state.file(inodeOf(name)).visible().read(position, ByteBuffer.wrap(bytes));
        }
        return bytes;
    }

    /** Of all that the disk holds; equal disks have equal hashes. */
    public long contentHash() {
        synchronized (monitor) {
            return state.hash();
        }
    }

    /** The names by which files are open now, one for each handle. */
    public List<String> openFiles() {
        synchronized (monitor) {
            return openHandles.values().stream().flatMap(Collection::stream).sorted().toList();
        }
    }

    /** Whether somebody holds the directory's lock. */
    public boolean isLocked() {
        synchronized (monitor) {
            return holder != null;
        }
    }

    Object monitor() {
        return monitor;
    }

    DiskState state() {
        assert Thread.holdsLock(monitor) : "the state is read without the monitor";

        return state;
    }

    void append(Event event) {
        assert Thread.holdsLock(monitor) : "an event is made without the monitor";

        if (isRecording) {
            traceBytes += event.heldBytes();
            if (traceBytes > traceBytesMax) {
                throw new IllegalStateException(
                        "the trace is full, a long run ends the recording first: traceBytes="
                                + traceBytes
                                + ", traceBytesMax="
                                + traceBytesMax);
            }
            events.add(event);
        }
        state.apply(event);
    }

    String holder() {
        return holder;
    }

    void holder(String newHolder) {
        holder = newHolder;
    }

    /** The number of the file of that name. */
    int inodeOf(String name) throws NoSuchFileException {
        Integer inode = state.names().find(name);
        if (inode == null || inode == NameTable.DIRECTORY) {
            throw new NoSuchFileException(name);
        }
        return inode;
    }

    void opened(int inode, String name) {
        openHandles.computeIfAbsent(inode, absent -> new ArrayList<>()).add(name);
    }

    void closed(int inode, String name) {
        synchronized (monitor) {
            List<String> names = openHandles.get(inode);
            names.remove(name);
            if (names.isEmpty()) {
                openHandles.remove(inode);
            }
            forgetDeleted();
        }
    }

    boolean isOpen(int inode) {
        return openHandles.containsKey(inode);
    }

    /** Frees files that no name leads to, durable or not, and nobody has open. */
    void forgetDeleted() {
        if (state.files().size() > state.names().visible().size()) {
            Set<Integer> named = state.names().inodes();
            state.files()
                    .keySet()
                    .removeIf(inode -> !named.contains(inode) && !openHandles.containsKey(inode));
        }
    }

    /**
     * Lets a request wait and fail as planned.
     *
     * @return the fault that the caller must act out, null if there is none
     */
    Fault begin(Operation operation, String name, long position, int length) throws IOException {
        Fault fault = faults.next(operation, name, position, length);
        if (flaw() != DiskFlaw.DEVICE_TAKES_NO_TIME && queue.serve(operation, length, clock)) {
            injected(Injection.DELAYED);
        }
        if (fault != null && flaw() == DiskFlaw.STICKY_FAULT_HEALS && fault.acted() > 0) {
            fault = null;
        }
        if (fault != null) {
            if (fault.is(Fault.Effect.SLOW)) {
                delay(fault, operation, length);
                fault = null;
            } else if (fault.is(Fault.Effect.STUCK)) {
                injected(Injection.STUCK, fault);
                fault.awaitRelease();
                fault = null;
            } else if (fault.is(Fault.Effect.ACTION)) {
                fault.action().run();
                injected(Injection.ACTION_RUN, fault);
                fault = null;
            }
        }
        requirePlugged(operation, name, position, length);
        return fault;
    }

    private void delay(Fault fault, Operation operation, int length) {
        long nanos;
        synchronized (monitor) {
            nanos = fault.delay().nanos(operation, length, faultRandom);
        }
        clock.awaitUntil(clock.nanos() + nanos);
        injected(Injection.DELAYED, fault);
    }

    /** Fails if the disk is not there. */
    void requirePlugged(Operation operation, String name, long position, int length)
            throws IOException {
        if (isUnplugged) {
            injected(Injection.UNPLUGGED);
            throw failure(operation, name, position, length, Fault.IO_ERROR);
        }
    }

    /** The failure that the fault plans for the request, which is now counted as having failed. */
    IOException failed(Fault fault, Operation operation, String name, long position, int length) {
        injected(Injection.REQUEST_FAILED, fault);
        return failure(operation, name, position, length, fault.message());
    }

    static IOException failure(
            Operation operation, String name, long position, int length, String reason) {
        String what = operation.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        String range = length > 0 ? ", position=" + position + ", bytes=" + length : "";
        return new IOException(
                what + " failed: file=" + name + range + ", reason=" + reason,
                new IOException(reason));
    }

    /** How many bytes of a write to that file there is room for, from its first on. */
    int bytesWithRoom(String name, FileContent content, Write write) {
        long freeBlocks = freeBlocks(NameChange.directoryOf(name));
        if (freeBlocks == NO_LIMIT || flaw() == DiskFlaw.FULL_DISK_HAS_ROOM) {
            return write.length();
        }
        for (long block = write.firstBlockNumber(); block < write.endBlockNumber(); block++) {
            if (!content.isAllocated(block) && --freeBlocks < 0) {
                return (int) Math.max(0, block * Block.BYTES - write.position());
            }
        }
        return write.length();
    }

    private long freeBlocks(String directory) {
        long free = NO_LIMIT;
        long limit = capacityBytes;
        if (limit != NO_LIMIT) {
            free = limit / Block.BYTES - state.allocatedBlocks(name -> true);
        }
        Long ofDirectory = directoryCapacities.get(directory);
        if (ofDirectory != null) {
            long used =
                    state.allocatedBlocks(name -> NameChange.directoryOf(name).equals(directory));
            free = Math.min(free, ofDirectory / Block.BYTES - used);
        }
        return free;
    }

    /** Uniform in [0, bound), for what a plan leaves open. */
    int faultDraw(int bound) {
        synchronized (monitor) {
            return faultRandom.nextInt(bound);
        }
    }

    long faultSeed() {
        synchronized (monitor) {
            return faultRandom.nextLong();
        }
    }
}
