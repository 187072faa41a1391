// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.txn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.CorruptionException;
import dev.holdfast.Limits;
import dev.holdfast.core.btree.OverflowPointer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** If this failed, a damaged pointer would cost the reader its memory instead of a typed error. */
final class OverflowLengthTest {
    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MIN_VALUE, Limits.VALUE_BYTES_MAX + 1, Integer.MAX_VALUE})
    void givenAPointerWithALengthThatNoValueHas_whenRead_thenItIsDamage(int length) {
        try (TransactionFixture engine = TransactionFixture.small()) {
            TableHandle table = engine.table("t");
            byte[] pointer = new byte[OverflowPointer.BYTES];
            OverflowPointer.encode(pointer, 0, 7, length);

            assertThatThrownBy(() -> engine.system.readOverflow(table, pointer))
                    .isInstanceOf(CorruptionException.class)
                    .hasMessageContaining("table=t")
                    .hasMessageContaining(Integer.toUnsignedString(length));
        }
    }

    @Test
    void givenTheLongestValue_whenItsLengthIsAsked_thenItIsBelieved() {
        try (TransactionFixture engine = TransactionFixture.small()) {
            byte[] pointer = new byte[OverflowPointer.BYTES];
            OverflowPointer.encode(pointer, 0, 7, Limits.VALUE_BYTES_MAX);

            int length = engine.system.lengthOf(engine.table("t"), pointer);

            assertThat(length).isEqualTo(Limits.VALUE_BYTES_MAX);
        }
    }
}
