// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.List;

/** Looks for a simpler image that fails too: an earlier point, then fewer losses. */
final class CrashSimplifier {
    private final RecoverAndCheck check;
    private final int triesMax;
    private int tries;

    CrashSimplifier(RecoverAndCheck check, int triesMax) {
        this.check = check;
        this.triesMax = triesMax;
    }

    /** The simplest failing image that was found; the given one if none was. */
    CrashImage simplify(CrashImage failing) {
        CrashImage earliest = earlier(failing);
        if (!earliest.where().mode().isPowerLoss() || earliest.losses().isEmpty()) {
            return earliest;
        }
        CrashImage image = earliest;
        List<Object> losses =
                Shrinker.shrink(
                        image.losses(),
                        some -> fails(image.restrictedTo(some)),
                        Math.max(0, triesMax - tries));
        return losses.size() == image.losses().size() ? image : image.restrictedTo(losses);
    }

    private CrashImage earlier(CrashImage failing) {
        CrashImage earliest = failing;
        for (int step = failing.where().point() / 2; step >= 1; step /= 2) {
            boolean isEarlier = true;
            while (isEarlier && earliest.where().point() >= step && tries < triesMax / 2) {
                CrashImage candidate =
                        CrashImage.build(
                                earliest.trace(),
                                earliest.where().point() - step,
                                earliest.where().mode(),
                                earliest.where().seed());
                isEarlier = fails(candidate);
                if (isEarlier) {
                    earliest = candidate;
                }
            }
        }
        return earliest;
    }

    private boolean fails(CrashImage image) {
        tries++;
        try {
            check.recoverAndCheck(image);
            return false;
        } catch (VirtualMachineError e) {
            throw e;
        } catch (Throwable isWhatIsLookedFor) {
            return true;
        }
    }
}
