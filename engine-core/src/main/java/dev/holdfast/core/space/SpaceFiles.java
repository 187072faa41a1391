// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import dev.holdfast.CorruptionException;
import dev.holdfast.FormatException;
import dev.holdfast.NoSuchTableException;
import dev.holdfast.core.buffer.PageStore;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageSeal;
import dev.holdfast.io.async.IoRequest;
import dev.holdfast.io.checksum.ChecksumKinds;
import dev.holdfast.io.checksum.PageChecksum;
import dev.holdfast.io.file.StorageDirectory;
import dev.holdfast.io.file.StorageErrors;
import dev.holdfast.io.file.StorageFile;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.ObjIntConsumer;

/**
 * The data files: opens, creates, grows, cuts and deletes them, and reads and writes their pages.
 *
 * <p>Safe for all threads. Reading and writing pages takes no latch and allocates nothing of its
 * own. Creating and deleting is for one thread at a time; {@code core.catalog} sees to it.
 */
public final class SpaceFiles implements PageStore, AutoCloseable {
    /*
     * A dropped space: its drop record is durable and its frames have left the pool before the
     * file goes. A write or sync that comes late, from a batch that was on its way, has nothing to
     * save and does nothing; a read that comes late, from a reader with an old handle, is told that
     * the table is gone. Ids are never used twice, so "not in the table" means dropped.
     */
    private final StorageDirectory directory;
    private final StoreIdentity store;
    private final ChecksumKinds checksums;

    /** What new spaces' pages bear; set by a conversion of the whole store. */
    private volatile PageChecksum checksum;

    /** Replaced as a whole by create, delete and close, under this object's monitor. */
    private volatile SpaceTable spaces = SpaceTable.EMPTY;

    /**
     * Nothing is opened yet.
     *
     * @param checksum what new spaces' pages bear
     */
    public SpaceFiles(StorageDirectory directory, StoreIdentity store, PageChecksum checksum) {
        this(directory, store, ChecksumKinds.BUILT_IN, checksum);
    }

    /**
     * Nothing is opened yet.
     *
     * @param checksums the kinds that are known
     * @param checksum what new spaces' pages bear
     */
    public SpaceFiles(
            StorageDirectory directory,
            StoreIdentity store,
            ChecksumKinds checksums,
            PageChecksum checksum) {
        this.directory = directory;
        this.store = store;
        this.checksums = checksums;
        this.checksum = checksum;
    }

    /** The identity that every file must repeat. */
    public StoreIdentity store() {
        return store;
    }

    public int pageBytes() {
        return store.pageBytes();
    }

    /** Undo spaces that have a file here. */
    public int undoSpaces() {
        int count = 0;
        for (int spaceId : spaceIds()) {
            count += StoreFiles.isUndoSpace(spaceId) ? 1 : 0;
        }
        return count;
    }

    /**
     * Opens all data files in the directory. Headers are not judged yet, for they may be torn until
     * the doublewrite has repaired them, or belong to a file whose creation did not end; see {@link
     * #checkHeader}.
     */
    public void openAll() throws IOException {
        for (String name : directory.list("")) {
            int spaceId = StoreFiles.spaceOf(name);
            if (spaceId != StoreFiles.NO_SPACE) {
                StorageFile file = directory.open(name);
                add(new SpaceFile(spaceId, file, checksums.mask(), checksum));
            }
        }
    }

    /**
     * Judges a space's header page as it is on disk, and learns from it which checksum kinds the
     * space allows.
     *
     * @throws CorruptionException if the file is missing or the page is damaged
     * @throws FormatException if it is of another store, version or page size, or its pages bear a
     *     checksum that is not supplied
     */
    public void checkHeader(int spaceId) throws IOException {
        SpaceFile space = spaces.find(spaceId);
        if (space == null) {
            String missing = StoreFiles.spaceFile(spaceId);
            String found = StorageErrors.whatStandsAt(directory, missing);
            throw new CorruptionException("data file is missing", missing, "a file", found);
        }
        String name = space.file.name();
        if (space.file.length() < pageBytes()) {
            throw new CorruptionException(
                    "data file is too short",
                    name,
                    "bytes>=" + pageBytes(),
                    "bytes=" + space.file.length());
        }
        long pageId = PageId.of(spaceId, SpaceHeader.PAGE_NUMBER);
        ByteBuffer page = DiskBuffers.allocate(pageBytes());
        space.file.read(0, page);
        if (SpaceHeader.hasMagic(page, 0)) {
            // A header of another store, version or page size says so before its checksum does.
            SpaceHeader.checkStore(page, 0, store, name);
            SpaceKinds.requireOwnKindKnown(page, 0, checksums, name);
        }
        int mask = SpaceKinds.read(page, 0).mask();
        PageHeader.Fault fault = PageSeal.verify(page, 0, pageBytes(), pageId, mask, checksums);
        if (fault != PageHeader.Fault.NONE) {
            throw PageSeal.describe(fault, page, 0, pageBytes(), pageId, mask, checksums, name);
        }
        SpaceHeader.check(page, 0, store, spaceId, name);
        SpaceKinds kinds = SpaceKinds.read(page, 0);
        kinds.requireKnown(checksums, name);
        space.checksumKinds = kinds.mask();
        space.seal = checksums.byCode(kinds.sealKind());
    }

