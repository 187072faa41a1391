// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.fileio;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** If this failed, one side would always run second, or a warm-up would count. */
class PairedTurnsTest {
    private final List<String> order = new ArrayList<>();

    @Test
    void givenTwoSides_whenRun_thenTheyChangePlacesAndTheRatioIsTheSecondsOverTheFirsts()
            throws Exception {
        PairedTurns.Result result =
                new PairedTurns(1, 4).run(() -> ran("A", 10, 7), () -> ran("B", 30, 7));

        assertThat(String.join("", order)).isEqualTo("BA" + "AB" + "BA" + "AB" + "BA");
        assertThat(result.first()).isEqualTo(10);
        assertThat(result.second()).isEqualTo(30);
        assertThat(result.ratio().median()).isEqualTo(3);
        assertThat(result.ratio().pairs()).isEqualTo(4);
    }

    /** The rate, or another in the pair that does not count. */
    private double ran(String name, double rate, double cold) {
        order.add(name);
        return order.size() <= 2 ? cold : rate;
    }
}
