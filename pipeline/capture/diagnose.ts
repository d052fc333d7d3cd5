import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { AppError, messageFromError } from '../../schemas/errors.ts';
import type { DatasetSource } from '../source.ts';

/**
 * Why DuckDB couldn't read a file, said so that somebody can mend it: the file, the line, and what is wrong there.
 * DuckDB's own line numbers are off by one for some errors, so JSON Lines are read once more, line by line. An error that
 * is not the file's fault (memory, disk, a defect) comes back as it is.
 */
export async function diagnose(file: DatasetSource, path: string, cause: unknown): Promise<unknown> {
  if (!isSourceFault(cause)) return cause;
  const found = file.format === 'jsonl' ? await findBadLine(path) : undefined;
  const reason =
    found === undefined ? reasonFromDuckDB(messageFromError(cause)) : `line ${found.line}: ${found.reason}`;
  return new AppError('source_rejected', `${file.name} ${reason}`, { cause });
}

/** True for what DuckDB says of data it can't read, as opposed to a machine it can't work on or a query of ours. */
export function isSourceFault(cause: unknown): boolean {
  const message = messageFromError(cause);
  return /^(Invalid Input|Conversion|IO|Invalid|CSV) Error/.test(message) && !/No space left|Read-only/i.test(message);
}

interface BadLine {
  readonly line: number;
  readonly reason: string;
}

async function findBadLine(path: string): Promise<BadLine | undefined> {
  let line = 0;
  for await (const bytes of linesFromFile(path)) {
    line += 1;
    const reason = reasonFromLine(bytes);
    if (reason !== undefined) return { line, reason };
  }
  return undefined;
}

function reasonFromLine(bytes: Buffer): string | undefined {
  if (!isUtf8(bytes)) return 'is not UTF-8';
  const text = bytes.toString('utf8').trim();
  if (text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text.replace(/([:,[]\s*)-?(?:NaN|Infinity)\b/g, '$1null'));
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'is not a JSON object';
    return undefined;
  } catch (error) {
    return `is not valid JSON (${messageFromError(error)})`;
  }
}

async function* linesFromFile(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const block = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = block.indexOf(0x0a); end >= 0; end = block.indexOf(0x0a, start)) {
      yield block.subarray(start, end);
      start = end + 1;
    }
    rest = block.subarray(start);
  }
  if (rest.length > 0) yield rest;
}

function reasonFromDuckDB(message: string): string {
  const repeated = /in line (\d+): .*has duplicate key (".*")/.exec(message);
  if (repeated !== null) return `line ${repeated[1]}: has the key ${repeated[2]} twice`;
  const line = /CSV Error on Line: (\d+)/.exec(message)?.[1];
  const columns = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(message);
  if (line !== undefined && columns !== null) return `line ${line}: has ${columns[2]} fields, the header ${columns[1]}`;
  if (line !== undefined) return `line ${line}: ${message.split('\n')[1] ?? 'is not valid CSV'}`;
  if (/No magic bytes|too small to be a Parquet/i.test(message)) return 'is not a Parquet file';
  if (/unicode|utf-?8/i.test(message)) return 'is not UTF-8';
  return (message.split('\n')[0] ?? message).replace(/ in file "[^"]*"/, '').replace(/^[A-Za-z ]*Error: /, '');
}
