// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** If a typed method called the wrong namesake, callers would lose rows without an error. */
class TypedTableTest {
    private final Engine engine =
            Engine.inMemory(
                    EngineOptions.builder()
                            .pageBytes(4 << 10)
                            .poolBytes(1 << 20)
                            .redoCapacityBytes(1 << 20)
                            .build());
    private final TypedTable<Integer, String> table =
            engine.table("typed", Codec.INT, Codec.STRING);

    @AfterEach
    void close() {
        engine.close();
    }

    @Test
    void givenRows_whenReadTyped_thenTheyAreThoseThatWerePut() {
        try (Transaction transaction = engine.begin()) {
            table.put(transaction, -1, "minus");
            table.insert(transaction, 2, "two");

            assertThat(table.get(transaction, -1)).isEqualTo("minus");
            assertThat(table.contains(transaction, 2)).isTrue();
            assertThat(table.get(transaction, 3)).isNull();
            assertThat(table.contains(transaction, 3)).isFalse();
            assertThat(transaction.get(table.table(), table.keyBytes(2)))
                    .isEqualTo(Codec.STRING.encode("two"));
        }
    }

    @Test
    void givenARow_whenChangedTyped_thenEachMethodDoesWhatItsNamesakeDoes() {
        try (Transaction transaction = engine.begin()) {
            table.put(transaction, 1, "a");

            assertThatThrownBy(() -> table.insert(transaction, 1, "b"))
                    .isInstanceOf(DuplicateKeyException.class);
            assertThat(table.replace(transaction, 2, "b")).isFalse();
            assertThat(table.replace(transaction, 1, "b")).isTrue();
            assertThat(table.update(transaction, 1, "a", "c")).isFalse();
            assertThat(table.update(transaction, 1, "b", "c")).isTrue();
            assertThat(table.get(transaction, 1)).isEqualTo("c");
            assertThat(table.delete(transaction, 1)).isTrue();
            assertThat(table.delete(transaction, 1)).isFalse();
            assertThat(table.get(transaction, 1)).isNull();
        }
    }

    @Test
    void givenNumbersOfBothSigns_whenWalked_thenTheyComeInTheirOrder() {
        try (Transaction transaction = engine.begin()) {
            for (int key = -3; key <= 3; key++) {
                table.put(transaction, key, "v" + key);
            }

            try (TypedCursor<Integer, String> cursor = table.cursor(transaction, Range.all())) {
                for (int key = -3; key <= 3; key++) {
                    assertThat(cursor.next()).isTrue();
                    assertThat(cursor.key()).isEqualTo(key);
                    assertThat(cursor.value()).isEqualTo("v" + key);
                }
                assertThat(cursor.next()).isFalse();
                assertThat(cursor.previous()).isTrue();
                assertThat(cursor.key()).isEqualTo(3);
                assertThat(cursor.seek(-2)).isTrue();
                assertThat(cursor.key()).isEqualTo(-2);
                assertThat(cursor.first()).isTrue();
                assertThat(cursor.key()).isEqualTo(-3);
                assertThat(cursor.last()).isTrue();
                assertThat(cursor.key()).isEqualTo(3);
            }
        }
    }

    @Test
    void givenATypedRange_whenDeleted_thenTheRowsInItAreGone() {
        try (Transaction transaction = engine.begin()) {
            for (int key = -3; key <= 3; key++) {
                table.put(transaction, key, "v" + key);
            }

            long deleted =
                    table.deleteRange(
                            transaction, Range.closedOpen(table.keyBytes(-1), table.keyBytes(2)));

            assertThat(deleted).isEqualTo(3);
            assertThat(table.contains(transaction, -2)).isTrue();
            assertThat(table.contains(transaction, -1)).isFalse();
            assertThat(table.contains(transaction, 1)).isFalse();
            assertThat(table.contains(transaction, 2)).isTrue();
        }
    }

    @Test
    void givenATableOfAnotherCodec_whenRead_thenTableAndKeyAreNamedAndTheCauseKept() {
        TypedTable<Integer, Long> numbers = engine.table("typed", Codec.INT, Codec.LONG);
        TypedTable<Long, String> longKeys = engine.table("typed", Codec.LONG, Codec.STRING);
        try (Transaction transaction = engine.begin()) {
            table.put(transaction, 1, "one");

            CodecException value =
                    catchThrowableOfType(CodecException.class, () -> numbers.get(transaction, 1));
            assertThat(value)
                    .hasMessage(
                            "value cannot be decoded: table=typed, key=0x80000001, reason=bytes are"
                                    + " no long: expectedBytes=8, foundBytes=3")
                    .hasCauseInstanceOf(IllegalArgumentException.class);
            assertThat(value.table()).isEqualTo("typed");
            assertThat(value.key()).contains(Codec.INT.encode(1));
            try (TypedCursor<Integer, Long> cursor = numbers.cursor(transaction, Range.all())) {
                assertThat(cursor.next()).isTrue();
                assertThatThrownBy(cursor::value)
                        .isInstanceOf(CodecException.class)
                        .hasMessageContaining("table=typed, key=0x80000001, ");
                assertThat(cursor.key()).isEqualTo(1);
            }
            try (TypedCursor<Long, String> cursor = longKeys.cursor(transaction, Range.all())) {
                assertThat(cursor.next()).isTrue();
                assertThatThrownBy(cursor::key)
                        .isInstanceOf(CodecException.class)
                        .hasMessageStartingWith(
                                "key cannot be decoded: table=typed, key=0x80000001, ");
            }
        }
    }

    @Test
    void givenWhatTheCodecHasNoBytesFor_whenPut_thenTheTableIsNamed() {
        TypedTable<String, String> texts = engine.table("texts", Codec.STRING, Codec.STRING);
        try (Transaction transaction = engine.begin()) {
            assertThatThrownBy(() -> texts.put(transaction, "a", "\ud800"))
                    .isInstanceOf(CodecException.class)
                    .hasMessageStartingWith("value cannot be encoded: table=texts, key=0x61, ")
                    .hasCauseInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> texts.get(transaction, "\ud800"))
                    .isInstanceOf(CodecException.class)
                    .hasMessageStartingWith("key cannot be encoded: table=texts, reason=");
            assertThat(texts.contains(transaction, "a")).isFalse();
        }
    }

    @Test
    void givenNulls_whenPassed_thenArgumentAndTableAreNamed() {
        try (Transaction transaction = engine.begin();
                TypedCursor<Integer, String> cursor = table.cursor(transaction, Range.all())) {
            refusesNull("key", () -> table.get(transaction, null));
            refusesNull("key", () -> table.contains(transaction, null));
            refusesNull("key", () -> table.put(transaction, null, "a"));
            refusesNull("key", () -> table.delete(transaction, null));
            refusesNull("key", () -> table.keyBytes(null));
            refusesNull("key", () -> cursor.seek(null));
            refusesNull("value", () -> table.put(transaction, 1, null));
            refusesNull("value", () -> table.insert(transaction, 1, null));
            refusesNull("value", () -> table.replace(transaction, 1, null));
            refusesNull("value", () -> table.update(transaction, 1, "a", null));
            refusesNull("expected", () -> table.update(transaction, 1, null, "a"));
        }
    }

    private static void refusesNull(String argument, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(NullPointerException.class)
                .hasMessage(argument + " is null: table=typed");
    }
}
