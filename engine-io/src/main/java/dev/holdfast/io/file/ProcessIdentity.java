// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/** Who this process is, in words for the people who look for the holder of a lock. */
final class ProcessIdentity {
    /*
     * The host's name comes from the kernel or the environment and not from a name service, which
     * may take seconds or be away.
     */

    private static final Path LINUX_HOST_NAME = Path.of("/proc/sys/kernel/hostname");
    private static final String UNKNOWN = "unknown";

    private ProcessIdentity() {}

    /** Process id, host and start time. */
    static String describe() {
        return Known.DESCRIPTION;
    }

    private static String find() {
        ProcessHandle self = ProcessHandle.current();
        return "pid="
                + self.pid()
                + ", host="
                + hostName()
                + ", started="
                + self.info().startInstant().map(Instant::toString).orElse(UNKNOWN);
    }

    private static String hostName() {
        try {
            if (Files.isReadable(LINUX_HOST_NAME)) {
                return Files.readString(LINUX_HOST_NAME, StandardCharsets.US_ASCII).strip();
            }
        } catch (IOException theEnvironmentMayTell) {
            // As below.
        }
        return Stream.of("HOSTNAME", "COMPUTERNAME")
                .map(System::getenv)
                .flatMap(name -> Optional.ofNullable(name).stream())
                .findFirst()
                .orElse(UNKNOWN);
    }

    /** Found once: it does not change, and in-memory stores are opened by the thousand. */
    private static final class Known {
        static final String DESCRIPTION = find();

        private Known() {}
    }
}
