// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** If this failed, a build would be another one, or its JVM outlive the comparison. */
@Timeout(60)
class BuildSideIT {
    @TempDir private Path directory;
    private Path jar;

    private final LiveSide.Directories stores =
            new LiveSide.Directories() {
                @Override
                public Path make() throws IOException {
                    return Files.createDirectory(directory.resolve("store"));
                }

                @Override
                public void remove(Path made) throws IOException {
                    Files.delete(made);
                }
            };

    @BeforeEach
    void makeBuild() throws IOException {
        jar = Files.createFile(directory.resolve("bench.jar"));
        Files.createDirectory(directory.resolve("lib"));
    }

    @Test
    void givenABuild_whenItLives_thenItsTurnsAreTakenInAJvmThatEnds() throws Exception {
        BuildSide side = side(BuildSideChild.class, jar, "7");

        side.begin();
        LiveSide.Turn turn = side.turn();
        side.settle();
        LiveSide.Turn next = side.turn();
        side.end();

        assertThat(turn).isEqualTo(new LiveSide.Turn(7, 0));
        assertThat(next).isEqualTo(new LiveSide.Turn(8, 0));
        assertThat(directory.resolve("store")).doesNotExist();
    }

    @Test
    void givenABuildThatCannotBegin_whenItIsToLive_thenThatIsSaidAndItCanBeEnded()
            throws Exception {
        BuildSide side = side(Object.class, jar, "7");

        assertThatThrownBy(side::begin).hasMessageContaining("ended by itself");

        side.end();
        assertThat(directory.resolve("store")).doesNotExist();
    }

    @Test
    void givenNoJarOrNoLib_whenABuildIsNamed_thenItIsRefused() throws Exception {
        Path absent = directory.resolve("absent.jar");
        Files.delete(directory.resolve("lib"));

        assertThatThrownBy(() -> side(BuildSideChild.class, absent, "7"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("absent.jar");
        assertThatThrownBy(() -> side(BuildSideChild.class, jar, "7"))
                .hasMessageContaining("bench.jar");
    }

    private BuildSide side(Class<?> main, Path build, String argument) {
        Path classes = Path.of(System.getProperty("java.class.path"));
        return new BuildSide(build, classes, main.getName(), List.of(argument), stores);
    }
}
