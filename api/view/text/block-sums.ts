import { crc32 } from 'node:zlib';

/**
 * Bytes of a text file that are read and checked at once. Smaller: more sums to keep, 4 bytes each; larger: an answer reads more
 * beside what it wants, up to two blocks.
 */
export const BLOCK_BYTES = 16_384;

/** The CRC-32 of each block of a text, made while the text is written or read from its beginning to its end. */
export class BlockSums {
  readonly #sums: number[];
  #bytes: number;

  /** Goes on behind a text whose sums are known; default: begins one. */
  constructor({ bytes, sums }: { readonly bytes: number; readonly sums: readonly number[] } = { bytes: 0, sums: [] }) {
    this.#bytes = bytes;
    this.#sums = [...sums];
  }

  get bytes(): number {
    return this.#bytes;
  }

  get sums(): readonly number[] {
    return this.#sums;
  }

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      const within = this.#bytes % BLOCK_BYTES;
      const part = chunk.subarray(at, at + BLOCK_BYTES - within);
      const block = Math.floor(this.#bytes / BLOCK_BYTES);
      this.#sums[block] = crc32(part, within === 0 ? 0 : (this.#sums[block] ?? 0));
      this.#bytes += part.length;
      at += part.length;
    }
  }
}

/** The number of the first block of `blocks`, which begin at block `first`, that is not what its sum says; undefined: none. */
export function findDamagedBlock(blocks: Buffer, first: number, sums: readonly number[]): number | undefined {
  for (let at = 0, block = first; at < blocks.length; at += BLOCK_BYTES, block += 1) {
    if (crc32(blocks.subarray(at, at + BLOCK_BYTES)) !== sums[block]) return block;
  }
  return undefined;
}
