// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.io.memory.PageMemory;
import java.nio.ByteBuffer;

/** Which pages of a space are dropped from the pool. */
interface PageDiscard {
    /** Asked under the page's exclusive latch. */
    boolean matches(long pageId, ByteBuffer chunk, int offset);

    /** All of them. */
    final class WholeSpace implements PageDiscard {
        @Override
        public boolean matches(long pageId, ByteBuffer chunk, int offset) {
            return true;
        }
    }

    /** Those of one tree. */
    final class OfTree implements PageDiscard {
        private final int treeId;

        OfTree(int treeId) {
            this.treeId = treeId;
        }

        @Override
        public boolean matches(long pageId, ByteBuffer chunk, int offset) {
            return PageMemory.getInt(chunk, offset + PageHeader.TREE_ID_OFFSET) == treeId;
        }
    }

    /** Those from a page number on. */
    final class FromPage implements PageDiscard {
        private final int pageNumber;

        FromPage(int pageNumber) {
            this.pageNumber = pageNumber;
        }

        @Override
        public boolean matches(long pageId, ByteBuffer chunk, int offset) {
            return Integer.compareUnsigned(PageId.pageNumber(pageId), pageNumber) >= 0;
        }
    }
}
