import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';

/** Packs something that is kept, off the event loop. */
export const gzip: (content: Buffer | string) => Promise<Buffer> = promisify(gzipWithCallback);

/** Whether `Accept-Encoding` names gzip, whatever the client would rather have, and doesn't refuse it. */
export function acceptsGzip(header: string | readonly string[] | undefined): boolean {
  return (
    header !== undefined &&
    String(header)
      .split(',')
      .some((part) => ACCEPTED_GZIP.test(part))
  );
}

const ACCEPTED_GZIP = /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)|$)/i;
