import { appendFile, rm, utimes, writeFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { useFolder } from '../../../test/support/temporary-folder.ts';
import type { DatasetSource } from '../../source/open-source.ts';
import { assertUnchanged, scanFile } from './scan-file.ts';

const LIMITS = { lineBytesMax: 1000, fileBytesMax: 2000, rowsMax: 1000, ratioMax: 1000 };
const LINE = `${JSON.stringify({ id: 'a', name: 'x'.repeat(78) })}\n`;

const folder = useFolder({ perTest: true });

async function fileWith(content: string | Uint8Array, compressed = false): Promise<DatasetSource> {
  const name = compressed ? 'models.jsonl.gz' : 'models.jsonl';
  const file = { dataset: 'models', name, path: folder(name), format: 'jsonl', compressed } as const;
  await writeFile(file.path, content);
  return file;
}

function scan(file: DatasetSource) {
  return scanFile(file, folder('unpacked'), LIMITS);
}

test('a file that changed since it was scanned is refused', async () => {
  const changes: readonly ((path: string) => Promise<void>)[] = [
    (path) => appendFile(path, LINE),
    (path) => utimes(path, new Date(0), new Date(0)),
    (path) => rm(path),
  ];
  for (const change of changes) {
    const file = await fileWith(LINE);
    const scanned = await scan(file);
    await assertUnchanged(file, scanned);
    await change(file.path);
    await expect(assertUnchanged(file, scanned)).rejects.toMatchObject({
      code: 'source_rejected',
      message: 'models.jsonl changed while it was read; run again when it is complete',
    });
  }
});

test('a file that is larger than allowed is refused, compressed or not', async () => {
  const fits = LINE.repeat(Math.floor(LIMITS.fileBytesMax / LINE.length));
  for (const pack of [undefined, gzipSync]) {
    const fileOf = (text: string) => fileWith(pack?.(text) ?? text, pack !== undefined);
    expect(await scan(await fileOf(fits))).toMatchObject({ lines: fits.length / LINE.length });
    await expect(scan(await fileOf(fits + LINE))).rejects.toMatchObject({
      code: 'source_rejected',
      message: expect.stringContaining('is larger than 2000 bytes'),
    });
  }
});
