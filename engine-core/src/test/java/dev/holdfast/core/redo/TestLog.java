// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.watch.Counters;
import dev.holdfast.core.watch.EngineHealth;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.sim.SeededRandom;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A log with its checkpoint file, opened as an engine opens it, whose groups tell who wrote them.
 *
 * <p>A group is one record of writer, number and epoch, followed by bytes that derive from these.
 * So a scan that joins bytes that do not belong together is noticed whatever it joins.
 */
final class TestLog implements AutoCloseable {
    static final UUID STORE = new UUID(0x1122334455667788L, 0x99AABBCCDDEEFF00L);
    static final int RECORD_TYPE = 200;
    static final int HEAD_BYTES = Integer.BYTES + Long.BYTES + Integer.BYTES;

    final RedoLog log;
    final CheckpointFile checkpoints;
    final EngineHealth health;
    final Counters counters;

    /** What the scan of the open delivered, in order; empty for a new log. */
    final List<Group> recovered;

    /** What the scan of the open said; null for a new log. */
    final RedoScanner.Result scanned;

    private TestLog(
            RedoLog log,
            CheckpointFile checkpoints,
            EngineHealth health,
            Counters counters,
            List<Group> recovered,
            RedoScanner.Result scanned) {
        this.log = log;
        this.checkpoints = checkpoints;
        this.health = health;
        this.counters = counters;
        this.recovered = recovered;
        this.scanned = scanned;
    }

    /** A group as it was found. */
    record Group(int writer, long number, int epoch, long startLsn, long endLsn) {}

    static RedoOptions options(int blocks, int ringBytes, int groupBytesMax) {
        RedoLayout layout = RedoLayout.ofCapacity((long) blocks * Lsn.BLOCK_BYTES);
        return new RedoOptions(layout, ringBytes, groupBytesMax);
    }

    static TestLog create(StorageDirectory directory, RedoOptions options) throws IOException {
        RedoLog.create(directory, STORE, options.layout());
        CheckpointFile checkpoints =
                CheckpointFile.create(
                        directory,
                        STORE,
                        CheckpointRecord.first(0, 16, 16, 4096, options.layout()));
        directory.syncDirectory("");
        EngineHealth health = new EngineHealth();
        Counters counters = new Counters();
        LogPosition start = LogPosition.first(STORE);
        RedoLog log = RedoLog.open(directory, options, health, counters, start);
        return new TestLog(log, checkpoints, health, counters, List.of(), null);
    }

    /** Opens it by the order of P11a and P3. */
    static TestLog recover(StorageDirectory directory, RedoOptions options) throws IOException {
        CheckpointFile checkpoints = CheckpointFile.open(directory, STORE);
        boolean opened = false;
        try {
            List<Group> recovered = new ArrayList<>();
            RedoScanner.Result result = scan(directory, checkpoints.newest(), recovered);
            LogPosition start =
                    new LogPosition(
                            STORE,
                            result.recoveredEndLsn(),
                            checkpoints.nextEpoch(result.epoch()),
                            checkpoints.newest().checkpointLsn());
            checkpoints.update(record -> record.withEpoch(start));
            EngineHealth health = new EngineHealth();
            Counters counters = new Counters();
            RedoLog log = RedoLog.open(directory, options, health, counters, start);
            opened = true;
            return new TestLog(log, checkpoints, health, counters, recovered, result);
        } finally {
            if (!opened) {
                checkpoints.close();
            }
        }
    }

    private static RedoScanner.Result scan(
            StorageDirectory directory, CheckpointRecord checkpoint, List<Group> recovered)
            throws IOException {
        try (RedoScanner scanner = new RedoScanner(directory, STORE, checkpoint)) {
            RedoReader reader = new RedoReader();
            RedoScanner.Result result =
                    scanner.scan(
                            (start, end, bytes, offset, length) -> {
                                reader.reset(start, bytes, offset, length);
                                recovered.add(parsed(reader, start, end));
                            });
            scanner.syncScanned();
            return result;
        }
    }

    private static Group parsed(RedoReader reader, long startLsn, long endLsn) {
        assertThat(reader.next()).isTrue();
        assertThat(reader.type()).isEqualTo(RECORD_TYPE);
        ByteBuffer body =
                ByteBuffer.wrap(reader.bytes(), reader.bodyOffset(), reader.bodyLength())
                        .slice()
                        .order(ByteOrder.LITTLE_ENDIAN);
        int writer = body.getInt();
        long number = body.getLong();
        int epoch = body.getInt();
        byte[] rest = new byte[body.remaining()];
        body.get(rest);
        assertThat(rest).isEqualTo(filling(writer, number, epoch, rest.length));
        assertThat(reader.next()).isFalse();
        return new Group(writer, number, epoch, startLsn, endLsn);
    }

    private static byte[] filling(int writer, long number, int epoch, int length) {
        return new SeededRandom(number * 1_000_003 + writer * 1009L + epoch).bytes(length);
    }

    /** Room, reservation, copy, publication; returns the end LSN. */
    long append(int writer, long number, int fillingBytes) {
        RedoWriter group = group(writer, number, fillingBytes);
        log.space().acquire(group.length(), System.nanoTime() + 60_000_000_000L);
        long position = log.reserve(group.length());
        log.copyAndPublish(position, group);
        log.space().release(group.length());
        return RedoLog.endLsn(position, group.length());
    }

    RedoWriter group(int writer, long number, int fillingBytes) {
        int bodyBytes = HEAD_BYTES + fillingBytes;
        RedoWriter group =
                new RedoWriter(GroupHeader.BYTES + RedoWriter.RECORD_OVERHEAD_MAX + bodyBytes);
        group.begin(RECORD_TYPE);
        group.putInt(writer);
        group.putLong(number);
        group.putInt(log.epoch());
        group.putBytes(filling(writer, number, log.epoch(), fillingBytes), 0, fillingBytes);
        group.end();
        return group;
    }

    /** A checkpoint at the closed end; the number is found again in the record. */
    void checkpoint(long nextNumber) throws IOException {
        long lsn = log.closedLsn();
        log.makeDurable(lsn);
        checkpoints.update(
                record ->
                        record.withHighWater(nextNumber, 16, 16)
                                .withCheckpoint(lsn, log.proofLsn(), false));
        log.space().checkpointAdvanced(lsn);
    }

    @Override
    public void close() throws IOException {
        log.close();
        checkpoints.close();
    }
}
