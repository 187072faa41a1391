// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.nio.file.OpenOption;

/** The option that opens a file past the system's cache, where the JDK has it. */
final class DirectOption {
    /*
     * The option is API, but of com.sun.nio.file in the module jdk.unsupported, which a JDK may
     * lack or drop. So it is looked up, and its absence is an error only for who asks for it.
     */

    private static final String CLASS_NAME = "com.sun.nio.file.ExtendedOpenOption";
    private static final String CONSTANT_NAME = "DIRECT";

    private DirectOption() {}

    static OpenOption find() throws IOException {
        return find(CLASS_NAME, CONSTANT_NAME);
    }

    static OpenOption find(String className, String constantName) throws IOException {
        try {
            Class<?> options = MethodHandles.publicLookup().findClass(className);
            for (Object option : options.getEnumConstants()) {
                if (((Enum<?>) option).name().equals(constantName)) {
                    return (OpenOption) option;
                }
            }
        } catch (ClassNotFoundException | IllegalAccessException e) {
            throw absent(className, e);
        }
        throw absent(className, null);
    }

    private static IOException absent(String className, Exception cause) {
        return new IOException(
                "direct file mode is not available on this JDK: option="
                        + className
                        + "."
                        + CONSTANT_NAME
                        + ", module=jdk.unsupported",
                cause);
    }
}
