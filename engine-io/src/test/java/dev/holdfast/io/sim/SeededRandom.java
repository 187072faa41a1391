// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.sim;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Collections;
import java.util.List;

/**
 * The only source of randomness in tests: a generator that is fully given by one number.
 *
 * <p>A component gets a generator of its own by {@link #derive(String)}, which depends on the seed
 * and the name alone and not on what was drawn before, so that a change in one component leaves the
 * others' draws as they were. Not safe for use by several threads.
 */
public final class SeededRandom {
    /*
     * SplitMix64 (Steele, Lea, Flood 2014). java.util.Random is not used because its streams of
     * neighbouring seeds are correlated, and seeds here are often 0, 1, 2.
     */
    private static final long GAMMA = 0x9E3779B97F4A7C15L;
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final long seed;
    private long state;

    public SeededRandom(long seed) {
        this.seed = seed;
        this.state = seed;
    }

    public long seed() {
        return seed;
    }

    /** A generator for the named part; equal seeds and names give equal generators. */
    public SeededRandom derive(String name) {
        long hash = seed;
        for (int i = 0; i < name.length(); i++) {
            hash = mix(hash + GAMMA + name.charAt(i));
        }
        return new SeededRandom(mix(hash));
    }

    /** A generator for the part of that index. */
    public SeededRandom derive(long index) {
        return new SeededRandom(mix(mix(seed + GAMMA) + index));
    }

    public long nextLong() {
        state += GAMMA;
        return mix(state);
    }

    /** Uniform in [0, bound). */
    public int nextInt(int bound) {
        return (int) nextLong(bound);
    }

    /** Uniform in [0, bound), but for a bias that does not matter to tests. */
    public long nextLong(long bound) {
        if (bound <= 0) {
            throw new IllegalArgumentException("bound is not positive, bound=" + bound);
        }
        return (nextLong() >>> 1) % bound;
    }

    /** Uniform in [least, most], both included. */
    public int between(int least, int most) {
        return least + nextInt(most - least + 1);
    }

    /** Uniform in [0, 1). */
    public double nextDouble() {
        return (nextLong() >>> 11) * 0x1.0p-53;
    }

    public boolean chance(double probability) {
        return nextDouble() < probability;
    }

    public boolean oneIn(int count) {
        return nextInt(count) == 0;
    }

    public boolean nextBoolean() {
        return nextLong() < 0;
    }

    public <T> T pick(List<T> choices) {
        return choices.get(nextInt(choices.size()));
    }

    @SafeVarargs
    @SuppressWarnings("varargs")
    public final <T> T pickOf(T... choices) {
        return choices[nextInt(choices.length)];
    }

    public byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        fill(bytes, 0, length);
        return bytes;
    }

    public void fill(byte[] target, int from, int to) {
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            LONG.set(target, at, nextLong());
        }
        for (; at < to; at++) {
            target[at] = (byte) nextLong();
        }
    }

    public void shuffle(List<?> list) {
        for (int i = list.size() - 1; i > 0; i--) {
            Collections.swap(list, i, nextInt(i + 1));
        }
    }

    @Override
    public String toString() {
        return "seed=" + seed;
    }

    static long mix(long value) {
        long z = value;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
