// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** If this failed, agents would come late while there is work, or burn time when there is none. */
final class AgentPaceTest {
    private static final long BUSY_NANOS = 30_000_000;
    private static final long IDLE_NANOS = 200_000_000;

    private final AtomicLong lsn = new AtomicLong(100);
    private final AgentPace pace = new AgentPace(lsn::get, 30, 200);

    @Test
    void givenALogThatGrows_whenAsked_thenThePauseIsShort() {
        for (int i = 0; i < 3 * AgentPace.QUIET_ROUNDS; i++) {
            lsn.incrementAndGet();

            assertThat(pace.getAsLong()).isEqualTo(BUSY_NANOS);
        }
    }

    @Test
    void givenALogThatStandsStill_whenAskedOften_thenThePauseIsLongUntilItGrows() {
        for (int i = 0; i < AgentPace.QUIET_ROUNDS; i++) {
            assertThat(pace.getAsLong()).isEqualTo(BUSY_NANOS);
        }

        assertThat(pace.getAsLong()).isEqualTo(IDLE_NANOS);
        assertThat(pace.getAsLong()).isEqualTo(IDLE_NANOS);
        lsn.incrementAndGet();
        assertThat(pace.getAsLong()).isEqualTo(BUSY_NANOS);
    }
}
