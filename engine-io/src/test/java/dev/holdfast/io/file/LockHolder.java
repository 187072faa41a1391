// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.io.IOException;
import java.nio.file.Path;

/** The program of a child JVM: tries to lock a directory and says how it went by its exit code. */
final class LockHolder {

    static final int LOCKED = 10;
    static final int REFUSED = 11;

    private LockHolder() {}

    /**
     * Locks.
     *
     * @param arguments the directory; and {@code hold} to keep the lock until killed, once the
     *     marker file {@code held} is there
     */
    public static void main(String[] arguments) throws IOException {
        FileSystemDirectory directory =
                FileSystemDirectory.open(Path.of(arguments[0]), FileMode.BUFFERED);
        DirectoryLock lock;
        try {
            lock = directory.lock();
        } catch (DirectoryLockedException e) {
            System.exit(REFUSED);
            throw e;
        }
        if (arguments.length > 1) {
            directory.create("held").close();
            // The parent never writes: this waits until it kills us, or is gone itself.
            int end = System.in.read();
            assert end < 0 : "end=" + end;
        }
        lock.close();
        System.exit(LOCKED);
    }
}
