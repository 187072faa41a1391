// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** If this failed, a side would work when it is not its turn, or its rate be another's. */
class TurnLinesTest {
    private final List<String> events = new ArrayList<>();
    private final StringWriter said = new StringWriter();

    @ParameterizedTest
    @CsvSource({"350123.25, 0.0", "1.5E-7, -1.0", "1.2345678E9, 0.125"})
    void givenATurn_whenToldAsALine_thenItIsReadAsItWas(double rate, double others) {
        LiveSide.Turn turn = new LiveSide.Turn(rate, others);

        LiveSide.Turn read = LiveSide.Turn.parse(turn.toLine());

        assertThat(read).isEqualTo(turn);
    }

    @Test
    void givenLines_whenServed_thenTheSideDoesWhatTheySayAndEndsWithThem() throws Exception {
        TurnLines.serve(new Side(), lines("turn\nsettle\nturn\n"), said);

        assertThat(events).containsExactly("begin", "turn", "settle", "turn", "end");
        assertThat(said.toString())
                .isEqualTo(
                        """
                        begun
                        turn unitsPerSecond=2.0 othersShare=0.5
                        settled
                        turn unitsPerSecond=4.0 othersShare=0.5
                        """);
    }

    @Test
    void givenAnotherWord_whenServed_thenTheSideEnds() {
        BufferedReader in = lines("dance\n");

        assertThatThrownBy(() -> TurnLines.serve(new Side(), in, said))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("line=dance");

        assertThat(events).containsExactly("begin", "end");
    }

    @Test
    void givenAnswers_whenAskedFromAfar_thenTheWordsAreSaidInOrder() throws Exception {
        String answers = "begun\nturn unitsPerSecond=7.0 othersShare=0.0\nsettled\n";
        TurnLines.Remote remote = new TurnLines.Remote(lines(answers), said);

        remote.begin();
        LiveSide.Turn turn = remote.turn();
        remote.settle();

        assertThat(turn).isEqualTo(new LiveSide.Turn(7, 0));
        assertThat(said.toString()).isEqualTo("turn\nsettle\n");
    }

    @Test
    void givenAnAnswerOutOfPlaceOrNone_whenAskedFromAfar_thenItIsNotTakenForAnother() {
        TurnLines.Remote remote = new TurnLines.Remote(lines("settled\nbegun\n"), said);

        assertThatThrownBy(remote::begin).hasMessageContaining("wanted=begun, line=settled");
        assertThatThrownBy(remote::turn).hasMessageContaining("not a turn: line=begun");
        assertThatThrownBy(remote::settle).hasMessageContaining("ended by itself");
    }

    private static BufferedReader lines(String text) {
        return new BufferedReader(new StringReader(text));
    }

    /** Its rates are the numbers of its events. */
    private final class Side implements LiveSide {
        @Override
        public void begin() {
            events.add("begin");
        }

        @Override
        public Turn turn() {
            events.add("turn");
            return new Turn(events.size(), 0.5);
        }

        @Override
        public void settle() {
            events.add("settle");
        }

        @Override
        public void end() {
            events.add("end");
        }
    }
}
