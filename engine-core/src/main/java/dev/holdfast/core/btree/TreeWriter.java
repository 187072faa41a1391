// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.redo.RedoWriter;

/** Logs a change of a tree page and applies it. */
final class TreeWriter {
    private TreeWriter() {}

    /**
     * Logs the body in the scratch and applies it.
     *
     * <p><b>Latches:</b> the frame is held exclusively by the mini-transaction. Nothing is thrown
     * that does not mean a broken page.
     */
    static void change(MiniTransaction m, int frame, int type, NodeScratch scratch) {
        ChangeBody body = scratch.body;
        RedoWriter redo = m.record(type, frame);
        redo.putBytes(body.bytes, 0, body.length());
        m.endRecord();
        NodeChange.apply(
                type,
                m.chunk(frame),
                m.offset(frame),
                m.pageBytes(),
                body.bytes,
                0,
                body.length(),
                scratch);
    }

    /** A bound on the redo of a page that is built or rebuilt. */
    static int buildBytesMax(int pageBytes) {
        return 3 * RedoWriter.RECORD_OVERHEAD_MAX + pageBytes;
    }
}
