// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageSeal;
import dev.holdfast.io.checksum.ChecksumKinds;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Reads header pages straight from the files, where there is no pool yet. */
final class SpaceHeaderReader {
    private SpaceHeaderReader() {}

    /** The identity that the main space's header repeats; empty if that page is not sound. */
    static Optional<StoreIdentity> identity(StorageDirectory directory, ChecksumKinds checksums)
            throws IOException {
        String name = StoreFiles.spaceFile(StoreFiles.MAIN_SPACE);
        if (!directory.exists(name)) {
            return Optional.empty();
        }
        try (StorageFile file = directory.open(name)) {
            // The page's size stands in the page: read the smallest first, then all of it.
            Optional<ByteBuffer> start = read(file, DiskBuffers.SMALLEST_PAGE);
            if (start.isEmpty() || !SpaceHeader.hasMagic(start.get(), 0)) {
                return Optional.empty();
            }
            int pageBytes = SpaceHeader.pageBytes(start.get(), 0);
            if (!StoreIdentity.isPageBytes(pageBytes)) {
                return Optional.empty();
            }
            return read(file, pageBytes)
                    .filter(page -> isSound(page, pageBytes, checksums))
                    .map(page -> SpaceHeader.identity(page, 0))
                    .filter(SpaceHeaderReader::canBeOpened);
        }
    }

    private static boolean canBeOpened(StoreIdentity identity) {
        FeatureBits.check(
                StoreFiles.spaceFile(StoreFiles.MAIN_SPACE),
                identity.formatVersion(),
                identity.incompatibleFeatures());
        return true;
    }

    private static boolean isSound(ByteBuffer page, int pageBytes, ChecksumKinds checksums) {
        String file = StoreFiles.spaceFile(StoreFiles.MAIN_SPACE);
        SpaceKinds.requireOwnKindKnown(page, 0, checksums, file);
        long pageId = PageId.of(StoreFiles.MAIN_SPACE, SpaceHeader.PAGE_NUMBER);
        int kinds = SpaceKinds.read(page, 0).mask();
        PageHeader.Fault fault = PageSeal.verify(page, 0, pageBytes, pageId, kinds, checksums);
        return fault == PageHeader.Fault.NONE;
    }

    private static Optional<ByteBuffer> read(StorageFile file, int bytes) throws IOException {
        if (file.length() < bytes) {
            return Optional.empty();
        }
        ByteBuffer buffer = DiskBuffers.allocate(bytes);
        file.read(0, buffer);
        return Optional.of(buffer.clear());
    }
}
