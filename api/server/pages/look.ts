import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const SHARED = join(import.meta.dirname, 'look.css');

/** The style sheet of a face, in one file: the look that all pages share, and behind it what the face says itself. @param own path of its file */
export function readLook(own: string): Buffer {
  return Buffer.concat([readFileSync(SHARED), Buffer.from('\n'), readFileSync(own)]);
}
