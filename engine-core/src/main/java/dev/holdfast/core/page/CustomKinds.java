// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.page;

import dev.holdfast.ChecksumException;
import dev.holdfast.CustomChecksum;
import dev.holdfast.io.checksum.ChecksumKinds;
import dev.holdfast.io.checksum.PageChecksum;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** Finds the checksums of the host: those that an option names, and those offered as services. */
public final class CustomKinds {
    private CustomKinds() {}

    /**
     * The built-in kinds and all that are found, each proven. Services are looked for by the
     * thread's context class loader and by ours.
     *
     * @throws IllegalArgumentException if two of them, or one and a built-in one, have one code or
     *     one name, or one has a code or name that is none
     * @throws ChecksumException if one is no checksum, or a service cannot be loaded
     */
    public static ChecksumKinds find(List<CustomChecksum> named, int pageBytes) {
        List<CustomKind> found = new ArrayList<>();
        for (CustomChecksum function : named) {
            add(found, function);
        }
        ClassLoader ours = CustomKinds.class.getClassLoader();
        ClassLoader context = Thread.currentThread().getContextClassLoader();
        try {
            addServices(found, ours);
            if (context != null && context != ours) {
                addServices(found, context);
            }
        } catch (ServiceConfigurationError failure) {
            throw new ChecksumException("checksum service cannot be loaded", failure);
        }
        if (found.isEmpty()) {
            return ChecksumKinds.BUILT_IN;
        }
        ChecksumKinds kinds = ChecksumKinds.with(List.<PageChecksum>copyOf(found));
        for (CustomKind kind : found) {
            kind.prove(pageBytes);
        }
        return kinds;
    }

    private static void addServices(List<CustomKind> found, ClassLoader loader) {
        for (CustomChecksum function : ServiceLoader.load(CustomChecksum.class, loader)) {
            add(found, function);
        }
    }

    private static void add(List<CustomKind> found, CustomChecksum function) {
        CustomKind kind = new CustomKind(function);
        for (CustomKind other : found) {
            if (other.isSameAs(kind)) {
                return;
            }
            if (other.code() == kind.code() || other.name().equals(kind.name())) {
                throw new IllegalArgumentException(
                        "two checksums have one code or one name: first=["
                                + other
                                + "], second=["
                                + kind
                                + "]");
            }
        }
        found.add(kind);
    }
}
