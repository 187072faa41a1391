// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** If options were not checked here, a store would fail at a depth where nothing names them. */
class EngineOptionsTest {
    @ParameterizedTest
    @ValueSource(ints = {4 << 10, 8 << 10, 16 << 10, 32 << 10, 64 << 10})
    void givenTheLeastSizes_whenBuilt_thenTheyAreAllowed(int pageBytes) {
        EngineOptions options =
                EngineOptions.builder()
                        .pageBytes(pageBytes)
                        .poolBytes(Limits.poolBytesMin(pageBytes))
                        .redoCapacityBytes(Limits.redoCapacityBytesMin(pageBytes))
                        .build();

        assertThat(options.pageBytes()).isEqualTo(pageBytes);
        assertThat(options.logBufferBytes())
                .isBetween(
                        Limits.logBufferBytesMin(pageBytes),
                        (int) (options.redoCapacityBytes() / 2));
    }

    @Test
    void givenFourKibibytePages_whenTheLimitsAreAsked_thenTheyAreTheSmallestFootprint() {
        assertThat(Limits.poolBytesMin(4 << 10)).isEqualTo(256 << 10);
        assertThat(Limits.redoCapacityBytesMin(4 << 10)).isEqualTo(512 << 10);
        assertThat(Limits.logBufferBytesMin(4 << 10)).isEqualTo(256 << 10);
        assertThat(Limits.keyBytesMax(16 << 10)).isEqualTo(2 << 10);
        assertThat(Limits.redoGroupBytesMax(64 << 10)).isEqualTo(1 << 20);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 512, 2 << 10, 5_000, 128 << 10, Integer.MIN_VALUE})
    void givenNoPageSize_whenSet_thenItIsRefused(int pageBytes) {
        assertThatThrownBy(() -> EngineOptions.builder().pageBytes(pageBytes))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("option=pageBytes, value=" + pageBytes);
    }

    @Test
    void givenLessThanTheLeast_whenBuilt_thenOptionValueAndLimitAreNamed() {
        int pageBytes = 4 << 10;
        EngineOptions.Builder small = EngineOptions.builder().pageBytes(pageBytes);

        refuses("poolBytes", 262_143, b -> b.pageBytes(pageBytes).poolBytes(262_143));
        refuses(
                "redoCapacityBytes",
                524_287,
                b -> b.pageBytes(pageBytes).redoCapacityBytes(524_287));
        refuses("logBufferBytes", 1 << 17, b -> b.pageBytes(pageBytes).logBufferBytes(1 << 17));
        assertThat(small.build().pageBytes()).isEqualTo(pageBytes);
    }

    @Test
    void givenNothingAtAll_whenSet_thenTheLeastForThePageSizeIsNamed() {
        refusesWith("min=1048576, max=274877906944, pageBytes=16384", b -> b.poolBytes(0));
        refusesWith(
                "min=262144, max=68719476736, pageBytes=4096", b -> b.pageBytes(4096).poolBytes(0));
        refusesWith("min=1048576, max=274877906944, pageBytes=16384", b -> b.poolBytes(262_144));
        refusesWith(
                "min=262144, max=68719476736, pageBytes=4096",
                b -> b.poolBytes(1L << 37).pageBytes(4096));
        refusesWith("min=2097152, max=1099511627776, pageBytes=16384", b -> b.redoCapacityBytes(0));
        refusesWith("min=1048576, max=33554432, pageBytes=16384", b -> b.logBufferBytes(1));
    }

    @Test
    void givenSettings_whenShown_thenEachIsNamedWithItsValue() {
        EngineOptions options = EngineOptions.builder().writeAttempts(7).build();

        values(options)
                .forEach(
                        (name, value) ->
                                assertThat(options.toString()).contains(name + "=" + value));
        assertThat(options.toString())
                .startsWith("EngineOptions[pageBytes=16384, poolBytes=")
                .endsWith("]");
    }

    @Test
    void givenALogBufferOfMoreThanHalfTheLog_whenBuilt_thenItIsRefused() {
        refuses(
                "logBufferBytes",
                8 << 20,
                b -> b.redoCapacityBytes(15 << 20).logBufferBytes(8 << 20));
    }

    @Test
    void givenValuesOutOfRange_whenSet_thenEachIsRefused() {
        refuses("poolShards", 0, b -> b.poolShards(0));
        refuses("poolShards", 3, b -> b.poolShards(3));
        refuses("poolShards", 128, b -> b.poolShards(128));
        refuses("logBufferBytes", 5_000_000, b -> b.logBufferBytes(5_000_000));
        refuses("doublewriteSlots", 0, b -> b.doublewriteSlots(0));
        refuses("doublewriteSlots", 9, b -> b.doublewriteSlots(9));
        refuses("doublewriteBatchPages", 0, b -> b.doublewriteBatchPages(0));
        refuses("doublewriteBatchPages", 513, b -> b.doublewriteBatchPages(513));
        refuses("ioCapacity", 99, b -> b.ioCapacity(99));
        refuses("ioCapacity", -1, b -> b.ioCapacity(-1));
        refuses("ioReadThreads", -1, b -> b.ioReadThreads(-1));
        refuses("ioWriteThreads", 65, b -> b.ioWriteThreads(65));
        refuses("undoSpaces", 1, b -> b.undoSpaces(1));
        refuses("undoSpaces", 9, b -> b.undoSpaces(9));
        refuses("maxConcurrentTransactions", -1, b -> b.maxConcurrentTransactions(-1));
        refuses("admissionTimeout", "PT-1S", b -> b.admissionTimeout(Duration.ofSeconds(-1)));
        refuses("writeAttempts", 0, b -> b.writeAttempts(0));
        refuses("logFlushInterval", "PT0S", b -> b.logFlushInterval(Duration.ZERO));
        refuses("lockWaitTimeout", "PT-1S", b -> b.lockWaitTimeout(Duration.ofSeconds(-1)));
        refuses("logSpaceTimeout", "PT25H", b -> b.logSpaceTimeout(Duration.ofHours(25)));
        refuses("waitWatchdog", "PT0.0001S", b -> b.waitWatchdog(Duration.ofNanos(100_000)));
        refuses("waitWatchdog", "PT25H", b -> b.waitWatchdog(Duration.ofHours(25)));
        refuses("closeTimeout", "PT-1S", b -> b.closeTimeout(Duration.ofSeconds(-1)));
    }

    @Test
    void givenEverySettingChanged_whenCopiedThroughABuilder_thenNothingIsLost() {
        EngineOptions changed =
                EngineOptions.builder()
                        .pageBytes(8 << 10)
                        .poolBytes(1 << 20)
                        .poolShards(4)
                        .redoCapacityBytes(32 << 20)
                        .logBufferBytes(1 << 20)
                        .logFlushInterval(Duration.ofMillis(7))
                        .logSpaceTimeout(Duration.ofMillis(8))
                        .redoSelfCheck(true)
                        .checksum(ChecksumKind.WORD)
                        .customChecksums(Crc32Checksum.standard())
                        .doublewrite(DoublewriteMode.OFF)
                        .doublewriteSlots(3)
                        .doublewriteBatchPages(17)
                        .fileMode(FileMode.DIRECT)
                        .ioCapacity(777)
                        .ioReadThreads(3)
                        .ioWriteThreads(5)
                        .readAhead(false)
                        .undoSpaces(3)
                        .isolation(Isolation.READ_COMMITTED)
                        .durability(Durability.LAZY)
                        .lockWaitTimeout(Duration.ofMillis(9))
                        .maxConcurrentTransactions(6)
                        .admissionTimeout(Duration.ofMillis(10))
                        .writeAttempts(5)
                        .timeWaits(WaitTiming.FULL)
                        .waitWatchdog(Duration.ZERO)
                        .createIfMissing(false)
                        .closeMode(CloseMode.FAST)
                        .closeTimeout(Duration.ofMillis(11))
                        .build();

        Map<String, Object> values = values(changed);

        assertThat(values(changed.toBuilder().build())).isEqualTo(values);
        Map<String, Object> defaults = values(EngineOptions.defaults());
        assertThat(values.keySet()).isEqualTo(defaults.keySet()).hasSize(30);
        values.forEach(
                (name, value) -> assertThat(value).as(name).isNotEqualTo(defaults.get(name)));
    }

    @Test
    void givenABuilderUsedAgain_whenThePageSizeGrows_thenDerivedValuesAreDerivedAnew() {
        EngineOptions.Builder builder = EngineOptions.builder().redoCapacityBytes(8 << 20);

        EngineOptions first = builder.build();
        EngineOptions second = builder.redoCapacityBytes(64 << 20).build();

        assertThat(first.logBufferBytes()).isEqualTo(4 << 20);
        assertThat(second.logBufferBytes()).isEqualTo(16 << 20);
        assertThat(Integer.bitCount(second.poolShards())).isOne();
    }

    private static void refuses(
            String option, Object value, UnaryOperator<EngineOptions.Builder> setting) {
        assertThatThrownBy(() -> setting.apply(EngineOptions.builder()).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("option=" + option + ", value=" + value);
    }

    private static void refusesWith(String allowed, UnaryOperator<EngineOptions.Builder> setting) {
        assertThatThrownBy(() -> setting.apply(EngineOptions.builder()).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith(", " + allowed);
    }

    private static Map<String, Object> values(EngineOptions options) {
        Map<String, Object> values = new TreeMap<>();
        Arrays.stream(EngineOptions.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> !List.of("toBuilder", "toString").contains(method.getName()))
                .forEach(method -> values.put(method.getName(), value(method, options)));
        return values;
    }

    private static Object value(Method getter, EngineOptions options) {
        try {
            return getter.invoke(options);
        } catch (ReflectiveOperationException e) {
            throw new LinkageError(getter.getName(), e);
        }
    }
}
