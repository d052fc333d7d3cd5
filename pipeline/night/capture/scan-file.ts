import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import { readBlocks } from '../../../storage/hash.ts';
import type { DatasetSource } from '../../source/open-source.ts';
import { type ScanLimits, unpackedBytesMax } from '../../source/source-settings.ts';

export interface ScannedFile {
  /** Of the source's file, compressed or not. */
  readonly bytes: number;
  readonly sha256: string;
  readonly modifiedMs: number;
  /** The plain file: the source's own, or the unpacked copy. */
  readonly path: string;
  /** Of the plain text; a last line without a newline counts. */
  readonly lines: number;
  /** Ascending, 1-based; JSON Lines readers skip empty lines. */
  readonly blankLines: readonly number[];
}

const READ_BYTES = 1 << 20;
/** Their numbers are stored, to name the right line in a message. */
const BLANK_LINES_MAX = 100_000;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Hashes a source file, counts its lines, and unpacks it to `unpackedPath` where it is compressed. Rejects with
 * `source_rejected` where it is cut off, too large, or not UTF-8.
 */
export async function scanFile(file: DatasetSource, unpackedPath: string, limits: ScanLimits): Promise<ScannedFile> {
  const before = await stat(file.path).catch((cause) => {
    throw new AppError('source_rejected', `${file.name}: ${messageFromError(cause)}`, { cause });
  });
  // Reading a pipe might wait for ever.
  if (!before.isFile()) throw new AppError('source_rejected', `${file.name}: is not a regular file`);
  const hash = createHash('sha256');
  const bytesMax = file.compressed ? unpackedBytesMax(before.size, limits) : limits.fileBytesMax;
  const lines = new LineCounter(file, { ...limits, fileBytesMax: bytesMax });
  const hashed = tap((chunk) => hash.update(chunk));
  const counted = tap((chunk) => lines.add(chunk));
  try {
    if (file.compressed) {
      const gunzip = createGunzip({ chunkSize: READ_BYTES });
      const raw = createReadStream(file.path, { highWaterMark: READ_BYTES });
      await pipeline(raw, hashed, gunzip, counted, createWriteStream(unpackedPath));
    } else {
      await pipeline(readBlocks(file.path), hashed, counted, drain);
    }
  } catch (cause) {
    if (cause instanceof AppError || isWriteError(cause, unpackedPath)) throw cause;
    throw new AppError('source_rejected', `${file.name}: ${reasonFromReadError(cause)}`, { cause });
  }
  return {
    bytes: before.size,
    sha256: hash.digest('hex'),
    modifiedMs: before.mtimeMs,
    path: file.compressed ? unpackedPath : file.path,
    lines: lines.total(),
    blankLines: lines.blank,
  };
}

/** Rejects where a source file changed after its scan, so that the rows read may be a mix. */
export async function assertUnchanged(file: DatasetSource, scanned: ScannedFile): Promise<void> {
  const after = await stat(file.path).catch(() => undefined);
  if (after?.size !== scanned.bytes || after.mtimeMs !== scanned.modifiedMs) {
    throw new AppError('source_rejected', `${file.name} changed while it was read; run again when it is complete`);
  }
}

function tap(onChunk: (chunk: Buffer) => void) {
  return async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      onChunk(chunk);
      yield chunk;
    }
  };
}

async function drain(chunks: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of chunks);
}

class LineCounter {
  readonly blank: number[] = [];
  readonly #file: DatasetSource;
  readonly #limits: ScanLimits;
  #bytes = 0;
  #complete = 0;
  #lineBytes = 0;
  #onlyCarriageReturn = true;

  constructor(file: DatasetSource, limits: ScanLimits) {
    this.#file = file;
    this.#limits = limits;
  }

  add(chunk: Buffer): void {
    if (this.#bytes === 0) this.#checkEncoding(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.fileBytesMax) {
      throw this.#reject(
        `is larger than ${this.#limits.fileBytesMax} bytes${this.#file.compressed ? ' when unpacked' : ''}`,
      );
    }
    if (this.#file.format !== 'parquet') this.#countLines(chunk);
  }

  total(): number {
    return this.#complete + (this.#lineBytes > 0 ? 1 : 0);
  }

  #countLines(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#extendLine(chunk, start, end);
      this.#complete += 1;
      this.#checkRows();
      if (this.#lineBytes === 0 || (this.#lineBytes === 1 && this.#onlyCarriageReturn)) this.#addBlankLine();
      this.#lineBytes = 0;
      start = end + 1;
    }
    this.#extendLine(chunk, start, chunk.length);
  }

  #extendLine(chunk: Buffer, start: number, end: number): void {
    if (end === start) return;
    this.#onlyCarriageReturn = this.#lineBytes === 0 && chunk[start] === CARRIAGE_RETURN;
    this.#lineBytes += end - start;
    if (this.#file.format !== 'json' && this.#lineBytes > this.#limits.lineBytesMax) {
      throw new AppError(
        'source_rejected',
        `${this.#file.name} line ${this.#complete + 1}: is longer than ${this.#limits.lineBytesMax} bytes`,
      );
    }
  }

  #addBlankLine(): void {
    this.blank.push(this.#complete);
    if (this.blank.length > BLANK_LINES_MAX) throw this.#reject(`has more than ${BLANK_LINES_MAX} empty lines`);
  }

  /** JSON may be one line: its rows are counted on reading. CSV has a header. */
  #checkRows(): void {
    const rows = this.#complete - this.blank.length - (this.#file.format === 'csv' ? 1 : 0);
    if (this.#file.format === 'json' || rows <= this.#limits.rowsMax) return;
    throw this.#reject(`has more than ${this.#limits.rowsMax} rows`);
  }

  #checkEncoding(chunk: Buffer): void {
    if (this.#file.format === 'parquet') return;
    const [first, second, third] = chunk;
    if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0) {
      throw this.#reject('is not UTF-8 (it looks like UTF-16); save it as UTF-8');
    }
    if (first === 0xef && second === 0xbb && third === 0xbf) {
      throw this.#reject('starts with a byte order mark; save it as UTF-8 without one');
    }
    if (first === 0x1f && second === 0x8b) throw this.#reject('is gzip; its name should end in .gz');
  }

  #reject(reason: string): AppError {
    return new AppError('source_rejected', `${this.#file.name}: ${reason}`);
  }
}

/** Then the work folder is at fault, not the source. */
function isWriteError(error: unknown, unpackedPath: string): boolean {
  if (!(error instanceof Error)) return false;
  return ('syscall' in error && error.syscall === 'write') || ('path' in error && error.path === unpackedPath);
}

function reasonFromReadError(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'Z_BUF_ERROR') return 'the gzip file is cut off; copy it again';
  if (code === 'Z_DATA_ERROR') return `the gzip file is damaged or not gzip (${messageFromError(error)})`;
  return messageFromError(error);
}
