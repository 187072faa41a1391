// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Two keys a directory: either of them, met again, is the same directory. */
final class LockRegistryTest {
    private static final String PATH = "path:/LockRegistryTest/";
    private static final String KEY = "key:LockRegistryTest-";

    @Test
    void givenTheSameFileKeyUnderAnotherPath_whenEntered_thenTheHolderIsNamedAndNothingStays() {
        assertThat(LockRegistry.tryEnter(List.of(PATH + 1, KEY + 1), "first").isEntered()).isTrue();

        LockRegistry.Entry refused = LockRegistry.tryEnter(List.of(PATH + 2, KEY + 1), "second");

        assertThat(refused).isEqualTo(new LockRegistry.Entry(false, "first"));
        assertThat(LockRegistry.tryEnter(List.of(PATH + 2, KEY + 2), "third").isEntered()).isTrue();
        LockRegistry.leave(List.of(PATH + 2, KEY + 2));
        LockRegistry.leave(List.of(PATH + 1, KEY + 1));
    }

    @Test
    void givenAKeyThatWasLeft_whenEnteredAgain_thenItIsFree() {
        List<String> keys = List.of(PATH + 3, KEY + 3);
        assertThat(LockRegistry.tryEnter(keys, "first").isEntered()).isTrue();
        LockRegistry.leave(keys);

        LockRegistry.Entry again = LockRegistry.tryEnter(keys, "second");
        LockRegistry.leave(keys);

        assertThat(again).isEqualTo(new LockRegistry.Entry(true, "second"));
    }
}
