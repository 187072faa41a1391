// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.CorruptionException;
import dev.holdfast.EngineOptions;
import dev.holdfast.OptionMismatchException;
import dev.holdfast.core.catalog.IdHighWaters;
import dev.holdfast.core.dblwr.Doublewrite;
import dev.holdfast.core.dblwr.DoublewriteOptions;
import dev.holdfast.core.page.CustomKinds;
import dev.holdfast.core.redo.CheckpointFile;
import dev.holdfast.core.redo.CheckpointRecord;
import dev.holdfast.core.redo.RedoLayout;
import dev.holdfast.core.redo.RedoLog;
import dev.holdfast.core.space.SpaceFiles;
import dev.holdfast.core.space.StoreCreation;
import dev.holdfast.core.space.StoreFiles;
import dev.holdfast.core.space.StoreIdentity;
import dev.holdfast.io.checksum.ChecksumKinds;
import dev.holdfast.io.checksum.PageChecksum;
import dev.holdfast.io.file.StorageDirectory;
import java.io.IOException;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A store whose lock is held and whose files are open, before anything of it is believed.
 *
 * @param isNew whether it is being created: then it is unborn until {@link StoreCreation#finish}
 */
record OpenedStore(
        StorageDirectory directory,
        StoreIdentity identity,
        SpaceFiles files,
        CheckpointFile checkpoints,
        boolean isNew) {
    private static final Logger LOG = LoggerFactory.getLogger(OpenedStore.class);

    /** The batches of all slots of the doublewrite hold no more than this part of the pool. */
    private static final int BATCHES_PART = 2;

    /**
     * Takes the lock, then opens what is there or begins a new store.
     *
     * @param owned gets what must be closed
     */
    static OpenedStore open(StorageDirectory directory, EngineOptions options, CloseStack owned)
            throws IOException {
        owned.push(directory.lock());
        StoreCreation.State state = StoreCreation.inspect(directory);
        if (state == StoreCreation.State.BORN) {
            return openBorn(directory, options, owned);
        }
        if (!options.createIfMissing()) {
            throw OpenErrors.noStore(directory.describe(), state.toString());
        }
        if (state == StoreCreation.State.UNBORN) {
            LOG.info("store that was never born is removed: store={}", directory.describe());
            StoreCreation.clean(directory);
        }
        owned.push(() -> removeUnborn(directory));
        return create(directory, options, owned);
    }

    /** A creation that fails takes away what it made: on a full disk that is what fills it. */
    private static void removeUnborn(StorageDirectory directory) throws IOException {
        if (StoreCreation.inspect(directory) == StoreCreation.State.UNBORN) {
            StoreCreation.clean(directory);
        }
    }

    private static OpenedStore openBorn(
            StorageDirectory directory, EngineOptions options, CloseStack owned)
            throws IOException {
        StoreCreation.syncNames(directory);
        ChecksumKinds checksums = checksums(options);
        StoreIdentity identity = StoreIdentity.read(directory, checksums);
        if (identity.pageBytes() != options.pageBytes()) {
            throw new OptionMismatchException(
                    "store " + directory.describe(),
                    "pageBytes",
                    Integer.toString(identity.pageBytes()),
                    Integer.toString(options.pageBytes()));
        }
        CheckpointFile checkpoints = owned.push(CheckpointFile.open(directory, identity.uuid()));
        if (checkpoints.newest().pageBytes() != identity.pageBytes()) {
            throw new CorruptionException(
                    "checkpoint file is of another page size",
                    CheckpointFile.NAME,
                    "pageBytes=" + identity.pageBytes(),
                    "pageBytes=" + checkpoints.newest().pageBytes());
        }
        SpaceFiles files = owned.push(files(directory, identity, checksums, options));
        files.openAll();
        if (StoreIdentity.readFile(directory).isEmpty()) {
            LOG.warn("identity is restored from the main space: store={}", directory.describe());
            identity = identity.withUndoSpaces(files.undoSpaces());
            identity.rewrite(directory);
        }
        return new OpenedStore(directory, identity, files, checkpoints, false);
    }

    private static OpenedStore create(
            StorageDirectory directory, EngineOptions options, CloseStack owned)
            throws IOException {
        ChecksumKinds checksums = checksums(options);
        StoreIdentity identity =
                StoreIdentity.create(UUID.randomUUID(), options.pageBytes())
                        .withUndoSpaces(options.undoSpaces());
        StoreCreation.begin(directory, identity);
        identity = BackgroundIo.measured(directory, identity, options);
        RedoLayout layout = RedoLayout.ofCapacity(options.redoCapacityBytes());
        RedoLog.create(directory, identity.uuid(), layout);
        Doublewrite.create(directory, doublewrite(options));
        CheckpointRecord first =
                CheckpointRecord.first(
                        1,
                        IdHighWaters.USER_TREE_MIN,
                        StoreFiles.OWN_SPACE_MIN,
                        identity.pageBytes(),
                        layout);
        CheckpointFile checkpoints =
                owned.push(CheckpointFile.create(directory, identity.uuid(), first));
        SpaceFiles files = owned.push(files(directory, identity, checksums, options));
        return new OpenedStore(directory, identity, files, checkpoints, true);
    }

    private static SpaceFiles files(
            StorageDirectory directory,
            StoreIdentity identity,
            ChecksumKinds checksums,
            EngineOptions options) {
        PageChecksum ofNewFiles = checksums.byName(options.checksum());
        return new SpaceFiles(directory, identity, checksums, ofNewFiles);
    }

    private static ChecksumKinds checksums(EngineOptions options) {
        return CustomKinds.find(options.customChecksums(), options.pageBytes());
    }

    /** Frames of the pool. */
    static int frames(EngineOptions options) {
        return Math.toIntExact(options.poolBytes() / options.pageBytes());
    }

    /** How pages are written twice. */
    static DoublewriteOptions doublewrite(EngineOptions options) {
        int slots = options.doublewriteSlots();
        int pages =
                Math.min(options.doublewriteBatchPages(), frames(options) / (BATCHES_PART * slots));
        return new DoublewriteOptions(options.doublewrite(), slots, pages, options.pageBytes());
    }

    String name() {
        return directory.describe();
    }
}