    /**
     * Adopts the checksum kinds of a header as redo has made it, or as a conversion leaves it.
     * While a space is converted pages go on to get the kind that they got: the header with the new
     * one may not be on the disk yet.
     *
     * @throws FormatException if pages may bear a checksum that is not supplied
     */
    void adopt(int spaceId, SpaceKinds kinds) {
        SpaceFile space = require(spaceId);
        kinds.requireKnown(checksums, space.file.name());
        space.checksumKinds = kinds.mask();
        if (!kinds.isConverting()) {
            space.seal = checksums.byCode(kinds.sealKind());
        } else if ((kinds.mask() & PageSeal.kindBit(space.seal)) == 0) {
            // The header on the disk was not sound, so what pages got is not known.
            int others = kinds.mask() & ~(1 << kinds.sealKind());
            space.seal = checksums.byCode(Integer.numberOfTrailingZeros(others));
        }
    }

    /** Pages of the space get that kind from now on; a header that allows it is durable. */
    void seal(int spaceId, PageChecksum kind) {
        SpaceFile space = spaces.find(spaceId);
        if (space != null) {
            assert (space.checksumKinds & PageSeal.kindBit(kind)) != 0 : "kind=" + kind.name();
            space.seal = kind;
        }
    }

    /** Pages of spaces that are created from now on get that kind. */
    public void newSpacesChecksum(PageChecksum kind) {
        checksum = kind;
    }

    @Override
    public ChecksumKinds checksums() {
        return checksums;
    }

    /**
     * Creates the file of a new space: header, map and zeros for its first extent, all synced, and
     * the directory synced. Until a record names the space it is nobody's, and removed at an open.
     *
     * @throws java.io.IOException after removing what there was of the file
     */
    public void create(int spaceId) throws IOException {
        String name = StoreFiles.spaceFile(spaceId);
        StorageFile file = directory.create(name);
        PageChecksum kind = checksum;
        try {
            int pageCount = AllocationMap.pagesPerExtent(pageBytes());
            file.zeroFill(0, (long) pageCount * pageBytes());
            writeFirstPages(file, spaceId, pageCount, kind);
            file.sync(false);
            if (!TestHooks.fault(PlantedFault.NO_DIRECTORY_SYNC)) {
                syncNames();
            }
        } catch (FailedSyncException failure) {
            // Nothing is undone: that would rest on a sync after one that failed.
            closeAfter(file, failure);
            throw failure;
        } catch (Throwable failure) {
            undoCreate(file, failure);
            throw failure;
        }
        add(new SpaceFile(spaceId, file, PageSeal.kindBit(kind), kind));
    }

    /** Closes and deletes the file of a space whose drop is durable, or which nobody names. */
    public void delete(int spaceId) throws IOException {
        SpaceFile space = spaces.find(spaceId);
        if (space == null) {
            return;
        }
        remove(spaceId);
        space.file.close();
        directory.delete(space.file.name());
        syncNames();
    }

    /** As with any sync, after one that failed nobody knows what the disk has. */
    private void syncNames() throws FailedSyncException {
        try {
            directory.syncDirectory("");
        } catch (IOException failure) {
            throw new FailedSyncException(failure);
        }
    }

    /** The ids of all open spaces, ascending. */
    public int[] spaceIds() {
        return spaces.ids();
    }

    /** Shows each open file with its space id, ascending. */
    public void eachFile(ObjIntConsumer<StorageFile> consumer) {
        for (SpaceFile space : spaces.files()) {
            consumer.accept(space.file, space.spaceId);
        }
    }

    /** The number of whole pages that the file has, whatever its header says. */
    public long pagesInFile(int spaceId) throws IOException {
        return require(spaceId).file.length() / pageBytes();
    }

    /** Fills pages with zeros, growing the file where needed; durable only after a sync. */
    public void zeroPages(int spaceId, long fromPage, long toPage) throws IOException {
        StorageFile file = require(spaceId).file;
        file.zeroFill(fromPage * pageBytes(), toPage * pageBytes());
        TestHooks.reached("space.zeroed");
    }

    /** Cuts the file; a record that allows it is durable. */
    public void truncate(int spaceId, long pages) throws IOException {
        require(spaceId).file.truncate(pages * pageBytes());
    }

