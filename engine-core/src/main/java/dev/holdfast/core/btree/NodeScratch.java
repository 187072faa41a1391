// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.btree;

/**
 * Memory that changes of tree pages work in, so that a change allocates nothing once it has begun.
 * Belongs to one thread at a time.
 */
final class NodeScratch {
    /** Slack for the fixed parts of a body beside a page's worth of records. */
    private static final int SLACK = 64;

    /** The redo body of the change that is being made. */
    final ChangeBody body;

    /** A page's content in the form of NODE_BUILD, between taking a page apart and filling it. */
    final ChangeBody rebuild;

    /** One record on its way to another place of its page. */
    final byte[] record;

    NodeScratch(int pageBytes) {
        body = new ChangeBody(pageBytes + SLACK);
        rebuild = new ChangeBody(pageBytes + SLACK);
        record = new byte[pageBytes];
    }
}
