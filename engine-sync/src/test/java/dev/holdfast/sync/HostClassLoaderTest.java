// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import org.junit.jupiter.api.Test;

/**
 * If it fails, a host that loads the engine anew, as an application server does, never gets the
 * memory of the old one back: something of ours hangs in a thread of the host's.
 */
final class HostClassLoaderTest {
    private static final int COLLECTIONS_MAX = 50;

    @Test
    void givenAThreadOfTheHostHasSlept_whenTheEngineIsDropped_thenItsClassesCanGo()
            throws Exception {
        WeakReference<ClassLoader> loader = sleepInAnotherLoader();

        for (int i = 0; i < COLLECTIONS_MAX && loader.get() != null; i++) {
            System.gc();
        }

        assertThat(loader.get()).isNull();
    }

    private static WeakReference<ClassLoader> sleepInAnotherLoader() throws Exception {
        URL[] classes = {
            SequenceBarrier.class.getProtectionDomain().getCodeSource().getLocation(),
            HostClassLoaderTest.class.getProtectionDomain().getCodeSource().getLocation()
        };
        try (URLClassLoader loader = new URLClassLoader(classes, null)) {
            // As in production: with assertions on, a thread-local list of latches is kept.
            loader.setDefaultAssertionStatus(false);
            Class<?> sleeper = loader.loadClass(Sleeper.class.getName());
            assertThat(sleeper).isNotSameAs(Sleeper.class);
            var constructor = sleeper.getDeclaredConstructor();
            constructor.setAccessible(true);
            ((Runnable) constructor.newInstance()).run();
            return new WeakReference<>(loader);
        }
    }

    /** Waits in all ways that leave something with the thread. */
    static final class Sleeper implements Runnable {
        Sleeper() {}

        @Override
        public void run() {
            FreshSite site = new FreshSite();
            new SequenceBarrier(site).await(1, () -> 0, () -> false, 1_000);
            new AdmissionGate(site, 0).enter(0, 1_000, () -> false);
            CurrentWait.begin(site, 1).end();
            if (site.counters().timeouts() != 2) {
                throw new AssertionError("did not sleep");
            }
        }
    }
}
