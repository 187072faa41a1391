// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

/**
 * How big the things are that a session does.
 *
 * @param inlineBytesMax about how long a value may be that still lies in its row
 * @param overflowBytesMax the longest value
 * @param runRows the most rows that are written in a row
 * @param tablesMax how many tables of its own a session has at most
 */
record ScriptShape(int inlineBytesMax, int overflowBytesMax, int runRows, int tablesMax) {
    /** For pages of 4 KiB and stores of about a megabyte. */
    static final ScriptShape SMALL = new ScriptShape(1000, 20_000, 40, 1);

    /** For pages of 16 KiB and real files. */
    static final ScriptShape LARGE = new ScriptShape(4000, 300_000, 200, 2);
}
