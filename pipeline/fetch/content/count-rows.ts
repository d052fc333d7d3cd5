import { createReadStream } from 'node:fs';
import { readBlocks, readGzip } from '../../../storage/hash.ts';
import { passingFault } from '../http/upstream-fault.ts';

const [NEWLINE, QUOTE, SPACE] = [0x0a, 0x22, 0x20];

/**
 * The lines of a text file that hold anything; of a CSV file its records, whose quoted fields may hold line breaks, the head among
 * them. A file whose name ends with .gz is unpacked on the way.
 */
export async function countLines(path: string, name: string): Promise<number> {
  const counter = new LineCounter(/\.csv(?:\.gz)?$/i.test(name));
  for await (const block of blocksOf(path, name)) counter.add(block);
  return counter.end();
}

class LineCounter {
  readonly #isCsv: boolean;
  #lines = 0;
  #isQuoted = false;
  #isFilled = false;

  constructor(isCsv: boolean) {
    this.#isCsv = isCsv;
  }

  add(block: Buffer): void {
    for (const byte of block) {
      if (byte === QUOTE && this.#isCsv) this.#isQuoted = !this.#isQuoted;
      if (byte === NEWLINE && !this.#isQuoted) this.#endLine();
      else if (byte > SPACE) this.#isFilled = true;
    }
  }

  /** The lines, the last one without an end too. */
  end(): number {
    this.#endLine();
    return this.#lines;
  }

  #endLine(): void {
    if (this.#isFilled) this.#lines += 1;
    this.#isFilled = false;
  }
}

async function* blocksOf(path: string, name: string): AsyncGenerator<Buffer> {
  if (!/\.gz$/i.test(name)) {
    yield* readBlocks(path);
    return;
  }
  try {
    for await (const block of readGzip(path)) yield block;
  } catch {
    throw passingFault('is no whole gzip file');
  }
}

/** The first bytes of a file. */
export async function readHead(path: string, bytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { end: bytes - 1 })) chunks.push(chunk);
  return Buffer.concat(chunks);
}
