// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.checksum;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/** Samples of what this JVM's threads execute in Java, taken by its flight recorder. */
final class CpuSamples implements AutoCloseable {
    /*
     * Threads in system calls are not among the samples, so a share of them is of the processor time
     * in Java. The library's CRC32C runs in a stub of the compiler's, where the recorder may lose
     * the stack; then its share is too small, never too large.
     */
    private static final String EVENT = "jdk.ExecutionSample";
    private static final Duration PERIOD = Duration.ofMillis(10);
    private static final String SEALS = "dev.holdfast.core.page.";
    private static final String SUMS = "dev.holdfast.io.checksum.";
    private static final String LIBRARY_SUM = "java.util.zip.CRC32C";

    private final Recording recording = new Recording();

    /** Begins. */
    CpuSamples() {
        recording.enable(EVENT).withPeriod(PERIOD);
        recording.start();
    }

    /** Ends the sampling and counts. */
    Counts end() throws IOException {
        recording.stop();
        Path file = Files.createTempFile("holdfast-", ".jfr");
        try {
            recording.dump(file);
            long all = 0;
            long sums = 0;
            try (RecordingFile events = new RecordingFile(file)) {
                while (events.hasMoreEvents()) {
                    RecordedEvent event = events.readEvent();
                    if (event.getEventType().getName().equals(EVENT)) {
                        all++;
                        sums += isPageSum(event) ? 1 : 0;
                    }
                }
            }
            return new Counts(all, sums);
        } finally {
            Files.delete(file);
        }
    }

    /** Whether a page is being summed; the log's blocks have sums of their own, not of a kind. */
    private static boolean isPageSum(RecordedEvent event) {
        if (event.getStackTrace() == null) {
            return false;
        }
        boolean sums = false;
        for (RecordedFrame frame : event.getStackTrace().getFrames()) {
            String type = frame.getMethod().getType().getName();
            sums |= type.startsWith(SUMS) || type.equals(LIBRARY_SUM);
            if (sums && type.startsWith(SEALS)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        recording.close();
    }

    /**
     * How many samples there were.
     *
     * @param all of them
     * @param pageSums in the checksum of a page
     */
    record Counts(long all, long pageSums) {
        double share() {
            return all == 0 ? 0 : (double) pageSums / all;
        }
    }
}
