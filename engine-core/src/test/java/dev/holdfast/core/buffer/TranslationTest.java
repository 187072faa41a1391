// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.buffer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.core.page.PageId;
import org.junit.jupiter.api.Test;

/** If this failed, a page would be found in no frame, in a wrong one, or in two. */
final class TranslationTest {
    private final Translation translation = new Translation();

    @Test
    void givenPagesFarApart_whenMapped_thenEachIsFoundInItsFrame() {
        long[] pages = {
            PageId.of(1, 0),
            PageId.of(1, 4095),
            PageId.of(1, 4096),
            PageId.of(1, 5_000_000),
            PageId.of(16, 0),
            PageId.of(1_000_000, 3)
        };

        for (int frame = 0; frame < pages.length; frame++) {
            assertThat(translation.map(pages[frame], frame)).isTrue();
        }

        for (int frame = 0; frame < pages.length; frame++) {
            assertThat(translation.find(pages[frame])).isEqualTo(frame);
        }
    }

    @Test
    void givenPagesNeverMapped_whenSought_thenThereIsNoneAndNoRoomIsMade() {
        assertThat(translation.find(PageId.of(1, 7))).isEqualTo(FrameTable.NONE);
        assertThat(translation.find(PageId.of(-1, -1))).isEqualTo(FrameTable.NONE);
        assertThat(translation.find(PageId.of(1, Integer.MIN_VALUE))).isEqualTo(FrameTable.NONE);
    }

    @Test
    void givenAMapping_whenMappedAgain_thenTheSecondLoses() {
        translation.map(PageId.of(1, 7), 3);

        assertThat(translation.map(PageId.of(1, 7), 4)).isFalse();

        assertThat(translation.find(PageId.of(1, 7))).isEqualTo(3);
    }

    @Test
    void givenAMapping_whenUnmappedForAnotherFrame_thenItStays() {
        translation.map(PageId.of(1, 7), 3);

        assertThat(translation.unmap(PageId.of(1, 7), 4)).isFalse();
        assertThat(translation.find(PageId.of(1, 7))).isEqualTo(3);

        assertThat(translation.unmap(PageId.of(1, 7), 3)).isTrue();
        assertThat(translation.find(PageId.of(1, 7))).isEqualTo(FrameTable.NONE);
    }
}
