// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;

/**
 * Settings of an engine. Immutable and reusable; made by a {@link Builder}, where each setting is
 * described with its limits.
 *
 * <p>{@code pageBytes} is fixed when the store is created; opening it with another one is an {@link
 * OptionMismatchException}. All other settings may differ from one open to the next.
 */
public final class EngineOptions {
    /** The longest time that any wait may be given. */
    public static final Duration TIMEOUT_MAX = Duration.ofDays(1);

    /** Means that the device is measured, see {@link Builder#ioCapacity}. */
    public static final int IO_CAPACITY_AUTO = 0;

    /** A copy that nobody changes. */
    private final Builder set;

    private EngineOptions(Builder builder) {
        set = new Builder(builder);
    }

    /** Returns the settings that a builder starts with. */
    public static EngineOptions defaults() {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns a builder that starts with these settings. The size of the log buffer is fixed in it,
     * also where it was derived.
     */
    public Builder toBuilder() {
        return new Builder(set);
    }

    public int pageBytes() {
        return set.pageBytes;
    }

    public long poolBytes() {
        return set.poolBytes;
    }

    public int poolShards() {
        return set.poolShards;
    }

    public long redoCapacityBytes() {
        return set.redoCapacityBytes;
    }

    public int logBufferBytes() {
        return set.logBufferBytes;
    }

    public Duration logFlushInterval() {
        return set.logFlushInterval;
    }

    public Duration logSpaceTimeout() {
        return set.logSpaceTimeout;
    }

    public boolean redoSelfCheck() {
        return set.redoSelfCheck;
    }

    /** Returns the name of the kind that new files' pages bear. */
    public String checksum() {
        return set.checksum;
    }

    public List<CustomChecksum> customChecksums() {
        return set.customChecksums;
    }

    public DoublewriteMode doublewrite() {
        return set.doublewrite;
    }

    public int doublewriteSlots() {
        return set.doublewriteSlots;
    }

    public int doublewriteBatchPages() {
        return set.doublewriteBatchPages;
    }

    public FileMode fileMode() {
        return set.fileMode;
    }

    public int ioCapacity() {
        return set.ioCapacity;
    }

    public int ioReadThreads() {
        return set.ioReadThreads;
    }

    public int ioWriteThreads() {
        return set.ioWriteThreads;
    }

    public boolean readAhead() {
        return set.readAhead;
    }

    public int undoSpaces() {
        return set.undoSpaces;
    }

    public Isolation isolation() {
        return set.isolation;
    }

    public Durability durability() {
        return set.durability;
    }

    public Duration lockWaitTimeout() {
        return set.lockWaitTimeout;
    }

    public int maxConcurrentTransactions() {
        return set.maxConcurrentTransactions;
    }

    public Duration admissionTimeout() {
        return set.admissionTimeout;
    }

    public int writeAttempts() {
        return set.writeAttempts;
    }

    public WaitTiming timeWaits() {
        return set.timeWaits;
    }

    public Duration waitWatchdog() {
        return set.waitWatchdog;
    }

    public boolean createIfMissing() {
        return set.createIfMissing;
    }

    public CloseMode closeMode() {
        return set.closeMode;
    }

    public Duration closeTimeout() {
        return set.closeTimeout;
    }

    /** Returns all settings as {@code name=value} pairs. */
    @Override
    public String toString() {
        List<String> checksums = set.customChecksums.stream().map(CustomChecksum::name).toList();
        return new StringJoiner(", ", "EngineOptions[", "]")
                .add("pageBytes=" + set.pageBytes)
                .add("poolBytes=" + set.poolBytes)
                .add("poolShards=" + set.poolShards)
                .add("redoCapacityBytes=" + set.redoCapacityBytes)
                .add("logBufferBytes=" + set.logBufferBytes)
                .add("logFlushInterval=" + set.logFlushInterval)
                .add("logSpaceTimeout=" + set.logSpaceTimeout)
                .add("redoSelfCheck=" + set.redoSelfCheck)
                .add("checksum=" + set.checksum)
                .add("customChecksums=" + checksums)
                .add("doublewrite=" + set.doublewrite)
                .add("doublewriteSlots=" + set.doublewriteSlots)
                .add("doublewriteBatchPages=" + set.doublewriteBatchPages)
                .add("fileMode=" + set.fileMode)
                .add("ioCapacity=" + set.ioCapacity)
                .add("ioReadThreads=" + set.ioReadThreads)
                .add("ioWriteThreads=" + set.ioWriteThreads)
                .add("readAhead=" + set.readAhead)
                .add("undoSpaces=" + set.undoSpaces)
                .add("isolation=" + set.isolation)
                .add("durability=" + set.durability)
                .add("lockWaitTimeout=" + set.lockWaitTimeout)
                .add("maxConcurrentTransactions=" + set.maxConcurrentTransactions)
                .add("admissionTimeout=" + set.admissionTimeout)
                .add("writeAttempts=" + set.writeAttempts)
                .add("timeWaits=" + set.timeWaits)
                .add("waitWatchdog=" + set.waitWatchdog)
                .add("createIfMissing=" + set.createIfMissing)
                .add("closeMode=" + set.closeMode)
                .add("closeTimeout=" + set.closeTimeout)
                .toString();
    }

    /**
     * Collects settings. Each method returns this builder; a value that is wrong by itself is
     * refused at once, one that is wrong beside others by {@link #build}, both with an {@link
     * IllegalArgumentException} that names the option, the value and the limit. For one thread.
     */
    public static final class Builder {
        private static final int LOG_BUFFER_BYTES_DEFAULT = 16 << 20;
        private static final int LOG_BUFFER_BYTES_MAX = 1 << 30;
        private static final long REDO_CAPACITY_BYTES_MAX = 1L << 40;
        private static final int IO_CAPACITY_MIN = 100;
        private static final int IO_CAPACITY_MAX = 10_000_000;
        private static final int IO_THREADS_MAX = 64;
        private static final int TRANSACTIONS_MAX = 1_000_000;
        private static final int WRITE_ATTEMPTS_MAX = 1_000_000;
        private static final Duration WAIT_WATCHDOG_MIN = Duration.ofMillis(1);
        private static final Duration LOG_FLUSH_INTERVAL_MIN = Duration.ofMillis(1);
        private static final Duration LOG_FLUSH_INTERVAL_MAX = Duration.ofMinutes(1);

        /** Means that {@link #build} derives the value. */
        private static final int DERIVED = 0;

        private int pageBytes = 16 << 10;
        private long poolBytes = 64L << 20;
        private int poolShards = DERIVED;
        private long redoCapacityBytes = 64L << 20;
        private int logBufferBytes = DERIVED;
        private Duration logFlushInterval = Duration.ofMillis(200);
        private Duration logSpaceTimeout = Duration.ofSeconds(10);
        private boolean redoSelfCheck;
        private String checksum = ChecksumKind.CRC32C.name();
        private List<CustomChecksum> customChecksums = List.of();
        private DoublewriteMode doublewrite = DoublewriteMode.ON;
        private int doublewriteSlots = 2;
        private int doublewriteBatchPages = 128;
        private FileMode fileMode = FileMode.BUFFERED;
        private int ioCapacity = IO_CAPACITY_AUTO;
        private int ioReadThreads;
        private int ioWriteThreads;
        private boolean readAhead = true;
        private int undoSpaces = Limits.UNDO_SPACES_MIN;
        private Isolation isolation = Isolation.SNAPSHOT;
        private Durability durability = Durability.SYNC;
        private Duration lockWaitTimeout = Duration.ofSeconds(10);
        private int maxConcurrentTransactions;
        private Duration admissionTimeout = Duration.ofSeconds(10);
        private int writeAttempts = 100;
        private WaitTiming timeWaits = WaitTiming.SAMPLED;
        private Duration waitWatchdog = Duration.ofSeconds(30);
        private boolean createIfMissing = true;
        private CloseMode closeMode = CloseMode.CLEAN;
        private Duration closeTimeout = Duration.ofSeconds(10);

        private Builder() {}

        private Builder(Builder from) {
            pageBytes = from.pageBytes;
            poolBytes = from.poolBytes;
            poolShards = from.poolShards;
            redoCapacityBytes = from.redoCapacityBytes;
            logBufferBytes = from.logBufferBytes;
            logFlushInterval = from.logFlushInterval;
            logSpaceTimeout = from.logSpaceTimeout;
            redoSelfCheck = from.redoSelfCheck;
            checksum = from.checksum;
            customChecksums = from.customChecksums;
            doublewrite = from.doublewrite;
            doublewriteSlots = from.doublewriteSlots;
            doublewriteBatchPages = from.doublewriteBatchPages;
            fileMode = from.fileMode;
            ioCapacity = from.ioCapacity;
            ioReadThreads = from.ioReadThreads;
            ioWriteThreads = from.ioWriteThreads;
            readAhead = from.readAhead;
            undoSpaces = from.undoSpaces;
            isolation = from.isolation;
            durability = from.durability;
            lockWaitTimeout = from.lockWaitTimeout;
            maxConcurrentTransactions = from.maxConcurrentTransactions;
            admissionTimeout = from.admissionTimeout;
            writeAttempts = from.writeAttempts;
            timeWaits = from.timeWaits;
            waitWatchdog = from.waitWatchdog;
            createIfMissing = from.createIfMissing;
            closeMode = from.closeMode;
            closeTimeout = from.closeTimeout;
        }

        /**
         * The size of a page: 4, 8, 16 (the default), 32 or 64 KiB. Fixed when the store is
         * created. It bounds the length of keys, see {@link Limits#keyBytesMax}.
         */
        public Builder pageBytes(int value) {
            if (!Limits.isPageBytes(value)) {
                throw new IllegalArgumentException(
                        "option is not a page size: option=pageBytes, value="
                                + value
                                + ", min="
                                + Limits.PAGE_BYTES_MIN
                                + ", max="
                                + Limits.PAGE_BYTES_MAX);
            }
            pageBytes = value;
            return this;
        }

        /**
         * The memory for pages, in bytes and outside the heap: 64 MiB unless set, from {@link
         * Limits#POOL_PAGES_MIN} to {@link Limits#POOL_PAGES_MAX} pages. A part of a page is not
         * used.
         */
        public Builder poolBytes(long value) {
            if (value < Limits.poolBytesMin(Limits.PAGE_BYTES_MIN)
                    || value > Limits.poolBytesMax(Limits.PAGE_BYTES_MAX)) {
                throw badPoolBytes(value);
            }
            poolBytes = value;
            return this;
        }

        /**
         * The number of parts of the pool, each with latches of its own: a power of two up to
         * {@link Limits#POOL_SHARDS_MAX}. Derived from the number of processors unless set.
         */
        public Builder poolShards(int value) {
            poolShards =
                    powerOfTwo(
                            "poolShards",
                            Require.between("poolShards", value, 1, Limits.POOL_SHARDS_MAX));
            return this;
        }

        /**
         * The size of the redo log on disk, in bytes: 64 MiB unless set, at least {@link
         * Limits#redoCapacityBytesMin}, at most 1 TiB. More of it means fewer page writes under
         * load and a longer recovery. May change from open to open.
         */
        public Builder redoCapacityBytes(long value) {
            if (value < Limits.redoCapacityBytesMin(Limits.PAGE_BYTES_MIN)
                    || value > REDO_CAPACITY_BYTES_MAX) {
                throw badRedoCapacityBytes(value);
            }
            redoCapacityBytes = value;
            return this;
        }

        /**
         * The size of the buffer that redo passes through, in bytes: a power of two, at least
         * {@link Limits#logBufferBytesMin}, at most half the redo log and 1 GiB. Unless set, 16 MiB
         * or what the redo log allows.
         */
        public Builder logBufferBytes(int value) {
            if (value < Limits.logBufferBytesMin(Limits.PAGE_BYTES_MIN)
                    || value > LOG_BUFFER_BYTES_MAX) {
                throw badLogBufferBytes(value);
            }
            logBufferBytes = powerOfTwo("logBufferBytes", value);
            return this;
        }

        /** Within what time a commit of {@link Durability#LAZY} is on disk: 200 ms unless set. */
        public Builder logFlushInterval(Duration value) {
            logFlushInterval =
                    Require.between(
                            "logFlushInterval",
                            value,
                            LOG_FLUSH_INTERVAL_MIN,
                            LOG_FLUSH_INTERVAL_MAX);
            return this;
        }

        /**
         * How long a statement waits for room in the redo log, before its first change, until it
         * throws {@link LogSpaceTimeoutException}: 10 s unless set.
         */
        public Builder logSpaceTimeout(Duration value) {
            logSpaceTimeout = timeout("logSpaceTimeout", value);
            return this;
        }

        /**
         * Whether each change logs a checksum of the page that it leaves and recovery compares: a
         * test of the engine itself, off unless set, and costly.
         */
        public Builder redoSelfCheck(boolean value) {
            redoSelfCheck = value;
            return this;
        }

        /**
         * The checksum that pages of new files bear: CRC32C unless set. Files that are there keep
         * theirs until {@link Engine#convertChecksums(String)}.
         */
        public Builder checksum(ChecksumKind value) {
            checksum = Objects.requireNonNull(value, "checksum").name();
            return this;
        }

        /**
         * The same by the name of a {@link ChecksumKind} or of a {@link CustomChecksum}; one that
         * the open does not find is refused by it.
         */
        public Builder checksum(String name) {
            checksum = Objects.requireNonNull(name, "checksum");
            return this;
        }

        /**
         * Checksums of the host that pages may bear, beside those found as services: none unless
         * set. Two of one code or name are refused by the open.
         */
        public Builder customChecksums(CustomChecksum... values) {
            customChecksums = List.of(values);
            return this;
        }

        /**
         * What is written beside a page before it is written to its place, so that a write that a
         * loss of power tore can be mended, or is noticed: ON unless set.
         */
        public Builder doublewrite(DoublewriteMode value) {
            doublewrite = Objects.requireNonNull(value, "doublewrite");
            return this;
        }

        /**
         * How many batches of pages may be on their way through the doublewrite at a time, each in
         * a file and with memory and a thread of its own: two unless set, up to {@link
         * Limits#DOUBLEWRITE_SLOTS_MAX}. With one, pages that are copied wait for those that are
         * being written. More than two help where the device gains from more syncs in flight.
         */
        public Builder doublewriteSlots(int value) {
            doublewriteSlots =
                    Require.between("doublewriteSlots", value, 1, Limits.DOUBLEWRITE_SLOTS_MAX);
            return this;
        }

        /**
         * How many pages a batch of the doublewrite holds at most: 128 unless set, up to {@link
         * Limits#DOUBLEWRITE_BATCH_PAGES_MAX}. A batch costs a sync of its own and one of each data
         * file with pages in it. All slots together hold no more than half the pool.
         */
        public Builder doublewriteBatchPages(int value) {
            doublewriteBatchPages =
                    Require.between(
                            "doublewriteBatchPages", value, 1, Limits.DOUBLEWRITE_BATCH_PAGES_MAX);
            return this;
        }

        /**
         * How files are read and written: BUFFERED unless set. Where the file system refuses
         * DIRECT, the open throws {@link StorageException}.
         */
        public Builder fileMode(FileMode value) {
            fileMode = Objects.requireNonNull(value, "fileMode");
            return this;
        }

        /**
         * The pages per second that all background work together may write and read: 100 or more,
         * or {@link EngineOptions#IO_CAPACITY_AUTO}, the default. The page cleaner goes up to twice
         * that when the log is nearly full, and writes what it must when frames are wanted.
         *
         * <p>AUTO is what the device was found to be good for when the store was created, measured
         * in about a tenth of a second; that is kept with the store and shown by {@link
         * Engine#status}. It is 2000 for a store that was created with a number, or whose device
         * could not be measured.
         */
        public Builder ioCapacity(int value) {
            if (value != IO_CAPACITY_AUTO) {
                Require.between("ioCapacity", value, IO_CAPACITY_MIN, IO_CAPACITY_MAX);
            }
            ioCapacity = value;
            return this;
        }

        /**
         * How many background reads are at the device at a time, at most 64; 0, the default,
         * derives it from the IO capacity. A thread is started when it is first needed.
         */
        public Builder ioReadThreads(int value) {
            ioReadThreads = Require.between("ioReadThreads", value, 0, IO_THREADS_MAX);
            return this;
        }

        /** The same for background writes, which are those of the page cleaner. */
        public Builder ioWriteThreads(int value) {
            ioWriteThreads = Require.between("ioWriteThreads", value, 0, IO_THREADS_MAX);
            return this;
        }

        /**
         * Whether the next pages of a scan are read, as far as the IO capacity and the pool allow,
         * before its cursor comes to them; so unless set. A scan of pages that are in memory, or of
         * a few rows, reads nothing ahead.
         */
        public Builder readAhead(boolean value) {
            readAhead = value;
            return this;
        }

        /**
         * The number of undo spaces of a new store: two unless set, up to {@link
         * Limits#UNDO_SPACES_MAX}. Each is a file; a store keeps the number that it was created
         * with.
         */
        public Builder undoSpaces(int value) {
            undoSpaces =
                    Require.between(
                            "undoSpaces", value, Limits.UNDO_SPACES_MIN, Limits.UNDO_SPACES_MAX);
            return this;
        }

        /** The isolation of transactions that do not say: SNAPSHOT unless set. */
        public Builder isolation(Isolation value) {
            isolation = Objects.requireNonNull(value, "isolation");
            return this;
        }

        /** The durability of commits that do not say: SYNC unless set. */
        public Builder durability(Durability value) {
            durability = Objects.requireNonNull(value, "durability");
            return this;
        }

        /**
         * How long a statement waits for a row lock: 10 s unless set; zero means not at all. It
         * also bounds the wait for a place among the writers and for other changes of the tables.
         */
        public Builder lockWaitTimeout(Duration value) {
            lockWaitTimeout = timeout("lockWaitTimeout", value);
            return this;
        }

        /**
         * How many transactions may be active at a time; {@link Engine#begin()} waits for its turn.
         * Zero, no limit, unless set. Snapshots do not count. A transaction that waits for a row
         * keeps its place, so set it well above the number of threads that the machine can serve; a
         * thread that begins a second transaction inside its first needs two.
         */
        public Builder maxConcurrentTransactions(int value) {
            maxConcurrentTransactions =
                    Require.between("maxConcurrentTransactions", value, 0, TRANSACTIONS_MAX);
            return this;
        }

        /**
         * How long a transaction waits to be let in until it throws {@link
         * AdmissionTimeoutException}: 10 s unless set; zero means not at all.
         */
        public Builder admissionTimeout(Duration value) {
            admissionTimeout = timeout("admissionTimeout", value);
            return this;
        }

        /**
         * How often {@link Engine#write} runs its work at most: 100 times unless set; one means
         * that it is never run again.
         */
        public Builder writeAttempts(int value) {
            writeAttempts = Require.between("writeAttempts", value, 1, WRITE_ATTEMPTS_MAX);
            return this;
        }

        /**
         * Which waits are timed: SAMPLED unless set. All are counted in any case. It is a setting
         * of the JVM: the engine that is opened last says.
         */
        public Builder timeWaits(WaitTiming value) {
            timeWaits = Objects.requireNonNull(value, "timeWaits");
            return this;
        }

        /**
         * How long a wait inside the engine may last without being told of: 30 s unless set, at
         * least 1 ms; zero turns the watch off. One that lasts longer is told of once, as a warning
         * in the log, with what is waited for, who holds it where that is known, and stacks, and
         * shows in {@link Engine#status}. Nothing is done about it. The watch looks about once a
         * second and sees the waits of the whole JVM, those of other engines too.
         */
        public Builder waitWatchdog(Duration value) {
            waitWatchdog =
                    value.isZero()
                            ? value
                            : Require.between(
                                    "waitWatchdog", value, WAIT_WATCHDOG_MIN, TIMEOUT_MAX);
            return this;
        }

        /** Whether a store is created where there is none: yes unless set. */
        public Builder createIfMissing(boolean value) {
            createIfMissing = value;
            return this;
        }

        /**
         * What {@link Engine#close} leaves behind: CLEAN unless set. Commits are safe with both.
         */
        public Builder closeMode(CloseMode value) {
            closeMode = Objects.requireNonNull(value, "closeMode");
            return this;
        }

        /**
         * How long {@link Engine#close} waits for running calls to end: 10 s unless set. If some
         * are left then, the engine is made to fail, so that they end.
         */
        public Builder closeTimeout(Duration value) {
            closeTimeout = timeout("closeTimeout", value);
            return this;
        }

        /**
         * Makes the options.
         *
         * @throws IllegalArgumentException if the pool, the redo log or the log buffer is too small
         *     for the page size, or the log buffer is more than half the redo log
         */
        public EngineOptions build() {
            if (poolBytes < Limits.poolBytesMin(pageBytes)
                    || poolBytes > Limits.poolBytesMax(pageBytes)) {
                throw badPoolBytes(poolBytes);
            }
            if (redoCapacityBytes < Limits.redoCapacityBytesMin(pageBytes)) {
                throw badRedoCapacityBytes(redoCapacityBytes);
            }
            Builder whole = this;
            if (logBufferBytes == DERIVED || poolShards == DERIVED) {
                whole = new Builder(this);
            }
            if (logBufferBytes == DERIVED) {
                whole.logBufferBytes =
                        (int) Math.min(LOG_BUFFER_BYTES_DEFAULT, logBufferBytesMax());
            }
            if (poolShards == DERIVED) {
                int processors = Runtime.getRuntime().availableProcessors();
                whole.poolShards =
                        Math.min(Integer.highestOneBit(processors), Limits.POOL_SHARDS_MAX);
            }
            if (whole.logBufferBytes < Limits.logBufferBytesMin(pageBytes)
                    || whole.logBufferBytes > logBufferBytesMax()) {
                throw badLogBufferBytes(whole.logBufferBytes);
            }
            return new EngineOptions(whole);
        }

        /** The greatest power of two that is no more than half the redo log. */
        private long logBufferBytesMax() {
            return Math.min(LOG_BUFFER_BYTES_MAX, Long.highestOneBit(redoCapacityBytes / 2));
        }

        /*
         * The limits of these three go by the page size and each other, which may be set later: so
         * a setter refuses only what no page size allows. What it says is the limit for the values
         * that are set now.
         */

        private IllegalArgumentException badPoolBytes(long value) {
            return outOfRange(
                    "poolBytes",
                    value,
                    Limits.poolBytesMin(pageBytes),
                    Limits.poolBytesMax(pageBytes));
        }

        private IllegalArgumentException badRedoCapacityBytes(long value) {
            return outOfRange(
                    "redoCapacityBytes",
                    value,
                    Limits.redoCapacityBytesMin(pageBytes),
                    REDO_CAPACITY_BYTES_MAX);
        }

        private IllegalArgumentException badLogBufferBytes(int value) {
            return outOfRange(
                    "logBufferBytes",
                    value,
                    Limits.logBufferBytesMin(pageBytes),
                    logBufferBytesMax());
        }

        private IllegalArgumentException outOfRange(String option, long value, long min, long max) {
            return Require.outOfRange(
                    option, value, "min=" + min + ", max=" + max + ", pageBytes=" + pageBytes);
        }

        private static Duration timeout(String option, Duration value) {
            return Require.between(option, value, Duration.ZERO, TIMEOUT_MAX);
        }

        private static int powerOfTwo(String option, int value) {
            if (Integer.bitCount(value) != 1) {
                throw new IllegalArgumentException(
                        "option is not a power of two: option=" + option + ", value=" + value);
            }
            return value;
        }
    }
}
