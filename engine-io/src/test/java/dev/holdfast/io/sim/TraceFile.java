// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * A trace in a file, so that a crash of a run that no seed brings back can be looked at again.
 * Marks are written as text by whoever made them. For traces of disks that began empty.
 */
public final class TraceFile {
    private static final int WRITTEN = 1;
    private static final int TRUNCATED = 2;
    private static final int SYNC_BEGUN = 3;
    private static final int SYNC_ENDED = 4;
    private static final int NAMED = 5;
    private static final int DIRECTORY_SYNC_BEGUN = 6;
    private static final int DIRECTORY_SYNC_ENDED = 7;
    private static final int DAMAGED = 8;
    private static final int MARKED = 9;

    private TraceFile() {}

    /** Writes a trace to a new file; its directory is made if need be. */
    public static void write(Trace trace, Path file, Function<Object, String> textOfMark)
            throws IOException {
        if (trace.origin() != null) {
            throw new IllegalArgumentException("the disk did not begin empty: " + trace.origin());
        }
        Files.createDirectories(file.toAbsolutePath().getParent());
        try (DataOutputStream out =
                new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            out.writeUTF(trace.options().nameRules().name());
            out.writeInt(trace.options().sectorBytes());
            out.writeUTF(trace.options().mode().name());
            out.writeInt(trace.eventCount());
            for (int i = 0; i < trace.eventCount(); i++) {
                write(out, trace.event(i), textOfMark);
            }
        }
    }

    private static void write(
            DataOutputStream out, Event event, Function<Object, String> textOfMark)
            throws IOException {
        if (event instanceof Event.Written e) {
            out.writeByte(WRITTEN);
            write(out, e.inode(), e.name(), e.write());
        } else if (event instanceof Event.Damaged e) {
            out.writeByte(DAMAGED);
            write(out, e.inode(), e.name(), e.write());
        } else if (event instanceof Event.Truncated e) {
            out.writeByte(TRUNCATED);
            out.writeInt(e.inode());
            out.writeUTF(e.name());
            out.writeLong(e.newLength());
        } else if (event instanceof Event.SyncBegun e) {
            out.writeByte(SYNC_BEGUN);
            out.writeUTF(e.name());
        } else if (event instanceof Event.SyncEnded e) {
            out.writeByte(SYNC_ENDED);
            out.writeInt(e.inode());
            out.writeUTF(e.name());
            out.writeLong(e.beganAt());
            out.writeUTF(e.outcome().name());
            out.writeLong(e.seed());
        } else if (event instanceof Event.Named e) {
            out.writeByte(NAMED);
            out.writeUTF(e.kind().name());
            writeNullable(out, e.from());
            writeNullable(out, e.to());
            out.writeInt(e.inode());
        } else if (event instanceof Event.DirectorySyncBegun e) {
            out.writeByte(DIRECTORY_SYNC_BEGUN);
            out.writeUTF(e.directory());
        } else if (event instanceof Event.DirectorySyncEnded e) {
            out.writeByte(DIRECTORY_SYNC_ENDED);
            out.writeUTF(e.directory());
            out.writeLong(e.beganAt());
            out.writeUTF(e.outcome().name());
        } else if (event instanceof Event.Marked e) {
            out.writeByte(MARKED);
            out.writeUTF(textOfMark.apply(e.mark()));
        } else {
            throw new IllegalStateException("event of an unknown kind: " + event);
        }
    }

    private static void write(DataOutputStream out, int inode, String name, Write write)
            throws IOException {
        out.writeInt(inode);
        out.writeUTF(name);
        out.writeLong(write.position());
        out.writeInt(write.length());
        for (int i = 0; i < write.pieceCount(); i++) {
            out.write(write.piece(i).bytes);
        }
    }

    private static void writeNullable(DataOutputStream out, String text) throws IOException {
        out.writeBoolean(text != null);
        out.writeUTF(text == null ? "" : text);
    }

    /** Reads a trace, whose marks are made from their texts, in their order. */
    public static Trace read(Path file, Function<String, Object> markOfText) throws IOException {
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            DiskOptions options =
                    DiskOptions.DEFAULT
                            .withNameRules(NameRules.valueOf(in.readUTF()))
                            .withSectorBytes(in.readInt());
            options =
                    options.withMode(
                            Enum.valueOf(options.mode().getDeclaringClass(), in.readUTF()));
            int count = in.readInt();
            List<Event> events = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                events.add(readEvent(in, markOfText));
            }
            return new Trace(new DiskState(options.nameRules()), events, null, options);
        }
    }

    private static Event readEvent(DataInputStream in, Function<String, Object> markOfText)
            throws IOException {
        int kind = in.readByte();
        return switch (kind) {
            case WRITTEN -> new Event.Written(in.readInt(), in.readUTF(), readWrite(in));
            case DAMAGED -> new Event.Damaged(in.readInt(), in.readUTF(), readWrite(in));
            case TRUNCATED -> new Event.Truncated(in.readInt(), in.readUTF(), in.readLong());
            case SYNC_BEGUN -> new Event.SyncBegun(in.readUTF());
            case SYNC_ENDED ->
                    new Event.SyncEnded(
                            in.readInt(),
                            in.readUTF(),
                            in.readLong(),
                            SyncOutcome.valueOf(in.readUTF()),
                            in.readLong());
            case NAMED ->
                    new Event.Named(
                            NameChange.Kind.valueOf(in.readUTF()),
                            readNullable(in),
                            readNullable(in),
                            in.readInt());
            case DIRECTORY_SYNC_BEGUN -> new Event.DirectorySyncBegun(in.readUTF());
            case DIRECTORY_SYNC_ENDED ->
                    new Event.DirectorySyncEnded(
                            in.readUTF(), in.readLong(), SyncOutcome.valueOf(in.readUTF()));
            case MARKED -> new Event.Marked(markOfText.apply(in.readUTF()));
            default -> throw new IOException("event of an unknown kind: kind=" + kind);
        };
    }

    private static Write readWrite(DataInputStream in) throws IOException {
        long position = in.readLong();
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        return Write.of(position, ByteBuffer.wrap(bytes), bytes.length);
    }

    private static String readNullable(DataInputStream in) throws IOException {
        boolean isThere = in.readBoolean();
        String text = in.readUTF();
        return isThere ? text : null;
    }
}
