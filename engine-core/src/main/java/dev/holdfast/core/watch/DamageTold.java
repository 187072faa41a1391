// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.watch;

import dev.holdfast.CorruptionException;
import java.util.HashSet;
import java.util.Set;

/** The damaged pages that were told of, so that each is told of once, and only so many. */
final class DamageTold {
    /** Each is met again and again by work that is retried; all of a broken disk are too many. */
    private static final int PAGES_MAX = 64;

    /** Guarded by the monitor. */
    private final Set<Place> places = new HashSet<>();

    /** Returns the place, which is to be told of now and not a second time; null if it was. */
    synchronized Place take(CorruptionException damage) {
        Place place = new Place(damage.file(), damage.spaceId(), damage.pageNumber());
        return places.size() < PAGES_MAX && places.add(place) ? place : null;
    }

    /** It could not be told of: that is to be tried again. Takes no memory. */
    synchronized void giveBack(Place place) {
        places.remove(place);
    }

    /** Where something is damaged. */
    record Place(String file, long spaceId, long pageNumber) {}
}
