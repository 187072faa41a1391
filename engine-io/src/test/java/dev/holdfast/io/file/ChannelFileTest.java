// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The wait for a transfer that the JDK makes on threads of its own, as it does on Windows. */
@Timeout(60)
final class ChannelFileTest {

    @Test
    void givenAnInterruptWhileATransferRuns_whenItEnds_thenItsResultComesWithTheFlag()
            throws Exception {
        CompletableFuture<Integer> transfer = new CompletableFuture<>();
        AtomicReference<String> outcome = new AtomicReference<>("none");
        Thread caller =
                new Thread(
                        () -> {
                            try {
                                int count = ChannelFile.await(transfer);
                                outcome.set(count + ", flag=" + Thread.interrupted());
                            } catch (IOException e) {
                                outcome.set(e.toString());
                            }
                        });
        caller.start();
        caller.interrupt();
        while (caller.isInterrupted()) {
            Thread.onSpinWait(); // until the wait has met the interrupt
        }

        transfer.complete(4096);
        caller.join();

        assertThat(outcome.get()).isEqualTo("4096, flag=true");
    }

    @Test
    void givenATransferThatFailed_whenWaitedFor_thenItsOwnErrorComesOut() {
        IOException planned = new IOException("planned");
        Error other = new AssertionError("planned");

        assertThatThrownBy(() -> ChannelFile.await(CompletableFuture.failedFuture(planned)))
                .isSameAs(planned);
        assertThatThrownBy(() -> ChannelFile.await(CompletableFuture.failedFuture(other)))
                .isInstanceOf(IOException.class)
                .hasCause(other);
    }
}