    @Override
    public void read(long pageId, ByteBuffer target) throws IOException {
        int spaceId = PageId.spaceId(pageId);
        SpaceFile space = spaces.find(spaceId);
        if (space == null) {
            throw new NoSuchTableException(StoreFiles.spaceFile(spaceId));
        }
        try {
            space.file.read(position(pageId), target);
        } catch (IOException failure) {
            if (!present(spaceId)) {
                throw new NoSuchTableException(StoreFiles.spaceFile(spaceId));
            }
            throw failure;
        }
    }

    @Override
    public boolean prepareRead(IoRequest request, long pageId, ByteBuffer target) {
        SpaceFile space = spaces.find(PageId.spaceId(pageId));
        if (space == null) {
            return false;
        }
        request.read(space.file, position(pageId), target);
        return true;
    }

    @Override
    public boolean prepareWrite(IoRequest request, long pageId, ByteBuffer source) {
        SpaceFile space = spaces.find(PageId.spaceId(pageId));
        if (space == null) {
            return false;
        }
        request.write(space.file, position(pageId), source);
        return true;
    }

    /** Writes the source's remaining bytes: the sealed page, and those that follow it on disk. */
    public void write(long pageId, ByteBuffer source) throws IOException {
        int spaceId = PageId.spaceId(pageId);
        SpaceFile space = spaces.find(spaceId);
        if (space == null) {
            source.position(source.limit());
            return;
        }
        try {
            space.file.write(position(pageId), source);
        } catch (IOException failure) {
            if (present(spaceId)) {
                throw failure;
            }
            // Dropped meanwhile: there is nothing to save.
        }
    }

    @Override
    public void sync(int spaceId) throws IOException {
        SpaceFile space = spaces.find(spaceId);
        if (space == null) {
            return;
        }
        try {
            space.sync();
        } catch (IOException failure) {
            if (present(spaceId)) {
                throw failure;
            }
            // Dropped meanwhile: there is nothing to save.
        }
    }

    @Override
    public void syncAll() throws IOException {
        for (int spaceId : spaces.ids()) {
            sync(spaceId);
        }
    }

    @Override
    public int allowedKinds(int spaceId) {
        SpaceFile space = spaces.find(spaceId);
        return space == null ? checksums.mask() : space.checksumKinds;
    }

    @Override
    public PageChecksum checksumFor(int spaceId) {
        SpaceFile space = spaces.find(spaceId);
        return space == null ? checksum : space.seal;
    }

    @Override
    public String fileName(int spaceId) {
        return StoreFiles.spaceFile(spaceId);
    }

    @Override
    public boolean present(int spaceId) {
        return spaces.find(spaceId) != null;
    }

    /** Closes all files, without a sync. */
    @Override
    public void close() throws IOException {
        IOException first = null;
        for (SpaceFile space : takeAll()) {
            try {
                space.file.close();
            } catch (IOException failure) {
                if (first == null) {
                    first = failure;
                } else {
                    first.addSuppressed(failure);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    private void writeFirstPages(StorageFile file, int spaceId, int pageCount, PageChecksum kind)
            throws IOException {
        ByteBuffer page = DiskBuffers.allocate(pageBytes());
        SpaceHeader.initialize(page, 0, store, spaceId, kind, pageCount);
        PageSeal.seal(page, 0, pageBytes(), kind);
        file.write(0, page);
        page.clear();
        int mapPage = AllocationMap.mapPage(0, pageBytes());
        AllocationMap.initialize(page, 0, pageBytes(), PageId.of(spaceId, mapPage), 0);
        PageSeal.seal(page, 0, pageBytes(), kind);
        file.write((long) mapPage * pageBytes(), page);
    }

    private static void closeAfter(StorageFile file, Throwable failure) {
        try {
            file.close();
        } catch (IOException secondary) {
            failure.addSuppressed(secondary);
        }
    }

    private void undoCreate(StorageFile file, Throwable failure) throws FailedSyncException {
        try {
            file.close();
            directory.delete(file.name());
            syncNames();
        } catch (FailedSyncException fatal) {
            fatal.addSuppressed(failure);
            throw fatal;
        } catch (IOException secondary) {
            failure.addSuppressed(secondary);
        }
    }

    private long position(long pageId) {
        return Integer.toUnsignedLong(PageId.pageNumber(pageId)) * pageBytes();
    }

    private SpaceFile require(int spaceId) {
        SpaceFile space = spaces.find(spaceId);
        if (space == null) {
            throw new IllegalStateException("space is not open: space=" + spaceId);
        }
        return space;
    }

    private synchronized void add(SpaceFile space) {
        spaces = spaces.with(space);
    }

    private synchronized void remove(int spaceId) {
        spaces = spaces.without(spaceId);
    }

    private synchronized SpaceFile[] takeAll() {
        SpaceFile[] files = spaces.files();
        spaces = SpaceTable.EMPTY;
        return files;
    }
}
