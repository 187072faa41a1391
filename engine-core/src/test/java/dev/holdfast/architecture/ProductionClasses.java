// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.architecture;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;

/** The classes of engine-sync, engine-io and engine-core, without those of their tests. */
final class ProductionClasses {
    static final JavaClasses ALL =
            new ClassFileImporter()
                    .withImportOption(ProductionClasses::isProduction)
                    .importPackages("dev.holdfast");

    private ProductionClasses() {}

    /** Returns the class's outermost class, by which owners are named. */
    static String owner(JavaClass javaClass) {
        String name = javaClass.getName();
        int nested = name.indexOf('$');
        return nested < 0 ? name : name.substring(0, nested);
    }

    private static boolean isProduction(Location location) {
        return !location.contains("/test-classes/") && !location.contains("-tests.jar");
    }
}
