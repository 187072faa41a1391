// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** If an exception were of the wrong kind, callers would retry what cannot succeed. */
class EngineExceptionTest {
    private static final byte[] KEY = {1, (byte) 0xAB};
    private final IOException cause = new IOException("cause");

    @Test
    void givenTheRetryableOnes_whenAsked_thenTheyAreOfThatKindAndNameTheirValues() {
        List<EngineException> exceptions =
                List.of(
                        new WriteConflictException("t", KEY),
                        new LockTimeoutException("t", KEY, Duration.ofMillis(5)),
                        new LockTimeoutException("undo log", Duration.ofMillis(5)),
                        new LogSpaceTimeoutException(7, 9, Duration.ofMillis(5)),
                        new AdmissionTimeoutException(3, Duration.ofMillis(5)));

        assertThat(exceptions).allMatch(RetryableException.class::isInstance);
        assertThat(exceptions)
                .extracting(Throwable::getMessage)
                .containsExactly(
                        "write conflict: table=t, key=0x01ab",
                        "lock wait timed out: table=t, key=0x01ab, waitedMillis=5",
                        "lock wait timed out: wanted=undo log, waitedMillis=5",
                        "no log space in time: neededBytes=7, capacityBytes=9, waitedMillis=5",
                        "no transaction slot in time: maxConcurrentTransactions=3,"
                                + " waitedMillis=5");
    }

    @Test
    void givenTheUsageOnes_whenAsked_thenTheyAreOfThatKindAndNameTheirValues() {
        List<EngineException> exceptions =
                List.of(
                        new EngineClosedException("s"),
                        new TransactionFinishedException("transaction", "committed"),
                        new TransactionFinishedException("snapshot", "closed"),
                        new CodecException("key cannot be decoded", "t", KEY, cause),
                        new KeyTooLongException(9, 8),
                        new ValueTooLongException(9, 8),
                        new ConcurrentUseException("transaction 17"),
                        new NoSuchTableException("t"),
                        new TableExistsException("t"),
                        new DuplicateKeyException("t", KEY),
                        new WaitInterruptedException("row lock"),
                        new OptionMismatchException("s", "pageBytes", "4096", "8192"));

        assertThat(exceptions).allMatch(UsageException.class::isInstance);
        assertThat(exceptions)
                .extracting(Throwable::getMessage)
                .containsExactly(
                        "engine is closed: store=s",
                        "transaction is finished: end=committed",
                        "snapshot is finished: end=closed",
                        "key cannot be decoded: table=t, key=0x01ab, reason=cause",
                        "key is too long: keyBytes=9, keyBytesMax=8",
                        "value is too long: valueBytes=9, valueBytesMax=8",
                        "used by two threads at once: used=transaction 17",
                        "no such table: table=t",
                        "table exists: table=t",
                        "key exists: table=t, key=0x01ab",
                        "wait was interrupted: wanted=row lock",
                        "option cannot change: where=s, option=pageBytes, stored=4096, asked=8192");
    }

    @Test
    void givenTheResourceOnes_whenAsked_thenTheyAreOfThatKindAndKeepTheirCause() {
        List<EngineException> exceptions =
                List.of(
                        new DiskFullException("main.hfs", 4096, cause),
                        new AlreadyOpenException("d", "process 3", cause),
                        new StorageException("read failed: file=f", cause));

        assertThat(exceptions).allMatch(ResourceException.class::isInstance);
        assertThat(exceptions).allMatch(exception -> exception.getCause() == cause);
        assertThat(exceptions)
                .extracting(Throwable::getMessage)
                .containsExactly(
                        "disk is full: file=main.hfs, neededBytes=4096",
                        "store is already open: directory=d, holder=process 3",
                        "read failed: file=f");
    }

    @Test
    void givenTheFatalOnes_whenAsked_thenTheyAreOfThatKindAndNameTheirValues() {
        List<EngineException> exceptions =
                List.of(
                        new CorruptionException("page is torn", "f", 1, 4_294_967_294L, "a", "b"),
                        new CorruptionException("log block is damaged", "f", "a", "b"),
                        new FormatException("version is newer", "f", "1", "2"),
                        new EngineFailedException("sync failed", cause),
                        EngineFailedException.outcomeUnknown("sync failed", cause));

        assertThat(exceptions).allMatch(FatalException.class::isInstance);
        assertThat(exceptions)
                .extracting(Throwable::getMessage)
                .containsExactly(
                        "page is torn: file=f, space=1, page=4294967294, expected=a, found=b",
                        "log block is damaged: file=f, expected=a, found=b",
                        "version is newer: file=f, expected=1, found=2",
                        "engine has failed: reason=sync failed",
                        "engine has failed, outcome unknown: reason=sync failed");
    }

    @Test
    void givenAFailedCommit_whenAsked_thenOnlyItsOutcomeIsUnknown() {
        assertThat(EngineFailedException.outcomeUnknown("r", cause).isOutcomeUnknown()).isTrue();
        assertThat(new EngineFailedException("r", cause).isOutcomeUnknown()).isFalse();
    }

    @Test
    void givenAKey_whenTheCallersArrayChanges_thenTheExceptionsDoesNot() {
        byte[] key = KEY.clone();
        WriteConflictException conflict = new WriteConflictException("t", key);
        DuplicateKeyException duplicate = new DuplicateKeyException("t", key);
        LockTimeoutException timeout = new LockTimeoutException("t", key, Duration.ZERO);

        key[0] = 9;
        conflict.key()[0] = 9;

        assertThat(conflict.key()).isEqualTo(KEY);
        assertThat(duplicate.key()).isEqualTo(KEY);
        assertThat(timeout.key().orElseThrow()).isEqualTo(KEY);
    }
}
