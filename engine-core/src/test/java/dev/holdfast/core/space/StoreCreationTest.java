// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.FormatException;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.file.StorageDirectory;
import java.io.IOException;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** If this fails, a directory that is not ours is emptied, or a half-made store is opened. */
final class StoreCreationTest {
    private static final StoreIdentity STORE = StoreIdentity.create(UUID.randomUUID(), 8192);

    private final StorageDirectory directory = MemoryDirectory.create();

    @Test
    void givenAnEmptyDirectory_whenAStoreIsCreated_thenItIsBornAtTheEndOnly() throws Exception {
        assertThat(StoreCreation.inspect(directory)).isEqualTo(StoreCreation.State.EMPTY);

        StoreCreation.begin(directory, STORE);
        assertThat(StoreCreation.inspect(directory)).isEqualTo(StoreCreation.State.UNBORN);
        StoreCreation.finish(directory);

        assertThat(StoreCreation.inspect(directory)).isEqualTo(StoreCreation.State.BORN);
        assertThat(StoreIdentity.read(directory)).isEqualTo(STORE);
    }

    @Test
    void givenAnUnbornStore_whenCleaned_thenTheDirectoryIsEmpty() throws Exception {
        StoreCreation.begin(directory, STORE);
        for (String name :
                new String[] {
                    "main.hfs", "undo-2.hfs", "checkpoint", "redo/000.hfl", "doublewrite/0.hfd"
                }) {
            create(name);
        }
        assertThat(StoreCreation.inspect(directory)).isEqualTo(StoreCreation.State.UNBORN);

        StoreCreation.clean(directory);

        assertThat(directory.list("")).isEmpty();
        assertThat(directory.list("redo")).isEmpty();
        assertThat(StoreCreation.inspect(directory)).isEqualTo(StoreCreation.State.EMPTY);
    }

    @Test
    void givenAForeignFile_whenInspected_thenItIsNamedAndNothingIsRemoved() throws Exception {
        StoreCreation.begin(directory, STORE);
        create("main.hfs");
        create("letter.txt");

        assertThatThrownBy(() -> StoreCreation.inspect(directory))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("letter.txt");
        assertThat(directory.exists("main.hfs")).isTrue();
    }

    @Test
    void givenAForeignFileInASubdirectory_whenInspected_thenItIsRefused() throws Exception {
        StoreCreation.begin(directory, STORE);
        create("redo/song.mp3");

        assertThatThrownBy(() -> StoreCreation.inspect(directory))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("song.mp3");
    }

    @Test
    void givenABornStoreWithoutItsIdentity_whenInspected_thenItIsNotTakenForUnborn()
            throws Exception {
        create("main.hfs");

        assertThatThrownBy(() -> StoreCreation.inspect(directory))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("lost its identity");
    }

    @Test
    void givenAnyFlippedByte_whenDecoded_thenTheDamageIsNoticed() {
        byte[] bytes = STORE.encode();
        assertThat(StoreIdentity.decode(bytes)).contains(STORE);

        for (int i = 0; i < bytes.length; i++) {
            byte[] damaged = bytes.clone();
            damaged[i] ^= 1;
            assertThat(StoreIdentity.decode(damaged)).as("byte %s", i).isEmpty();
        }
    }

    @Test
    void givenANewerFormat_whenDecoded_thenItIsRefusedByVersion() {
        StoreIdentity newer = new StoreIdentity(STORE.uuid(), 9, 8192, 0, 0);

        assertThatThrownBy(() -> StoreIdentity.decode(newer.encode()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("format=9");
    }

    @Test
    void givenFeatureBits_whenDecoded_thenOnlyIncompatibleOnesRefuse() {
        StoreIdentity compatible = new StoreIdentity(STORE.uuid(), 1, 8192, 0, 0x10);
        StoreIdentity incompatible = new StoreIdentity(STORE.uuid(), 1, 8192, 0x20, 0);

        assertThat(StoreIdentity.decode(compatible.encode())).contains(compatible);
        assertThatThrownBy(() -> StoreIdentity.decode(incompatible.encode()))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("unknown=20");
    }

    @Test
    void givenAnEncodedIdentity_whenReadAsText_thenItIsThePageOfTheFormat() {
        StoreIdentity golden = StoreIdentity.create(new UUID(1, 2), 16384);

        assertThat(new String(golden.encode(), ISO_8859_1).strip())
                .isEqualTo(
                        """
                        holdfast store
                        format = 1
                        uuid = 00000000-0000-0001-0000-000000000002
                        pageBytes = 16384
                        incompatibleFeatures = 0
                        compatibleFeatures = 0
                        crc32c = 9ab68f47\
                        """);
    }

    @Test
    void givenTheNumberOfUndoSpaces_whenEncoded_thenItIsALineThatMayBeMissing() {
        StoreIdentity silent = StoreIdentity.create(new UUID(1, 2), 16384);
        StoreIdentity three = silent.withUndoSpaces(3);

        assertThat(new String(three.encode(), ISO_8859_1)).contains("\nundoSpaces = 3\ncrc32c");
        StoreIdentity measured = three.withIoCapacity(12_000);
        assertThat(new String(measured.encode(), ISO_8859_1))
                .contains("\nundoSpaces = 3\nioCapacity = 12000\ncrc32c");
        assertThat(StoreIdentity.decode(measured.encode())).contains(measured);
        assertThat(StoreIdentity.decode(three.encode())).contains(three);
        assertThat(StoreIdentity.decode(silent.encode())).contains(silent);
    }

    @Test
    void givenADamagedIdentityAndNoSpace_whenRead_thenTheErrorSaysSo() throws Exception {
        StoreCreation.begin(directory, STORE);
        StoreCreation.finish(directory);
        directory.delete(StoreFiles.IDENTITY);
        create(StoreFiles.IDENTITY);

        assertThat(StoreIdentity.readFile(directory)).isEqualTo(Optional.empty());
        assertThatThrownBy(() -> StoreIdentity.read(directory))
                .isInstanceOf(FormatException.class)
                .hasMessageContaining("damaged");
    }

    @Test
    void givenNamesOfSpaces_whenMapped_thenOnlyTheOneSpellingCounts() {
        for (int spaceId : new int[] {1, 2, 9, 16, 4_000_000}) {
            assertThat(StoreFiles.spaceOf(StoreFiles.spaceFile(spaceId))).isEqualTo(spaceId);
        }
        for (String name :
                new String[] {"space-1.hfs", "space-016.hfs", "undo-16.hfs", "space-.hfs", "x"}) {
            assertThat(StoreFiles.spaceOf(name)).as(name).isEqualTo(StoreFiles.NO_SPACE);
        }
    }

    private void create(String name) throws IOException {
        directory.create(name).close();
    }
}
