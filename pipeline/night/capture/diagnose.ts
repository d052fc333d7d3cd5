import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { AppError, messageFromError } from '../../../runtime/errors.ts';
import { findJsonFault } from '../../source/json-document.ts';
import type { DatasetSource } from '../../source/open-source.ts';

const NEWLINE = 0x0a;

/**
 * Why DuckDB couldn't read a file: file, line and fault. Reads the file once more, because DuckDB's line numbers may be
 * off by one, or missing. Errors that are not the file's fault (memory, disk, a defect) are returned unchanged.
 */
export async function diagnose(file: DatasetSource, path: string, cause: unknown): Promise<unknown> {
  if (!isSourceFault(cause)) return cause;
  const found = await findFault(file, path, cause);
  const place = found.line === undefined ? file.name : `${file.name} line ${found.line}`;
  return new AppError('source_rejected', `${place}: ${found.reason}`, { cause });
}

interface Fault {
  readonly line?: number;
  readonly reason: string;
}

async function findFault(file: DatasetSource, path: string, cause: unknown): Promise<Fault> {
  const badLine = file.format === 'jsonl' ? await findBadLine(path) : undefined;
  if (badLine !== undefined) return badLine;
  const line = file.format === 'parquet' ? undefined : await findLineNotUtf8(path);
  return line === undefined ? faultFromDuckDB(messageFromError(cause)) : { line, reason: 'is not UTF-8' };
}

/** False for errors of the machine or of our own query. */
function isSourceFault(cause: unknown): boolean {
  const message = messageFromError(cause);
  return /^(Invalid Input|Conversion|IO|Invalid|CSV) Error/.test(message) && !/No space left|Read-only/i.test(message);
}

async function findBadLine(path: string): Promise<Fault | undefined> {
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
  const readable = text.replace(NOT_FINITE, (found, before: string) => `${before}0`.padEnd(found.length));
  try {
    const value: unknown = JSON.parse(readable);
    if (value === null || typeof value !== 'object' || Array.isArray(value)) return 'is not a JSON object';
    return UNPAIRED_SURROGATE.test(JSON.stringify(value)) ? 'has an unpaired surrogate' : undefined;
  } catch {
    return `is not valid JSON (${findJsonFault(readable) ?? 'it cannot be parsed'})`;
  }
}

/** DuckDB reads these as numbers; JSON doesn't know them. */
const NOT_FINITE = /([:,[]\s*)-?(?:NaN|Infinity)\b/g;

/** JSON.stringify escapes unpaired surrogates. */
const UNPAIRED_SURROGATE = /\\ud[89a-f]/i;

async function* linesFromFile(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
    const block = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let start = 0;
    for (let end = block.indexOf(NEWLINE); end >= 0; end = block.indexOf(NEWLINE, start)) {
      yield block.subarray(start, end);
      start = end + 1;
    }
    rest = block.subarray(start);
  }
  if (rest.length > 0) yield rest;
}

async function findLineNotUtf8(path: string): Promise<number | undefined> {
  let line = 1;
  let decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        decoder.decode(chunk.subarray(start, end));
        decoder = new TextDecoder('utf-8', { fatal: true });
        line += 1;
        start = end + 1;
      }
      decoder.decode(chunk.subarray(start), { stream: true });
    }
    decoder.decode();
    return undefined;
  } catch {
    return line;
  }
}

function faultFromDuckDB(message: string): Fault {
  const repeated = /in line (\d+): .*has duplicate key (".*")/.exec(message);
  if (repeated !== null) return { line: Number(repeated[1]), reason: `has the key ${repeated[2]} twice` };
  if (/CSV/.test(message.split('\n')[0] ?? '')) return faultFromCsvReader(message);
  if (/No magic bytes|too small to be a Parquet/i.test(message)) return { reason: 'is not a Parquet file' };
  const tooLong = /"maximum_object_size" of (\d+) bytes exceeded/.exec(message);
  if (tooLong !== null) return { reason: `has a record longer than ${tooLong[1]} bytes` };
  const text = (message.split('\n')[0] ?? message).replace(/ in file "[^"]*"/, '').replace(/^[A-Za-z ]*Error: /, '');
  return { reason: text.trim() };
}

function faultFromCsvReader(message: string): Fault {
  const line = /CSV Error on Line: (\d+)/.exec(message)?.[1];
  const place = line === undefined ? {} : { line: Number(line) };
  const columns = /Expected Number of Columns: (\d+) Found: (\d+)/.exec(message);
  if (columns !== null) return { ...place, reason: `has ${columns[2]} fields, the header ${columns[1]}` };
  if (/unterminated quote/.test(message)) return { ...place, reason: 'has an unterminated quoted value' };
  const tooLong = /Maximum line size of (\d+) bytes exceeded/.exec(message);
  if (tooLong !== null) return { ...place, reason: `begins a row longer than ${tooLong[1]} bytes` };
  return {
    ...place,
    reason: 'is not valid CSV (check for mixed line endings and for quotes inside values that are not doubled)',
  };
}
