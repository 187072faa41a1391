// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.db;

import dev.holdfast.core.watch.BackgroundAgent;
import dev.holdfast.core.watch.EngineHealth;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Agents that are started one by one and stopped together, the last one first. */
final class AgentGroup {
    private final EngineHealth health;
    private final List<Entry> entries = new ArrayList<>();

    AgentGroup(EngineHealth health) {
        this.health = health;
    }

    private record Entry(String name, BackgroundAgent agent) {}

    /** Makes an agent and starts it. */
    BackgroundAgent start(String name, long intervalMillis, BackgroundAgent.Body body) {
        long intervalNanos = TimeUnit.MILLISECONDS.toNanos(intervalMillis);
        return start(name, () -> intervalNanos, body);
    }

    /** Makes an agent whose pauses differ and starts it. */
    BackgroundAgent start(String name, LongSupplier intervalNanos, BackgroundAgent.Body body) {
        BackgroundAgent agent = new BackgroundAgent(name, health, intervalNanos, body);
        entries.add(new Entry(name, agent));
        agent.start();
        return agent;
    }

    /**
     * Stops all of them; a second call does nothing.
     *
     * @return names of those that did not end within the limit; empty as a rule
     */
    List<String> stop(long timeoutNanos) {
        long deadline = System.nanoTime() + timeoutNanos;
        List<String> late = new ArrayList<>();
        for (int i = entries.size() - 1; i >= 0; i--) {
            Entry entry = entries.get(i);
            if (!entry.agent.stop(Math.max(0, deadline - System.nanoTime()))) {
                late.add(entry.name);
            }
        }
        if (late.isEmpty()) {
            entries.clear();
        }
        return late;
    }

    /** A line for each agent: its name and its rounds. */
    void describe(StringBuilder text) {
        for (Entry entry : entries) {
            text.append(entry.name).append(": rounds=").append(entry.agent.rounds()).append('\n');
        }
    }
}
