// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import java.util.Arrays;

/**
 * Length and checksum of each entry, and which entries share a package, so that the mixed load can
 * judge what it reads without reading the source again. Immutable once built.
 */
final class SourceChecksums {
    private final int[] lengths;
    private final int[] checksums;

    /** For each entry the first one of its package and the one after the last. */
    private final int[] packageStarts;

    private final int[] packageEnds;

    SourceChecksums(ImportSource source) {
        int count = source.count();
        lengths = new int[count];
        checksums = new int[count];
        packageStarts = new int[count];
        packageEnds = new int[count];
        for (int i = 0; i < count; i++) {
            byte[] value = source.value(i);
            lengths[i] = value.length;
            checksums[i] = VersionedValue.checksum(value, value.length);
        }
        markPackages(source);
    }

    boolean isSound(int entry, byte[] value) {
        return VersionedValue.isSound(value, lengths[entry], checksums[entry]);
    }

    int length(int entry) {
        return lengths[entry];
    }

    int packageStart(int entry) {
        return packageStarts[entry];
    }

    int packageEnd(int entry) {
        return packageEnds[entry];
    }

    /** Entries that begin with one prefix lie together, those of packages within it among them. */
    private void markPackages(ImportSource source) {
        for (int i = 0; i < packageStarts.length; i++) {
            byte[] prefix = source.packagePrefix(i);
            if (i > 0 && Arrays.equals(prefix, source.packagePrefix(i - 1))) {
                packageStarts[i] = packageStarts[i - 1];
                packageEnds[i] = packageEnds[i - 1];
                continue;
            }
            packageStarts[i] = source.atLeast(prefix);
            byte[] afterAll = Arrays.copyOf(prefix, prefix.length);
            afterAll[prefix.length - 1]++; // '/' becomes '0', the next character
            packageEnds[i] = source.atLeast(afterAll);
        }
    }
}
