// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

/**
 * How many dirty pages the cleaner should write in a round so that the log's age stays flat.
 *
 * @param pages to be written, oldest first
 * @param urgency why so many
 */
public record FlushAdvice(int pages, Urgency urgency) {
    /*
     * A pure function, so that its shape is tested and not only its effects.
     *
     * Feed-forward is the lineage's keep-average: with D dirty pages behind an age limit of L bytes,
     * redo that grows by R bytes a second needs D * R / L pages a second to stand still at the
     * limit. A proportional part is added to it, 0 at the low-water mark and all that the device may
     * give at the high one, progressive in between: so the age settles where both balance, far from
     * the limit, and there is no step at which the writing sets in.
     */
    private static final double LOW_WATER = 0.10;
    private static final double HIGH_WATER = 0.75;
    private static final double NANOS_PER_SECOND = 1e9;

    /** How near the log is to being full. */
    public enum Urgency {
        /** Below the low-water mark: nothing need be written for the log's sake. */
        CALM,
        STEADY,
        /** At the high-water mark: as fast as the device may go, and a checkpoint at once. */
        URGENT
    }

    /**
     * What the advice goes by.
     *
     * @param ageBytes from the checkpoint to the end of the log
     * @param redoBytesPerSecond the log's growth, averaged
     * @param elapsedNanos what the round stands for
     */
    public record Situation(
            long ageBytes, int dirtyPages, double redoBytesPerSecond, long elapsedNanos) {}

    /** The advice for a situation; grows with age, dirty pages, redo and time. */
    public static FlushAdvice of(Situation now, CleanerOptions options) {
        double low = LOW_WATER * options.ageLimitBytes();
        double high = HIGH_WATER * options.ageLimitBytes();
        if (now.ageBytes() <= low) {
            return new FlushAdvice(0, Urgency.CALM);
        }
        double pressure = Math.min(1, (now.ageBytes() - low) / (high - low));
        double keepAverage = now.dirtyPages() * now.redoBytesPerSecond() / options.ageLimitBytes();
        double wanted = keepAverage + options.ioCapacityMax() * pressure * Math.sqrt(pressure);
        double bound =
                options.ioCapacity() + pressure * (options.ioCapacityMax() - options.ioCapacity());
        double pages = Math.min(wanted, bound) * now.elapsedNanos() / NANOS_PER_SECOND;
        int rounded = (int) Math.min(now.dirtyPages(), Math.ceil(pages));
        return new FlushAdvice(rounded, pressure < 1 ? Urgency.STEADY : Urgency.URGENT);
    }
}
