// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

/** If one setting changed another, a transaction would run with what nobody asked for. */
class TransactionOptionsTest {
    @Test
    void givenDefaults_whenAsked_thenNothingIsSet() {
        TransactionOptions options = TransactionOptions.defaults();

        assertThat(options.isolation()).isEmpty();
        assertThat(options.durability()).isEmpty();
        assertThat(options.lockWaitTimeout()).isEmpty();
    }

    @Test
    void givenOneAfterTheOther_whenSet_thenEachIsKeptAndTheFirstCopyUnchanged() {
        TransactionOptions first =
                TransactionOptions.defaults().isolation(Isolation.READ_COMMITTED);

        TransactionOptions last =
                first.durability(Durability.LAZY).lockWaitTimeout(Duration.ofMillis(5));

        assertThat(last.isolation()).contains(Isolation.READ_COMMITTED);
        assertThat(last.durability()).contains(Durability.LAZY);
        assertThat(last.lockWaitTimeout()).contains(Duration.ofMillis(5));
        assertThat(first.durability()).isEmpty();
    }

    @Test
    void givenSettings_whenShown_thenEachIsNamedWithItsValueOrAsDefault() {
        TransactionOptions options = TransactionOptions.defaults().durability(Durability.LAZY);

        assertThat(options)
                .hasToString(
                        "TransactionOptions[isolation=default, durability=LAZY,"
                                + " lockWaitTimeout=default]");
    }

    @Test
    void givenANegativeTimeout_whenSet_thenItIsRefused() {
        TransactionOptions options = TransactionOptions.defaults();

        assertThatThrownBy(() -> options.lockWaitTimeout(Duration.ofNanos(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("option=lockWaitTimeout");
    }
}
