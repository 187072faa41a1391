// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/** The store is open elsewhere: in this JVM or in another process of this or another host. */
public final class AlreadyOpenException extends ResourceException {
    private static final long serialVersionUID = 1L;

    private final String holder;

    /** Creates it with the store's directory and with what is known of its holder. */
    public AlreadyOpenException(String directory, String holder, Throwable cause) {
        super("store is already open: directory=" + directory + ", holder=" + holder, cause);
        this.holder = holder;
    }

    /** Returns what the holder wrote about itself: process, host, time. */
    public String holder() {
        return holder;
    }
}
