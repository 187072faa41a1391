// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

/**
 * A write or a truncation of a file that no sync has saved yet.
 *
 * @param sequence of the event that made it; orders the changes of all files
 * @param write the bytes, null for a truncation
 * @param newLength the length that it gives the file; for a write that grows nothing, -1
 */
record PendingChange(long sequence, Write write, long newLength) {
    boolean isWrite() {
        return write != null;
    }

    boolean changesLength() {
        return newLength >= 0;
    }

    /**
     * Changes the content as if the whole change had arrived. When not all changes before it have,
     * a cut must follow: a write that grew nothing then grows nothing now.
     */
    void applyTo(FileContent content) {
        if (write == null) {
            content.truncate(Math.min(newLength, content.length()));
            return;
        }
        content.writeData(write);
        if (changesLength()) {
            content.growTo(newLength);
        }
    }

    /** As {@link #applyTo} for a sync that saves this change: the length then includes it. */
    void saveTo(FileContent content) {
        applyTo(content);
        if (write != null) {
            content.growTo(write.end());
        }
    }
}
