// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

/** What a space's pages are for; the code is in its header. */
public enum SpaceKind {
    DATA(1),
    UNDO(2);

    private final int code;

    SpaceKind(int code) {
        this.code = code;
    }

    public int code() {
        return code;
    }

    /**
     * The kind that an id implies: ids and kinds are tied, so that one shows the other's damage.
     */
    public static SpaceKind of(int spaceId) {
        return StoreFiles.isUndoSpace(spaceId) ? UNDO : DATA;
    }
}
