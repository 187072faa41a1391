// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.sync.PlantedFault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The page of the tests names each fault that can be planted, and what notices it. */
final class FaultListTest {
    private static final String PAGE = "docs/architecture/testing.md";

    @ParameterizedTest
    @EnumSource
    void givenAFault_whenThePageIsRead_thenItIsInTheTable(PlantedFault fault) throws IOException {
        Path directory = Path.of("").toAbsolutePath();
        while (!Files.exists(directory.resolve(PAGE))) {
            directory = directory.getParent();
        }

        String page = Files.readString(directory.resolve(PAGE), UTF_8);

        assertThat(page).contains("`" + fault + "`");
    }
}
