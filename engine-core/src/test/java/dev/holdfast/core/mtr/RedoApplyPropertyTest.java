// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.mtr;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.page.PageHeader;
import dev.holdfast.core.page.PageId;
import dev.holdfast.core.page.PageType;
import dev.holdfast.core.redo.CheckpointRecord;
import dev.holdfast.core.redo.RedoLayout;
import dev.holdfast.core.redo.RedoReader;
import dev.holdfast.core.redo.RedoScanner;
import dev.holdfast.io.file.MemoryDirectory;
import dev.holdfast.io.memory.PageMemory;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import dev.holdfast.sync.PlantedFault;
import dev.holdfast.sync.TestHooks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** If this failed, recovery would make other pages than the ones that were lost. */
@ExtendWith(SeedExtension.class)
final class RedoApplyPropertyTest {
    private static final int PAGE_BYTES = 4096;
    private static final int PAGES = 20;
    private static final int BODY = PageHeader.BODY_OFFSET;
    private static final int BODY_BYTES = PAGE_BYTES - BODY - 8;

    private final MemoryDirectory directory = MemoryDirectory.create();
    private final MtrFixture fixture =
            new MtrFixture(PAGE_BYTES, 64, new MemoryPageStore(), directory);
    private final MiniTransaction mtr = fixture.mtr();

    @AfterEach
    void close() {
        TestHooks.reset();
        fixture.close();
    }

    @Test
    void givenRandomGroups_whenTheLogIsReplayed_thenThePagesAreTheSame(SeededRandom random)
            throws Exception {
        fixture.stopAgents();
        change(random, 400);

        Map<Long, ByteBuffer> replayed = replay();

        assertThat(replayed).hasSize(PAGES);
        for (int i = 0; i < PAGES; i++) {
            assertThat(pageBytes(page(i))).isEqualTo(bytes(replayed.get(page(i))));
        }
    }

    @Test
    void givenARedoFunctionThatIsOffByOne_whenTheLogIsReplayed_thenTheSelfCheckSeesIt(
            SeededRandom random) {
        fixture.stopAgents();
        change(random, 50);
        TestHooks.plant(PlantedFault.REDO_OFF_BY_ONE);

        assertThatThrownBy(this::replay)
                .isInstanceOf(CorruptionException.class)
                .hasMessageContaining("digest");
    }

    private void change(SeededRandom random, int groups) {
        for (int i = 0; i < PAGES; i++) {
            create(page(i));
        }
        for (int i = 0; i < groups; i++) {
            mtr.begin(2 * (PAGE_BYTES + 64), 0, false);
            int first = random.nextInt(PAGES - 1);
            changePage(random, mtr.fixExclusive(page(first)));
            changePage(random, mtr.fixExclusive(page(first + 1)));
            mtr.commit();
        }
    }

    private void create(long pageId) {
        mtr.begin(200, 1, false);
        mtr.fixNew(pageId, 16, PageType.LEAF);
        mtr.commit();
    }

    private void changePage(SeededRandom random, int frame) {
        int at = BODY + random.nextInt(BODY_BYTES - 100);
        switch (random.nextInt(7)) {
            case 0 -> mtr.patchLong(frame, at, random.nextLong());
            case 1 -> mtr.patchInt(frame, at, (int) random.nextLong());
            case 2 -> mtr.patchShort(frame, at, (int) random.nextLong());
            case 3 -> mtr.patchByte(frame, at, (int) random.nextLong());
            case 4 -> mtr.stampEndLsn(frame, at);
            case 5 -> {
                mtr.changing(frame);
                byte[] some = random.bytes(1 + random.nextInt(100));
                PageMemory.copyIn(mtr.chunk(frame), mtr.offset(frame) + at, some, 0, some.length);
                mtr.patched(frame, at, some.length);
            }
            default -> {
                mtr.changing(frame);
                int zeros = random.nextInt(BODY_BYTES - (at - BODY));
                PageMemory.fill(mtr.chunk(frame), mtr.offset(frame) + at, zeros, (byte) 0);
                mtr.image(frame);
            }
        }
    }

    private Map<Long, ByteBuffer> replay() throws IOException {
        fixture.log.makeDurable(fixture.log.appendLsn());
        RedoApply redo = new RedoApply(PageDigest.BODY);
        RedoReader reader = new RedoReader();
        Map<Long, ByteBuffer> pages = new HashMap<>();
        CheckpointRecord start =
                CheckpointRecord.first(1, 1, 1, PAGE_BYTES, RedoLayout.ofCapacity(8 << 20));
        try (RedoScanner scanner = new RedoScanner(directory, new UUID(1, 2), start)) {
            scanner.scan(
                    (startLsn, endLsn, payload, offset, length) -> {
                        reader.reset(startLsn, payload, offset, length);
                        while (reader.next()) {
                            apply(redo, reader, pages, endLsn);
                        }
                    });
        }
        return pages;
    }

    private static void apply(
            RedoApply redo, RedoReader reader, Map<Long, ByteBuffer> pages, long endLsn) {
        ByteBuffer page =
                pages.computeIfAbsent(reader.pageId(), id -> ByteBuffer.allocateDirect(PAGE_BYTES));
        redo.apply(
                reader.type(),
                reader.pageId(),
                page,
                0,
                PAGE_BYTES,
                reader.bytes(),
                reader.bodyOffset(),
                reader.bodyLength(),
                endLsn);
        PageHeader.pageLsn(page, 0, endLsn);
    }

    private byte[] pageBytes(long pageId) {
        int frame = fixture.pool.fixShared(pageId);
        byte[] bytes = new byte[PAGE_BYTES];
        PageMemory.copyOut(
                fixture.pool.chunk(frame), fixture.pool.offset(frame), bytes, 0, PAGE_BYTES);
        fixture.pool.unfixShared(frame);
        return bytes;
    }

    private static byte[] bytes(ByteBuffer page) {
        byte[] bytes = new byte[PAGE_BYTES];
        PageMemory.copyOut(page, 0, bytes, 0, PAGE_BYTES);
        return bytes;
    }

    private static long page(int i) {
        return PageId.of(1, 100 + i);
    }
}
