// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.sync;

import java.util.List;

/**
 * What one thread was doing at one moment.
 *
 * @param frames the innermost call first; empty if the thread has ended or none were taken
 */
public record ThreadStack(
        String name, long id, Thread.State state, List<StackTraceElement> frames) {
    public ThreadStack {
        frames = List.copyOf(frames);
    }

    static ThreadStack of(Thread thread) {
        return of(thread, thread.getStackTrace());
    }

    static ThreadStack of(Thread thread, StackTraceElement[] frames) {
        return new ThreadStack(
                thread.getName(), thread.getId(), thread.getState(), List.of(frames));
    }

    static ThreadStack withoutFrames(Thread thread) {
        return of(thread, new StackTraceElement[0]);
    }

    void appendTo(StringBuilder text, String label) {
        text.append(String.format("  %s thread=%s, id=%d, state=%s%n", label, name, id, state));
        frames.forEach(frame -> text.append(String.format("      at %s%n", frame)));
    }
}
