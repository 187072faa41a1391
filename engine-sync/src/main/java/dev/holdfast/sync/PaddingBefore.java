// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

/** A cache line's worth of fields that lie before those of the subclass. */
abstract class PaddingBefore {
    long before0;
    long before1;
    long before2;
    long before3;
    long before4;
    long before5;
    long before6;
}
