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

    /** Whether this place is to be told of; it is not a second time. */
    synchronized boolean isNew(CorruptionException damage) {
        Place place = new Place(damage.file(), damage.spaceId(), damage.pageNumber());
        return places.size() < PAGES_MAX && places.add(place);
    }

    private record Place(String file, long spaceId, long pageNumber) {}
}
