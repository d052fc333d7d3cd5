import { readFile, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { useFolder } from '../test/support/temporary-folder.ts';
import { gzipLines } from './gzip-lines.ts';

const MEMBER_BYTES = 8 * 1024 * 1024;

const path = useFolder();

test('lines are packed at level 6, without a time stamp, in members of 8 MiB', async () => {
  const count = Math.ceil((2 * MEMBER_BYTES) / 60) + 1;
  const line = (_: unknown, at: number) =>
    `{"id":"m${at}","value":${(at * 7919) % 1009},"name":"some words, and then more"}\n`;
  const lines = Buffer.from(Array.from({ length: count }, line).join(''));
  await writeFile(path('lines'), lines);
  await gzipLines(path('lines'), path('lines.gz'));
  const bytes = await readFile(path('lines.gz'));
  // As RFC 1952 has it: a member's time stamp is its bytes 4 to 7.
  expect(bytes.readUInt32LE(4)).toBe(0);
  const cuts = [0, MEMBER_BYTES, 2 * MEMBER_BYTES, lines.length].filter((cut) => cut <= lines.length);
  const pack = (level: number) =>
    Buffer.concat(cuts.slice(1).map((end, index) => gzipSync(lines.subarray(cuts[index], end), { level })));
  expect(cuts.length).toBe(4);
  expect(bytes.equals(pack(6))).toBe(true);
  for (const other of [5, 7]) expect(bytes.equals(pack(other)), 'another level gives other bytes').toBe(false);
});
