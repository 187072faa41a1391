// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import java.util.Map;

/** Is told what may have happened and what has. */
interface StepListener {
    /**
     * The step is about to happen.
     *
     * @param hotVersions which version it gives to each hot key that it writes
     */
    void committing(Step step, Map<Integer, Integer> hotVersions);

    /** The step's call has returned. */
    void acknowledged(Step step);
}
