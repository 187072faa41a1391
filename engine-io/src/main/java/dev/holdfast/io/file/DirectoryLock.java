// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.io.IOException;

/** A held lock on a store's directory. */
public interface DirectoryLock extends AutoCloseable {

    /** Who holds it, as others are told: process id, host and start time. */
    String holder();

    /** Releases the lock; a second call does nothing. */
    @Override
    void close() throws IOException;
}
