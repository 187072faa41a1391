// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.core.buffer.TestThread;
import dev.holdfast.core.mtr.MiniTransaction;
import dev.holdfast.core.redo.LogSpace;
import dev.holdfast.core.redo.RedoLog;
import dev.holdfast.io.checksum.PageChecksums;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a conversion holds while it waits. If this failed, a verification, which waits for all log
 * space to be given back, and the conversion could wait for each other for ever, through somebody
 * who holds a file's length and wants log space.
 */
final class SpaceConversionTest {
    private static final int SPACE_ID = 16;

    private SpaceFixture fixture;

    @BeforeEach
    void open() {
        fixture = new SpaceFixture(4096);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void givenAFileWhoseLengthIsHeld_whenItsConversionWaits_thenItHoldsNoLogSpace()
            throws Exception {
        Space space = fixture.create(SPACE_ID);
        RedoLog log = fixture.under.log;
        SpaceConversion conversion =
                new SpaceConversion(
                        space, log, fixture.mtr(), PageChecksums.WORD, (page, failure) -> {});
        space.resizing().lock();
        TestThread<Boolean> converter =
                TestThread.start(
                        () -> {
                            conversion.begin();
                            return conversion.isUnderWay();
                        });
        converter.awaitParked();

        long granted = log.space().granted();
        space.resizing().unlock();

        assertThat(granted).isZero();
        assertThat(converter.result()).isTrue();
        assertThat(log.space().granted()).isZero();
    }

    @Test
    void givenLogSpace_whenALengthIsWantedToo_thenThatIsRefusedByTheOrder() {
        Space space = fixture.create(SPACE_ID);
        MiniTransaction mtr = fixture.mtr();
        mtr.begin(100, 0, false);

        assertThatThrownBy(() -> space.resizing().lock())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("latch order: wanted=FILE_LENGTH")
                .hasMessageContaining("LOG_SPACE(300)");

        mtr.abandon();
        space.resizing().lock();
        space.resizing().unlock();
    }

    @Test
    void givenAPausedLog_whenTheSameThreadWantsSpaceOfIt_thenThatIsRefusedByTheOrder() {
        LogSpace logSpace = fixture.under.log.space();
        logSpace.pause();

        assertThatThrownBy(() -> fixture.mtr().begin(100, 0, true))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("latch order: wanted=LOG_SPACE");

        logSpace.resume();
        MiniTransaction mtr = fixture.mtr();
        mtr.begin(100, 0, true);
        mtr.abandon();
    }
}
