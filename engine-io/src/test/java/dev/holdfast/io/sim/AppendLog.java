// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * The smallest thing that can be durable: numbers appended to a log, one synced record each. It
 * lets the crash harness show that it passes a right program and finds each planted bug.
 */
final class AppendLog implements AutoCloseable {
    /** One wrong line each. */
    enum Bug {
        ACKNOWLEDGED_BEFORE_SYNC,
        NO_DIRECTORY_SYNC,
        HOLE_SKIPPED,
        NO_CHECKSUM,
        NO_SYNC_AT_OPEN
    }

    private static final String NAME = "log";
    private static final int RECORD_BYTES = 2048;
    private static final int BODY_OFFSET = 16;

    private final SimulatedDisk disk;
    private final Set<Bug> bugs;
    private final StorageFile file;
    private final List<Long> values;

    private AppendLog(SimulatedDisk disk, Set<Bug> bugs, StorageFile file, List<Long> values) {
        this.disk = disk;
        this.bugs = bugs;
        this.file = file;
        this.values = values;
    }

    /** Opens the log of a disk, or creates it. */
    static AppendLog open(SimulatedDisk disk, Set<Bug> bugs) throws IOException {
        EnumSet<Bug> planted = EnumSet.noneOf(Bug.class);
        planted.addAll(bugs);
        StorageDirectory directory = disk.directory();
        if (directory.exists(NAME)) {
            StorageFile file = directory.open(NAME);
            if (!planted.contains(Bug.NO_SYNC_AT_OPEN)) {
                file.sync(true);
                directory.syncDirectory("");
            }
            List<Long> values = scan(file, planted);
            if (!values.isEmpty()) {
                // Whoever reads it from now on may rely on it.
                disk.mark(values.get(values.size() - 1));
            }
            return new AppendLog(disk, planted, file, values);
        }
        StorageFile file = directory.create(NAME);
        if (!planted.contains(Bug.NO_DIRECTORY_SYNC)) {
            directory.syncDirectory("");
        }
        return new AppendLog(disk, planted, file, new ArrayList<>());
    }

    /** Appends two values with one sync, and marks the last as acknowledged. */
    void append(long first, long second) throws IOException {
        write(first);
        write(second);
        if (bugs.contains(Bug.ACKNOWLEDGED_BEFORE_SYNC)) {
            disk.mark(second);
        }
        file.sync(true);
        disk.mark(second);
    }

    List<Long> values() {
        return List.copyOf(values);
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    private void write(long value) throws IOException {
        ByteBuffer record = ByteBuffer.allocateDirect(RECORD_BYTES);
        record.putLong(8, value);
        for (int at = BODY_OFFSET; at < RECORD_BYTES; at += Long.BYTES) {
            record.putLong(at, value * 31 + at);
        }
        record.putLong(0, checksum(record));
        file.write((long) values.size() * RECORD_BYTES, record);
        values.add(value);
    }

    private static List<Long> scan(StorageFile file, Set<Bug> bugs) throws IOException {
        List<Long> values = new ArrayList<>();
        for (long at = 0; at + RECORD_BYTES <= file.length(); at += RECORD_BYTES) {
            ByteBuffer record = ByteBuffer.allocateDirect(RECORD_BYTES);
            file.read(at, record);
            record.flip();
            boolean isSound =
                    bugs.contains(Bug.NO_CHECKSUM)
                            ? record.getLong(8) != 0
                            : record.getLong(0) == checksum(record) && record.getLong(8) != 0;
            if (isSound) {
                values.add(bodyValue(record));
            } else if (!bugs.contains(Bug.HOLE_SKIPPED)) {
                break;
            }
        }
        return values;
    }

    /** The value, or something else if the body does not belong to the head. */
    private static long bodyValue(ByteBuffer record) {
        long value = record.getLong(8);
        for (int at = BODY_OFFSET; at < RECORD_BYTES; at += Long.BYTES) {
            if (record.getLong(at) != value * 31 + at) {
                return -1;
            }
        }
        return value;
    }

    private static long checksum(ByteBuffer record) {
        CRC32C crc = new CRC32C();
        crc.update(record.duplicate().position(8).limit(RECORD_BYTES));
        return crc.getValue() + 1;
    }
}
