// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * What was found to differ from what must be: the first ones in words, all counted. Thread-safe.
 */
public final class Differences {
    static final int TEXTS_MAX = 50;

    /** Both guarded by this. */
    private final List<String> texts = new ArrayList<>();

    private long count;

    synchronized void add(String text) {
        count++;
        if (texts.size() < TEXTS_MAX) {
            texts.add(text);
        }
    }

    public synchronized long count() {
        return count;
    }

    public synchronized List<String> texts() {
        return List.copyOf(texts);
    }
}
