// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.redo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.core.page.PageId;
import dev.holdfast.io.sim.SeedExtension;
import dev.holdfast.io.sim.SeededRandom;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** If this failed, recovery would read other records than were logged. */
@ExtendWith(SeedExtension.class)
final class RedoWriterTest {
    private record Expected(int type, long pageId) {}

    @Test
    void givenRandomRecords_whenReadBack_thenTheyAreTheSame(SeededRandom random) {
        RedoWriter writer = new RedoWriter(16);
        RedoReader reader = new RedoReader();
        for (int round = 0; round < 200; round++) {
            List<Expected> records = new ArrayList<>();
            List<byte[]> bodies = new ArrayList<>();
            writer.reset();
            writer.ensure(300_000);
            for (int i = random.between(1, 12); i > 0; i--) {
                int length = random.pickOf(0, 1, 126, 127, 128, 129, 16_383, 16_384, 20_000);
                long pageId = PageId.of(random.nextInt(1 << 30), (int) random.nextLong());
                Expected record = new Expected(random.between(1, 255), pageId);
                records.add(record);
                bodies.add(random.bytes(length));
                writer.begin(record.type(), record.pageId());
                writer.putBytes(bodies.get(bodies.size() - 1), 0, length);
                writer.end();
            }

            byte[] bytes = writer.finished(4160);
            reader.reset(4160, bytes, GroupHeader.BYTES, writer.length() - GroupHeader.BYTES);

            for (int i = 0; i < records.size(); i++) {
                Expected record = records.get(i);
                assertThat(reader.next()).isTrue();
                assertThat(reader.type()).isEqualTo(record.type());
                assertThat(reader.pageId()).isEqualTo(record.pageId());
                byte[] body = new byte[reader.bodyLength()];
                System.arraycopy(reader.bytes(), reader.bodyOffset(), body, 0, body.length);
                assertThat(body).isEqualTo(bodies.get(i));
            }
            assertThat(reader.next()).isFalse();
        }
    }

    @Test
    void givenEachKindOfValue_whenPut_thenItIsLittleEndian() {
        RedoWriter writer = new RedoWriter(128);
        ByteBuffer chunk = ByteBuffer.allocateDirect(16);
        chunk.put(5, (byte) 0x77);
        writer.begin(RedoType.PATCH, 0);
        writer.putByte(0x101);
        writer.putShort(0x2233);
        writer.putInt(0x44556677);
        writer.putLong(0x0102030405060708L);
        writer.putVarint(-1);
        writer.putBytes(chunk, 5, 1);
        writer.end();

        byte[] bytes = writer.finished(4160);

        assertThat(bytes)
                .containsSequence(
                        1, 0x33, 0x22, 0x77, 0x66, 0x55, 0x44, 8, 7, 6, 5, 4, 3, 2, 1, -1, -1, -1,
                        -1, 0x0F, 0x77);
    }

    @Test
    void givenNoRoom_whenPut_thenTheInvariantBreaksAndNothingGrows() {
        RedoWriter writer = new RedoWriter(48);
        writer.begin(RedoType.PATCH, 0);

        assertThatThrownBy(() -> writer.putBytes(new byte[64], 0, 64))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("redo group fits its room");
    }

    @Test
    void givenAGroupCutOrChangedAnywhere_whenRead_thenItIsCorruptionOrOtherRecordsButNoCrash(
            SeededRandom random) {
        RedoWriter writer = new RedoWriter(4096);
        for (int i = 0; i < 5; i++) {
            writer.begin(RedoType.PATCH, PageId.of(1, i * 1000));
            writer.putBytes(random.bytes(i * 60), 0, i * 60);
            writer.end();
        }
        byte[] whole = writer.finished(4160).clone();
        RedoReader reader = new RedoReader();
        int refused = 0;

        for (int i = GroupHeader.BYTES; i < writer.length(); i++) {
            byte[] changed = whole.clone();
            changed[i] ^= (byte) (1 << random.nextInt(8));
            reader.reset(4160, changed, GroupHeader.BYTES, random.nextInt(writer.length() - 16));
            try {
                while (reader.next()) {
                    assertThat(reader.bodyLength()).isBetween(0, whole.length);
                }
            } catch (CorruptionException expected) {
                refused++;
            }
        }

        assertThat(refused).isPositive();
    }
}
