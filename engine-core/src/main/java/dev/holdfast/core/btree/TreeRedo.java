// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

import dev.holdfast.core.mtr.PageRedo;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.nio.ByteBuffer;

/**
 * Applies the redo records of tree pages. Each thread of recovery has its own, for a change needs
 * memory to work in.
 */
public final class TreeRedo implements PageRedo {
    private final NodeScratch scratch;

    public TreeRedo(int pageBytes) {
        scratch = new NodeScratch(pageBytes);
    }

    @Override
    public void apply(
            int type,
            long pageId,
            ByteBuffer chunk,
            int offset,
            int pageBytes,
            byte[] body,
            int bodyOffset,
            int bodyLength,
            long endLsn) {
        if (TestHooks.fault(PlantedFault.REDO_OFF_BY_ONE)
                && type == NodeChange.LEAF_REMOVE
                && body[bodyOffset] > 0) {
            body[bodyOffset]--;
        }
        if (!NodeChange.isKnown(type)) {
            throw TreeCorruption.of(pageId, "a change of tree pages", "redo type=" + type);
        }
        try {
            NodeChange.apply(type, chunk, offset, pageBytes, body, bodyOffset, bodyLength, scratch);
        } catch (IndexOutOfBoundsException e) {
            throw TreeCorruption.unreadable(pageId, e);
        }
    }
}
