// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.util.EnumMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** What a {@link CrashHarness} tried: the figures that show whether it tried enough. */
public final class CrashReport {
    private final String name;
    private final long startNanos = System.nanoTime();
    private final Set<Long> hashes = ConcurrentHashMap.newKeySet();
    private final AtomicLong images = new AtomicLong();
    private final AtomicLong repeated = new AtomicLong();
    private final AtomicLong lossy = new AtomicLong();
    private final AtomicLong killedThenPowerLost = new AtomicLong();
    private final AtomicLong buildNanos = new AtomicLong();
    private final Map<Integer, AtomicLong> byDepth = new ConcurrentHashMap<>();
    private final Map<CrashMode, AtomicLong> byMode = new EnumMap<>(CrashMode.class);
    private final Map<String, AtomicLong> byPath = new ConcurrentHashMap<>();
    private volatile long elapsedNanos;

    CrashReport(String name) {
        this.name = name;
        for (CrashMode mode : CrashMode.values()) {
            byMode.put(mode, new AtomicLong());
        }
    }

    void count(CrashImage image, long contentHash) {
        hashes.add(contentHash);
        images.incrementAndGet();
        byMode.get(image.where().mode()).incrementAndGet();
        byDepth.computeIfAbsent(image.depth(), depth -> new AtomicLong()).incrementAndGet();
        if (image.isLossy()) {
            lossy.incrementAndGet();
        }
        if (image.where().mode().isPowerLoss()
                && image.chain().stream().anyMatch(crash -> !crash.mode().isPowerLoss())) {
            killedThenPowerLost.incrementAndGet();
        }
    }

    void countRepeated() {
        repeated.incrementAndGet();
    }

    void countPath(String path) {
        byPath.computeIfAbsent(path, absent -> new AtomicLong()).incrementAndGet();
    }

    void countBuild(long nanos) {
        buildNanos.addAndGet(nanos);
    }

    void end() {
        elapsedNanos = System.nanoTime() - startNanos;
    }

    /** Images that were recovered and checked. */
    public long images() {
        return images.get();
    }

    /** Of those, how many differ in content. */
    public long distinctImages() {
        return hashes.size();
    }

    /** Images in which a pending write was dropped or torn. */
    public long lossyImages() {
        return lossy.get();
    }

    /** Images of a power loss that came after a mere kill. */
    public long killedThenPowerLost() {
        return killedThenPowerLost.get();
    }

    /** Images of that mode, as the last crash. */
    public long imagesOf(CrashMode mode) {
        return byMode.get(mode).get();
    }

    /** Images of that many crashes in a row. */
    public long imagesOfDepth(int depth) {
        AtomicLong count = byDepth.get(depth);
        return count == null ? 0 : count.get();
    }

    /** How often each way of recovery was taken. */
    public Map<String, Long> recoveryPaths() {
        Map<String, Long> paths = new TreeMap<>();
        byPath.forEach((path, count) -> paths.put(path, count.get()));
        return paths;
    }

    /** The figures as lines of text. */
    public String toText() {
        StringBuilder text = new StringBuilder(name);
        text.append(": images=").append(images());
        text.append(", distinct=").append(distinctImages());
        text.append(", lossy=").append(lossyImages());
        text.append(", repeatedAndLeftOut=").append(repeated.get());
        text.append(", killedThenPowerLost=").append(killedThenPowerLost());
        text.append(", millis=").append(TimeUnit.NANOSECONDS.toMillis(elapsedNanos));
        text.append(", buildMillis=").append(TimeUnit.NANOSECONDS.toMillis(buildNanos.get()));
        text.append("\n  by depth: ").append(new TreeMap<>(byDepth));
        text.append("\n  by mode: ").append(byMode);
        text.append("\n  recovery paths: ").append(byPath.size());
        recoveryPaths()
                .forEach(
                        (path, count) ->
                                text.append("\n    ").append(count).append(" × ").append(path));
        return text.toString();
    }

    @Override
    public String toString() {
        return toText();
    }
}
