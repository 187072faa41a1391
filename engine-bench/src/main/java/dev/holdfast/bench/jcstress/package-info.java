// SPDX-License-Identifier: Apache-2.0

/**
 * What threads may see of each other through a latch, a barrier, a counter or a gate: cases for
 * JCStress, which runs each millions of times under several compilers.
 *
 * <p>Each case lists every outcome with the interleaving that makes it; one that is not listed
 * fails the run. JCStress finds the cases by a list that its annotation processor writes. All are
 * run by {@code org.openjdk.jcstress.Main} with the class path of the command line. On x86 only
 * stores may pass later loads; the fences against other reorderings show on other processors alone.
 */
package dev.holdfast.bench.jcstress;
