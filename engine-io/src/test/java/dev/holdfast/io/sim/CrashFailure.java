// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** An image did not pass its check. The message holds all that is needed to see it again. */
public final class CrashFailure extends AssertionError {
    /** Where the files of failing images are put; without it below {@code target}. */
    public static final String KEEP_PROPERTY = "holdfast.crashImages";

    private static final long serialVersionUID = 1L;

    private final String crashes;

    CrashFailure(
            String name,
            long seed,
            CrashImage image,
            CrashImage simpler,
            CrashReport report,
            Throwable cause) {
        super(message(name, seed, image, simpler, report, cause), cause);
        this.crashes = CrashPoint.format(simpler.chain());
    }

    /** The simplest failing crash, as {@link CrashHarness#replay} takes it. */
    public String crashes() {
        return crashes;
    }

    private static String message(
            String name,
            long seed,
            CrashImage image,
            CrashImage simpler,
            CrashReport report,
            Throwable cause) {
        return "image did not pass: run="
                + name
                + ", workloadSeed="
                + seed
                + ", trace="
                + Long.toHexString(image.trace().fingerprint())
                + ", imagesBefore="
                + report.images()
                + "\n"
                + cause
                + "\nreplay on the same trace with -D"
                + CrashHarness.REPLAY_PROPERTY
                + "="
                + CrashPoint.format(simpler.chain())
                + "\nfirst seen as "
                + CrashPoint.format(image.chain())
                + "\nfiles="
                + keep(name, image)
                + "\n"
                + simpler.describe()
                + "marks: "
                + simpler.marks().stream()
                        .skip(Math.max(0, simpler.markCount() - 10))
                        .map(String::valueOf)
                        .collect(Collectors.joining(", ", "… ", ""));
    }

    private static String keep(String name, CrashImage image) {
        String given = System.getProperty(KEEP_PROPERTY);
        Path target = Path.of("target");
        if (given == null && !Files.isDirectory(target)) {
            return "not kept, set -D" + KEEP_PROPERTY;
        }
        Path parent = given == null ? target.resolve("crash-images") : Path.of(given);
        String crash = CrashPoint.format(image.chain()).replaceAll("[:/]", "-");
        Path directory = parent.resolve(name.replaceAll("[^A-Za-z0-9-]", "-") + "-" + crash);
        try {
            image.writeTo(directory);
            return directory.toAbsolutePath().toString();
        } catch (IOException e) {
            return "not kept, " + e;
        }
    }
}
