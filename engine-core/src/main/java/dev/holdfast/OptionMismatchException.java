// SPDX-License-Identifier: Apache-2.0

package dev.holdfast;

/**
 * A store or a table was opened with an option that was fixed when it was created, and with another
 * value than it has.
 */
public final class OptionMismatchException extends UsageException {
    private static final long serialVersionUID = 1L;

    private final String option;
    private final String stored;
    private final String asked;

    public OptionMismatchException(String where, String option, String stored, String asked) {
        super(
                "option cannot change: where="
                        + where
                        + ", option="
                        + option
                        + ", stored="
                        + stored
                        + ", asked="
                        + asked,
                null);
        this.option = option;
        this.stored = stored;
        this.asked = asked;
    }

    public String option() {
        return option;
    }

    /** Returns the value that the store or table was created with. */
    public String stored() {
        return stored;
    }

    /** Returns the value that the caller gave. */
    public String asked() {
        return asked;
    }
}
