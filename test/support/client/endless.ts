import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** What servers send that want to take a client's memory or time. */

/** The same bytes again and again, as fast as they are taken. */
export function sendForEver(response: ServerResponse, chunk: Buffer | string): void {
  const send = () => {
    while (!response.destroyed && response.write(chunk));
  };
  response.on('drain', send);
  send();
}

/** The same bytes every few milliseconds, until nobody takes them. */
export function drip(response: ServerResponse, chunk: Buffer | string): void {
  const timer = setInterval(() => response.write(chunk), 5);
  response.on('close', () => clearInterval(timer));
}

/** So many million blanks, packed a thousand to one. */
export function packedBlanks(millions: number): Buffer {
  return gzipSync(Buffer.alloc(millions * 1_000_000, ' '));
}
