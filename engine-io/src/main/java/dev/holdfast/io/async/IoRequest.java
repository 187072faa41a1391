// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.async;

import dev.holdfast.io.file.StorageFile;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * One transfer that is to happen in the background. Its owner uses it again and again; a scheduler
 * has it from its submission until its completion is called, and nobody may touch it or the bytes
 * meanwhile.
 *
 * <p>Two requests under way at once must not overlap in bytes of a file, unless both read.
 */
public final class IoRequest {
    /*
     * Fields are written by the owner before submission and read by IO threads after it; the queue
     * of the lane, through which every request goes, publishes them. In the other direction the
     * completion does, by whatever means its owner waits for it.
     */
    private final IoCompletion completion;

    private StorageFile file;
    private boolean isWrite;
    private long position;
    private ByteBuffer buffer;
    private int length;
    private boolean isSubmitted;

    /** What came of the last time. */
    private Throwable failure;

    /** A request that is not yet about anything. */
    public IoRequest(IoCompletion completion) {
        this.completion = Objects.requireNonNull(completion);
    }

    /**
     * Makes it a read of as many bytes as the target has remaining, as {@link StorageFile#read}.
     */
    public IoRequest read(StorageFile from, long at, ByteBuffer target) {
        return prepare(from, at, target, false);
    }

    /** Makes it a write of the source's remaining bytes, as {@link StorageFile#write}. */
    public IoRequest write(StorageFile to, long at, ByteBuffer source) {
        return prepare(to, at, source, true);
    }

    private IoRequest prepare(StorageFile which, long at, ByteBuffer bytes, boolean writes) {
        if (isSubmitted) {
            throw new IllegalStateException("request is under way: " + this);
        }
        file = Objects.requireNonNull(which);
        position = at;
        buffer = bytes;
        length = bytes.remaining();
        isWrite = writes;
        failure = null;
        return this;
    }

    public StorageFile file() {
        return file;
    }

    public boolean isWrite() {
        return isWrite;
    }

    /** The first byte in the file. */
    public long position() {
        return position;
    }

    /** How many bytes. */
    public int length() {
        return length;
    }

    /** Why the transfer failed; null if it did not, or has not ended. */
    public Throwable failure() {
        return failure;
    }

    /** Behind the last byte in the file. */
    long end() {
        return position + length;
    }

    ByteBuffer buffer() {
        return buffer;
    }

    void submitted() {
        if (isSubmitted || file == null) {
            throw new IllegalStateException("request is under way or about nothing: " + this);
        }
        isSubmitted = true;
    }

    /** It was not accepted after all. */
    void refused() {
        isSubmitted = false;
    }

    /** From here on it is its owner's again. */
    void complete(Throwable why) {
        failure = why;
        isSubmitted = false;
        completion.completed(this, why);
    }

    /** By file, then by position: neighbours in a file are neighbours in this order. */
    int compareWith(StorageFile otherFile, long otherPosition) {
        int byFile = file == otherFile ? 0 : file.name().compareTo(otherFile.name());
        return byFile != 0 ? byFile : Long.compare(position, otherPosition);
    }

    @Override
    public String toString() {
        return "file="
                + (file == null ? "none" : file.name())
                + ", isWrite="
                + isWrite
                + ", position="
                + position
                + ", bytes="
                + length;
    }
}
