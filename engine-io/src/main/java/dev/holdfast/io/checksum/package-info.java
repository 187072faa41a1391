// SPDX-License-Identifier: Apache-2.0
/**
 * The checksums a page may bear.
 *
 * <p>{@link dev.holdfast.io.checksum.PageChecksum} is one kind, {@link
 * dev.holdfast.io.checksum.PageChecksums} the four that are built in, {@link
 * dev.holdfast.io.checksum.ChecksumKinds} those that one engine knows, its host's own among them,
 * and {@link dev.holdfast.io.checksum.Fold} the arithmetic of the lineage that two are made of.
 * Which bytes of a page are covered is the sealer's business: a checksum here is of a range of a
 * chunk.
 *
 * <p>No threads, no state. The codes are on disk and never change their meaning.
 */
package dev.holdfast.io.checksum;
