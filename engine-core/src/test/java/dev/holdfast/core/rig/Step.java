// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import dev.holdfast.Durability;

/** What a session does at once: it happened whole or not at all. */
interface Step {
    StepId id();

    /** How it is acknowledged. */
    Durability durability();

    /** Does it to the model. */
    void applyTo(StoreState state);
}
