// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.core.space;

import java.util.Arrays;

/** Space id → open file. Immutable: a change is a new table, so lookups take no latch. */
final class SpaceTable {
    static final SpaceTable EMPTY = new SpaceTable(new int[0], new SpaceFile[0]);

    /** Ascending. */
    private final int[] ids;

    private final SpaceFile[] files;

    private SpaceTable(int[] ids, SpaceFile[] files) {
        this.ids = ids;
        this.files = files;
    }

    /** The space's file, or null if there is none. */
    SpaceFile find(int spaceId) {
        int index = Arrays.binarySearch(ids, spaceId);
        return index < 0 ? null : files[index];
    }

    SpaceTable with(SpaceFile file) {
        int index = -Arrays.binarySearch(ids, file.spaceId) - 1;
        assert index >= 0 : "space is there already: space=" + file.spaceId;

        int[] newIds = new int[ids.length + 1];
        SpaceFile[] newFiles = new SpaceFile[ids.length + 1];
        System.arraycopy(ids, 0, newIds, 0, index);
        System.arraycopy(files, 0, newFiles, 0, index);
        newIds[index] = file.spaceId;
        newFiles[index] = file;
        System.arraycopy(ids, index, newIds, index + 1, ids.length - index);
        System.arraycopy(files, index, newFiles, index + 1, ids.length - index);
        return new SpaceTable(newIds, newFiles);
    }

    SpaceTable without(int spaceId) {
        int index = Arrays.binarySearch(ids, spaceId);
        if (index < 0) {
            return this;
        }
        int[] newIds = new int[ids.length - 1];
        SpaceFile[] newFiles = new SpaceFile[ids.length - 1];
        System.arraycopy(ids, 0, newIds, 0, index);
        System.arraycopy(files, 0, newFiles, 0, index);
        System.arraycopy(ids, index + 1, newIds, index, newIds.length - index);
        System.arraycopy(files, index + 1, newFiles, index, newIds.length - index);
        return new SpaceTable(newIds, newFiles);
    }

    int[] ids() {
        return ids.clone();
    }

    SpaceFile[] files() {
        return files.clone();
    }
}
