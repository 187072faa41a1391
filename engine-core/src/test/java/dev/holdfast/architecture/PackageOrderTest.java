// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.Test;

/** If a dependency pointed upwards, no part could be understood or tested without the whole. */
class PackageOrderTest {
    private static final String ROOT = "dev.holdfast";

    /** The package that opens engines: the API's one way down. */
    private static final String ASSEMBLY = ROOT + ".core.db";

    /** The one class of the API that takes it. */
    private static final String ENTRY = ROOT + ".Engine";

    /** Lowest first. A package may use those before it. */
    private static final List<String> ORDER =
            List.of(
                    ROOT + ".sync",
                    ROOT + ".io.stats",
                    ROOT + ".io.memory",
                    ROOT + ".io.checksum",
                    ROOT + ".io.file",
                    ROOT + ".io.async",
                    ROOT,
                    ROOT + ".core.watch",
                    ROOT + ".core.page",
                    ROOT + ".core.dblwr",
                    ROOT + ".core.redo",
                    ROOT + ".core.buffer",
                    ROOT + ".core.mtr",
                    ROOT + ".core.space",
                    ROOT + ".core.btree",
                    ROOT + ".core.catalog",
                    ROOT + ".core.undo",
                    ROOT + ".core.txn",
                    ROOT + ".core.recovery",
                    ROOT + ".core.check",
                    ROOT + ".core.db");

    @Test
    void givenAllClasses_whenTheirPackagesAreAsked_thenEachHasItsPlaceInTheOrder() {
        List<String> strangers =
                ProductionClasses.ALL.stream()
                        .map(JavaClass::getPackageName)
                        .filter(name -> !ORDER.contains(name))
                        .distinct()
                        .toList();

        assertThat(strangers).isEmpty();
    }

    @Test
    void givenAllClasses_whenTheirDependenciesAreAsked_thenNonePointsUpwards() {
        List<String> upward = upwardDependencies(ProductionClasses.ALL);

        assertThat(upward).isEmpty();
    }

    @Test
    void givenTheApi_whenItsDependenciesAreAsked_thenTheEntryAloneReachesDown() {
        List<String> reaching =
                ProductionClasses.ALL.stream()
                        .filter(javaClass -> javaClass.getPackageName().equals(ROOT))
                        .flatMap(javaClass -> javaClass.getDirectDependenciesFromSelf().stream())
                        .filter(dependency -> isOurs(dependency.getTargetClass()))
                        .filter(dependency -> !isEntry(dependency))
                        .filter(dependency -> !packageOfTarget(dependency).equals(ROOT))
                        .map(Dependency::getDescription)
                        .toList();

        assertThat(reaching).isEmpty();
    }

    private static List<String> upwardDependencies(Collection<JavaClass> classes) {
        List<String> upward = new ArrayList<>();
        for (JavaClass javaClass : classes) {
            int place = ORDER.indexOf(javaClass.getPackageName());
            for (Dependency dependency : javaClass.getDirectDependenciesFromSelf()) {
                boolean isUpward =
                        isOurs(dependency.getTargetClass())
                                && ORDER.indexOf(packageOfTarget(dependency)) > place;
                if (isUpward && !isEntry(dependency)) {
                    upward.add(dependency.getDescription());
                }
            }
        }
        return upward;
    }

    private static boolean isEntry(Dependency dependency) {
        return dependency.getOriginClass().getName().equals(ENTRY)
                && packageOfTarget(dependency).equals(ASSEMBLY);
    }

    private static boolean isOurs(JavaClass javaClass) {
        return ORDER.contains(javaClass.getBaseComponentType().getPackageName());
    }

    private static String packageOfTarget(Dependency dependency) {
        return dependency.getTargetClass().getBaseComponentType().getPackageName();
    }
}
