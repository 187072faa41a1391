// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.memory;

import java.nio.ByteBuffer;

/** Direct buffers: simple, but counted against a limit that is the heap's size by default. */
final class DirectSource implements MemorySource {

    /**
     * The share of the heap's limit that one pool may take this way. The rest is left to the host,
     * whose own direct buffers come out of the same sum.
     */
    private static final int SHARE_OF_HEAP = 4;

    static boolean fits(long bytes) {
        return bytes <= Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP;
    }

    @Override
    public String name() {
        return "direct";
    }

    @Override
    public boolean isTouched() {
        return true;
    }

    @Override
    public ByteBuffer allocate(int bytes, int alignment) {
        int withRoom = Math.addExact(bytes, alignment);
        return ByteBuffer.allocateDirect(withRoom).alignedSlice(alignment).slice(0, bytes);
    }

    @Override
    public void close() {
        // Nothing to do: the collector frees a direct buffer, there is no supported way to force
        // it.
    }
}
