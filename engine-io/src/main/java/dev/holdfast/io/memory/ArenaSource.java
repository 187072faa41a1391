// SPDX-License-Identifier: Apache-2.0
package dev.holdfast.io.memory;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.ByteBuffer;

/** Memory of a shared arena: not limited by the heap's size, freed at close. JDK 22 and later. */
final class ArenaSource implements MemorySource {
    /*
     * java.lang.foreign is public API, but of later JDKs than the baseline, hence the handles. On
     * JDK 21 it was a preview, so the version decides and not the presence of the class. A shared
     * arena can be closed by any thread, and unlike an automatic one it is not counted against the
     * limit of direct memory.
     */

    private static final int FEATURE_MIN = 22;

    private static final ArenaMethods METHODS = ArenaMethods.find();

    private final Object arena;

    ArenaSource() {
        arena = call(() -> METHODS.ofShared.invoke());
    }

    static boolean isAvailable() {
        return METHODS.isPresent;
    }

    @Override
    public String name() {
        return "arena";
    }

    @Override
    public boolean isTouched() {
        return true;
    }

    @Override
    public ByteBuffer allocate(int bytes, int alignment) {
        return (ByteBuffer)
                call(
                        () ->
                                METHODS.asByteBuffer.invoke(
                                        METHODS.allocate.invoke(
                                                arena, (long) bytes, (long) alignment)));
    }

    @Override
    public void close() {
        call(
                () -> {
                    METHODS.close.invoke(arena);
                    return null;
                });
    }

    private static Object call(ArenaCall body) {
        try {
            return body.run();
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("an arena's method threw a checked exception", e);
        }
    }

    /** A call through method handles. */
    private interface ArenaCall {
        Object run() throws Throwable;
    }

    /** The methods of the later JDK; present all together or not at all. */
    private static final class ArenaMethods {
        private final boolean isPresent;
        private MethodHandle ofShared;
        private MethodHandle allocate;
        private MethodHandle asByteBuffer;
        private MethodHandle close;

        private ArenaMethods(boolean isPresent) {
            this.isPresent = isPresent;
        }

        static ArenaMethods find() {
            if (Runtime.version().feature() < FEATURE_MIN) {
                return new ArenaMethods(false);
            }
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            ArenaMethods found = new ArenaMethods(true);
            try {
                Class<?> arena = lookup.findClass("java.lang.foreign.Arena");
                Class<?> segment = lookup.findClass("java.lang.foreign.MemorySegment");
                found.ofShared = lookup.findStatic(arena, "ofShared", methodType(arena));
                found.allocate =
                        lookup.findVirtual(
                                arena, "allocate", methodType(segment, long.class, long.class));
                found.asByteBuffer =
                        lookup.findVirtual(segment, "asByteBuffer", methodType(ByteBuffer.class));
                found.close = lookup.findVirtual(arena, "close", methodType(void.class));
                return found;
            } catch (ReflectiveOperationException thisJdkDiffers) {
                return new ArenaMethods(false);
            }
        }
    }
}
