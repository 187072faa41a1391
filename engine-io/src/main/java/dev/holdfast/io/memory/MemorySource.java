// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.memory;

import java.nio.ByteBuffer;

/** Where the chunks of one pool come from. Used by one thread; owns what it gave out. */
interface MemorySource {

    /** The source's name in messages. */
    String name();

    /** Whether the memory was touched while it was obtained, so that touching it again is idle. */
    boolean isTouched();

    /**
     * Obtains zeroed memory.
     *
     * @throws OutOfMemoryError if there is none of this kind
     */
    ByteBuffer allocate(int bytes, int alignment);

    /**
     * Gives up all that was obtained; nobody touches it any more. Where the platform has no way to
     * free it at once, the collector does when the last chunk is unreachable.
     */
    void close();
}
