import { isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { findJsonFault } from '../../source/json-fault.ts';
import { lastingFault, passingFault } from '../http/upstream-fault.ts';

/** What is parsed as a whole, in bytes; a JSON value takes a few times as much memory. */
const DOCUMENT_BYTES_MAX = 128 * 1024 * 1024;

/** The JSON value in a file that came from an upstream, packed where its name ends with .gz; rejects with an `UpstreamFault`. */
export async function readDocument(path: string, name: string): Promise<unknown> {
  const text = await readDocumentText(path, name);
  try {
    return JSON.parse(text);
  } catch {
    throw passingFault(`is not JSON: ${findJsonFault(text) ?? 'it can not be parsed'}`);
  }
}

async function readDocumentText(path: string, name: string): Promise<string> {
  if ((await stat(path)).size > DOCUMENT_BYTES_MAX) throw tooLarge();
  const bytes = await readFile(path);
  const whole = /\.gz$/i.test(name) ? await unpack(bytes) : bytes;
  if (!isUtf8(whole)) throw passingFault('is not UTF-8');
  return whole.toString('utf8');
}

const gunzipWhole = promisify(gunzip);

async function unpack(bytes: Buffer): Promise<Buffer> {
  try {
    return await gunzipWhole(bytes, { maxOutputLength: DOCUMENT_BYTES_MAX });
  } catch (error) {
    const isLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw isLarge ? tooLarge() : passingFault('is no whole gzip file');
  }
}

function tooLarge() {
  return lastingFault(`is larger than ${DOCUMENT_BYTES_MAX} bytes, the most that is looked into`);
}
