// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

/**
 * How fast the cleaner should write dirty pages so that the log's age stays flat.
 *
 * @param pagesPerSecond to be written, oldest first; if URGENT as many as the device takes
 * @param urgency why so many
 */
public record FlushAdvice(double pagesPerSecond, Urgency urgency) {
    /*
     * A pure function, so that its shape is tested and not only its effects.
     *
     * With D dirty pages spread over an age of A bytes, redo that grows by R bytes a second needs
     * D * R / A pages a second to keep that age (the lineage's keep-average has the limit for A).
     * So at the age that we aim at we advise exactly what that age needs, less below it and more
     * above, by the square of the way from the low-water mark: the age settles there, whatever the
     * load is, and the writing does not set in with a step.
     *
     * The advice is bounded by the capacity that background work may use, and by its maximum on the
     * way from the aim to the high-water mark. Above that mark the bound goes: writers that stand
     * still because the log is full cost more than a busy device. The room above the mark is what
     * the log gets while the device has a slow moment.
     *
     * When hardly any redo comes, a part of the capacity goes into cleaning what is left, so that
     * an idle engine needs no recovery; then there is nothing to write, and it sleeps.
     */
    private static final double LOW_WATER = 0.30;
    private static final double AIM = 0.68;
    private static final double HIGH_WATER = 0.80;
    private static final double IDLE_PART = 0.1;

    /** Less redo than this comes from the engine's own marks, not from users. */
    private static final double IDLE_BYTES_PER_SECOND = 16 << 10;

    /** How near the log is to being full. */
    public enum Urgency {
        /** Below the low-water mark: nothing need be written for the log's sake. */
        CALM,
        STEADY,
        /** Above the high-water mark: as fast as the device goes, and a checkpoint at once. */
        URGENT
    }

    /**
     * What the advice goes by.
     *
     * @param ageBytes from the checkpoint to the end of the log
     * @param redoBytesPerSecond the log's growth, averaged
     */
    public record Situation(long ageBytes, int dirtyPages, double redoBytesPerSecond) {}

    /** Whether the log is so old that nothing else counts. */
    static boolean isUrgent(long ageBytes, CleanerOptions options) {
        return ageBytes >= HIGH_WATER * options.ageLimitBytes();
    }

    /** The advice for a situation; grows with age and dirty pages, and with redo unless idle. */
    public static FlushAdvice of(Situation now, CleanerOptions options) {
        double age = (double) now.ageBytes() / options.ageLimitBytes();
        double idle =
                now.redoBytesPerSecond() < IDLE_BYTES_PER_SECOND
                        ? IDLE_PART * options.ioCapacity()
                        : 0;
        if (age <= LOW_WATER) {
            return new FlushAdvice(idle, Urgency.CALM);
        }
        if (isUrgent(now.ageBytes(), options)) {
            return new FlushAdvice(options.ioCapacityMax(), Urgency.URGENT);
        }
        double way = (age - LOW_WATER) / (AIM - LOW_WATER);
        double neededAtAim =
                now.dirtyPages() * now.redoBytesPerSecond() / (AIM * options.ageLimitBytes());
        double beyondAim = Math.max(0, (age - AIM) / (HIGH_WATER - AIM));
        double bound =
                options.ioCapacity() + beyondAim * (options.ioCapacityMax() - options.ioCapacity());
        double wanted = Math.min(bound, neededAtAim * way * way);
        return new FlushAdvice(Math.max(idle, wanted), Urgency.STEADY);
    }
}
