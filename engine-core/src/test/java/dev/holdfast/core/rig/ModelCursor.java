// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.core.rig;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.Cursor;
import dev.holdfast.core.rig.Operation.Move.Where;
import java.nio.ByteBuffer;
import java.util.NavigableMap;
import java.util.function.Supplier;

/** A cursor and its model: a place in a sorted map that may change under it. */
final class ModelCursor implements AutoCloseable {
    private enum Place {
        BEFORE_FIRST,
        ON,
        AFTER_LAST
    }

    private final Cursor cursor;
    private final Supplier<NavigableMap<String, Value>> rows;
    private final String from;
    private final String to;
    private final boolean reversed;
    private Place place = Place.BEFORE_FIRST;

    /** Where it stands, or last stood. */
    private String key;

    /**
     * Makes one.
     *
     * @param rows what it walks over, asked for at each move
     * @param from the least key
     * @param to above the greatest key, null if there is no end
     */
    ModelCursor(
            Cursor cursor,
            Supplier<NavigableMap<String, Value>> rows,
            String from,
            String to,
            boolean reversed) {
        this.cursor = cursor;
        this.rows = rows;
        this.from = from;
        this.to = to;
        this.reversed = reversed;
    }

    /** The rows in range, in the direction of the cursor. */
    private NavigableMap<String, Value> walked() {
        NavigableMap<String, Value> inRange =
                to == null
                        ? rows.get().tailMap(from, true)
                        : rows.get().subMap(from, true, to, false);
        return reversed ? inRange.descendingMap() : inRange;
    }

    void move(Where where, String target) {
        NavigableMap<String, Value> walked = walked();
        boolean isThere;
        String right;
        Place otherwise = Place.AFTER_LAST;
        switch (where) {
            case NEXT -> {
                isThere = cursor.next();
                right = next(walked);
            }
            case PREVIOUS -> {
                isThere = cursor.previous();
                right = previous(walked);
                otherwise = Place.BEFORE_FIRST;
            }
            case SEEK -> {
                isThere = cursor.seek(Keys.bytes(target));
                right = seek(walked, target);
            }
            case FIRST -> {
                isThere = cursor.first();
                right = walked.isEmpty() ? null : walked.firstKey();
            }
            default -> {
                isThere = cursor.last();
                right = walked.isEmpty() ? null : walked.lastKey();
            }
        }
        String moved = where + " from " + place + " " + (key == null ? "" : Keys.text(key));
        place = right == null ? otherwise : Place.ON;
        key = right == null ? key : right;
        check(moved, isThere, right, walked);
    }

    private String next(NavigableMap<String, Value> walked) {
        if (walked.isEmpty() || place == Place.AFTER_LAST) {
            return null;
        }
        return place == Place.BEFORE_FIRST ? walked.firstKey() : higher(walked);
    }

    private String higher(NavigableMap<String, Value> walked) {
        return walked.higherKey(key);
    }

    private String previous(NavigableMap<String, Value> walked) {
        if (walked.isEmpty() || place == Place.BEFORE_FIRST) {
            return null;
        }
        return place == Place.AFTER_LAST ? walked.lastKey() : walked.lowerKey(key);
    }

    private static String seek(NavigableMap<String, Value> walked, String target) {
        return walked.ceilingKey(target);
    }

    private void check(
            String moved, boolean isThere, String right, NavigableMap<String, Value> walked) {
        assertThat(isThere)
                .as("%s should find %s", moved, right == null ? "none" : Keys.text(right))
                .isEqualTo(right != null);
        if (right != null) {
            assertThat(Keys.text(Keys.of(cursor.key()))).as(moved).isEqualTo(Keys.text(right));
            byte[] value = walked.get(right).bytes();
            assertThat(cursor.value()).as("value after %s", moved).isEqualTo(value);
            assertThat(cursor.valueView()).isEqualTo(ByteBuffer.wrap(value));
            assertThat(cursor.keyView()).isEqualTo(ByteBuffer.wrap(Keys.bytes(right)));
        }
    }

    /** Moves until there is no further entry. */
    void checkToTheEnd() {
        int count = walked().size();
        for (int i = 0; i <= count; i++) {
            move(Where.NEXT, "");
        }
    }

    @Override
    public void close() {
        cursor.close();
    }
}
