// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.architecture;

import static dev.holdfast.architecture.ProductionClasses.owner;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * If one of these slipped in, a host application would see warnings or need flags, an interrupt
 * would close a file for all, or a run could not be replayed from its seed.
 */
class ForbiddenApiTest {
    /** The classes that may start threads. */
    private static final Set<String> THREAD_OWNERS =
            Set.of(
                    "dev.holdfast.core.watch.BackgroundAgent",
                    "dev.holdfast.io.async.IoLane",
                    "dev.holdfast.io.file.BlockingExecutor");

    /** The classes that may ask what day it is. Elapsed time is everybody's. */
    private static final Set<String> WALL_CLOCK_OWNERS = Set.of();

    /** The classes that may draw what no seed replays. */
    private static final Set<String> RANDOM_OWNERS = Set.of("dev.holdfast.core.db.OpenedStore");

    @Test
    void givenChannels_whenUsed_thenItIsByTheFilesOfIoAlone() {
        List<String> found =
                dependencies(
                        target -> target.getPackageName().startsWith("java.nio.channels"),
                        origin -> !origin.getPackageName().startsWith("dev.holdfast.io."));

        assertThat(found).isEmpty();
    }

    @Test
    void givenFileChannel_whenUsed_thenItIsToMapPoolMemoryAlone() {
        List<String> found =
                dependencies(
                        target -> target.getName().startsWith("java.nio.channels.FileChannel"),
                        origin -> !origin.getPackageName().equals("dev.holdfast.io.memory"));

        assertThat(found).isEmpty();
    }

    @Test
    void givenLibraries_whenUsed_thenTheirPartsThatNeedUnsafeAreNot() {
        List<String> found = dependencies(ForbiddenApiTest::needsUnsafe, origin -> true);

        assertThat(found).isEmpty();
    }

    @Test
    void givenThreads_whenMade_thenItIsByTheirOwners() {
        List<String> found =
                accesses(
                                access ->
                                        access.getTargetOwner().isAssignableTo(Thread.class)
                                                && access.getName().equals("<init>"))
                        .filter(access -> !isOwnedBy(access, THREAD_OWNERS))
                        .map(JavaAccess::getDescription)
                        .toList();

        assertThat(found).isEmpty();
    }

    @Test
    void givenExecutorsOfTheJdk_whenUsed_thenTheyAreNot() {
        List<String> found =
                dependencies(
                        target ->
                                target.isEquivalentTo(java.util.concurrent.Executors.class)
                                        || target.isEquivalentTo(java.util.Timer.class)
                                        || target.isEquivalentTo(
                                                java.util.concurrent.ForkJoinPool.class),
                        origin -> true);

        assertThat(found).isEmpty();
    }

    @Test
    void givenWallClocks_whenRead_thenItIsByTheirOwners() {
        List<String> found =
                accesses(
                                access ->
                                        access.getName().equals("currentTimeMillis")
                                                || isNow(access)
                                                || access.getTargetOwner()
                                                        .isEquivalentTo(java.time.Clock.class))
                        .filter(access -> !isOwnedBy(access, WALL_CLOCK_OWNERS))
                        .map(JavaAccess::getDescription)
                        .toList();

        assertThat(found).isEmpty();
    }

    @Test
    void givenRandomSources_whenUsed_thenItIsByTheirOwners() {
        List<String> found =
                accesses(
                                access ->
                                        access.getTargetOwner()
                                                        .isAssignableTo(java.util.Random.class)
                                                || access.getName().equals("randomUUID")
                                                || access.getName().equals("random"))
                        .filter(access -> !isOwnedBy(access, RANDOM_OWNERS))
                        .map(JavaAccess::getDescription)
                        .toList();

        assertThat(found).isEmpty();
    }

    @Test
    void givenTheHostsStreams_whenLookedFor_thenNobodyPrints() {
        List<String> found =
                accesses(
                                access ->
                                        access.getTargetOwner().isEquivalentTo(System.class)
                                                && Set.of("out", "err").contains(access.getName()))
                        .map(JavaAccess::getDescription)
                        .toList();

        assertThat(found).isEmpty();
    }

    @Test
    void givenTheOwners_whenLookedFor_thenEachIsThere() {
        Stream<String> owners =
                Stream.of(THREAD_OWNERS, WALL_CLOCK_OWNERS, RANDOM_OWNERS).flatMap(Set::stream);

        assertThat(owners).allMatch(ProductionClasses.ALL::contain);
    }

    private static boolean needsUnsafe(JavaClass target) {
        String name = target.getName();
        return name.startsWith("sun.")
                || name.startsWith("jdk.internal.")
                || (name.startsWith("org.agrona.") && name.endsWith("Buffer"))
                || name.equals("org.agrona.IoUtil")
                || target.getPackageName().startsWith("org.agrona.concurrent.ringbuffer")
                || target.getPackageName().equals("org.jctools.queues")
                || target.getPackageName().startsWith("org.jctools.util");
    }

    private static boolean isNow(JavaAccess<?> access) {
        return access.getName().equals("now")
                && access.getTargetOwner().getPackageName().equals("java.time");
    }

    private static boolean isOwnedBy(JavaAccess<?> access, Set<String> owners) {
        return owners.contains(owner(access.getOriginOwner()));
    }

    private static Stream<JavaAccess<?>> accesses(Predicate<JavaAccess<?>> isMeant) {
        return ProductionClasses.ALL.stream()
                .<JavaAccess<?>>flatMap(javaClass -> javaClass.getAccessesFromSelf().stream())
                .filter(isMeant);
    }

    private static List<String> dependencies(
            Predicate<JavaClass> isTarget, Predicate<JavaClass> isOrigin) {
        return ProductionClasses.ALL.stream()
                .filter(isOrigin)
                .flatMap(javaClass -> javaClass.getDirectDependenciesFromSelf().stream())
                .filter(dependency -> isTarget.test(baseOfTarget(dependency)))
                .map(Dependency::getDescription)
                .toList();
    }

    private static JavaClass baseOfTarget(Dependency dependency) {
        return dependency.getTargetClass().getBaseComponentType();
    }
}
