// SPDX-License-Identifier: Apache-2.0

package dev.holdfast.bench.workload;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutionException;

/** A build for tests: its rates count on from its first argument. */
final class BuildSideChild implements LiveSide {
    private double next;

    private BuildSideChild(double first) {
        next = first;
    }

    public static void main(String[] arguments)
            throws IOException, InterruptedException, ExecutionException {
        try (BufferedReader in =
                        new BufferedReader(
                                new InputStreamReader(
                                        new FileInputStream(FileDescriptor.in),
                                        StandardCharsets.US_ASCII));
                Writer out =
                        new OutputStreamWriter(
                                new FileOutputStream(FileDescriptor.out),
                                StandardCharsets.US_ASCII)) {
            TurnLines.serve(new BuildSideChild(Double.parseDouble(arguments[0])), in, out);
        }
    }

    @Override
    public void begin() {}

    @Override
    public Turn turn() {
        return new Turn(next++, 0);
    }

    @Override
    public void settle() {}

    @Override
    public void end() {}
}
