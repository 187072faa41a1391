// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** If buckets were off by one, every reported latency would be off by a factor of two. */
final class HistogramTest {
    private final Histogram histogram = new Histogram();

    @Test
    void givenPowersOfTwo_whenBucketed_thenEachBoundBelongsToItsBucket() {
        assertThat(Histogram.bucket(-1)).isZero();
        assertThat(Histogram.bucket(0)).isZero();
        for (int bucket = 1; bucket < Histogram.BUCKETS; bucket++) {
            long lowest = 1L << (bucket - 1);
            assertThat(Histogram.bucket(lowest)).isEqualTo(bucket);
            assertThat(Histogram.bucket(Histogram.upperBound(bucket))).isEqualTo(bucket);
            assertThat(Histogram.bucket(lowest - 1)).isEqualTo(bucket - 1);
        }
        assertThat(Histogram.upperBound(Histogram.BUCKETS - 1)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void givenNothingRecorded_whenAsked_thenAllIsZero() {
        Histogram.Snapshot snapshot = histogram.snapshot();

        assertThat(snapshot.count()).isZero();
        assertThat(snapshot.percentile(99)).isZero();
    }

    @Test
    void givenValues_whenAskedForPercentiles_thenTheyAreUpperBounds() {
        for (int i = 0; i < 90; i++) {
            histogram.record(100);
        }
        for (int i = 0; i < 10; i++) {
            histogram.record(5000);
        }

        Histogram.Snapshot snapshot = histogram.snapshot();

        assertThat(snapshot.count()).isEqualTo(100);
        assertThat(snapshot.count(7)).isEqualTo(90);
        assertThat(snapshot.percentile(50)).isEqualTo(127);
        assertThat(snapshot.percentile(90)).isEqualTo(127);
        assertThat(snapshot.percentile(91)).isEqualTo(8191);
        assertThat(snapshot.percentile(100)).isEqualTo(8191);
    }

    @Test
    void givenAnEarlierSnapshot_whenSubtracted_thenOnlyTheNewIsLeft() {
        histogram.record(1);
        Histogram.Snapshot earlier = histogram.snapshot();
        histogram.record(1000);

        Histogram.Snapshot since = histogram.snapshot().since(earlier);

        assertThat(since.count()).isEqualTo(1);
        assertThat(since.percentile(100)).isEqualTo(1023);
    }

    @Test
    void givenAPercentileOutOfRange_whenAsked_thenItIsRefused() {
        Histogram.Snapshot snapshot = histogram.snapshot();

        assertThatThrownBy(() -> snapshot.percentile(0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> snapshot.percentile(101))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("percent=101");
        assertThatThrownBy(() -> snapshot.percentile(Double.NaN))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
