import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { BLOCK_BYTES, BufferPool, type Slice, TextFile } from './text-file.ts';
import type { TextMeta } from './text-meta.ts';
import { appendText, sealText } from './write-text.ts';

/** Not a whole number of blocks, and no two blocks alike. */
const CONTENT = Buffer.from(Array.from({ length: 2.5 * BLOCK_BYTES }, (_, i) => (i * 7 + (i >> 8)) % 251));

let folder: string;
let path: string;
let meta: TextMeta;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'modelstats-text-'));
  path = join(folder, 'some.text');
  await writeFile(path, CONTENT);
  meta = await sealText(path);
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function open(known = meta): Promise<TextFile> {
  const file = await TextFile.open(folder, { meta: known, pool: new BufferPool() });
  onTestFinished(() => file.close());
  return file;
}

const contentOf = ({ from, to }: Slice) => CONTENT.subarray(from, to);
const readAll = (file: TextFile, slices: readonly Slice[]) =>
  file.readSlices(slices, (texts) => texts.map((text) => Buffer.from(text)));

const slicesArbitrary = fc
  .uniqueArray(fc.nat(CONTENT.length), { minLength: 2, maxLength: 12 })
  .map((cuts) => cuts.sort((a, b) => a - b))
  .map((cuts) =>
    cuts.flatMap((from, i) => (i % 2 === 0 && i + 1 < cuts.length ? [{ from, to: cuts[i + 1] ?? from }] : [])),
  );

test('any slices are read as they were written, alone or together, and between a head and a tail', async () => {
  const file = await open();
  await fc.assert(
    fc.asyncProperty(slicesArbitrary, fc.string(), fc.string(), async (slices, before, behind) => {
      expect(await readAll(file, slices)).toEqual(slices.map(contentOf));
      const [head, tail] = [Buffer.from(before), Buffer.from(behind)];
      for (const slice of slices.slice(0, 2)) {
        const { bytes, release } = await file.readBetween(head, slice, tail);
        expect(bytes.equals(Buffer.concat([head, contentOf(slice), tail]))).toBe(true);
        release();
      }
    }),
  );
});

test('bytes that were not released are not overwritten', async () => {
  const file = await open();
  const [first, second] = [
    { from: 10, to: 20_000 },
    { from: 20_000, to: 40_000 },
  ];
  const nothing = Buffer.alloc(0);
  const kept = await file.readBetween(nothing, first, nothing);
  await file.readBetween(nothing, second, nothing);
  expect(kept.bytes.equals(contentOf(first))).toBe(true);
  kept.release();
  const again = await file.readBetween(nothing, second, nothing);
  expect(again.bytes.equals(contentOf(second))).toBe(true);
});

describe('a file that is not what was written', () => {
  test.each<[string, () => Promise<unknown>]>([
    ['missing', () => rm(path)],
    ['cut off', () => truncate(path, CONTENT.length - 1)],
    ['empty', () => truncate(path, 0)],
  ])('is refused when it is opened: %s', async (_, spoil) => {
    await spoil();
    await expect(open()).rejects.toMatchObject({ code: 'corrupt', message: expect.stringContaining('some.text') });
  });

  test('is refused when it is opened: sums of another length', async () => {
    await expect(open({ ...meta, sums: meta.sums.slice(1) })).rejects.toMatchObject({ code: 'corrupt' });
  });

  test.each([0, BLOCK_BYTES - 1, BLOCK_BYTES, CONTENT.length - 1])(
    'is refused when the block is read of which byte %i is another, and no other block is',
    async (at) => {
      const file = await open();
      await writeFile(
        path,
        CONTENT.map((byte, i) => (i === at ? byte ^ 1 : byte)),
      );
      for (let from = 0; from < CONTENT.length; from += BLOCK_BYTES) {
        const slice = { from: from + 5, to: from + 6 };
        const reading = readAll(file, [slice]);
        if (at >= from && at < from + BLOCK_BYTES) await expect(reading).rejects.toMatchObject({ code: 'corrupt' });
        else expect(await reading).toEqual([contentOf(slice)]);
      }
    },
  );

  test('is refused when it is read where it was cut off after it was opened', async () => {
    const file = await open();
    await truncate(path, BLOCK_BYTES + 3);
    expect(await readAll(file, [{ from: 0, to: 9 }])).toEqual([CONTENT.subarray(0, 9)]);
    await expect(readAll(file, [{ from: BLOCK_BYTES, to: BLOCK_BYTES + 2 }])).rejects.toMatchObject({
      code: 'corrupt',
    });
  });
});

describe('a text that is added to', () => {
  const MORE = Buffer.from('more of the same'.repeat(1500));
  const source = async () => {
    await writeFile(join(folder, 'more'), Buffer.concat([Buffer.from('not this'), MORE]));
    return { path: join(folder, 'more'), from: 8, to: 8 + MORE.length };
  };

  test('has the sums of one that is written at once, and who knew it before reads what it knew', async () => {
    const before = await open();
    const added = await appendText(path, meta, [await source(), { path, from: 0, to: 100 }]);
    const whole = Buffer.concat([CONTENT, MORE, CONTENT.subarray(0, 100)]);
    expect((await readFile(path)).equals(whole)).toBe(true);
    expect(added).toEqual(await sealText(path));
    expect(added).not.toEqual(meta);
    const last = { from: CONTENT.length - 10, to: CONTENT.length };
    expect(await readAll(before, [last])).toEqual([contentOf(last)]);
    const after = await open(added);
    expect((await readAll(after, [{ from: CONTENT.length, to: CONTENT.length + MORE.length }]))[0]?.equals(MORE)).toBe(
      true,
    );
  });

  test('loses what a build left there that came to nothing', async () => {
    await appendFile(path, 'what nobody knows of'.repeat(10_000));
    expect(await appendText(path, meta, [await source()])).toEqual(await sealText(path));
    expect((await readFile(path)).length).toBe(CONTENT.length + MORE.length);
  });

  test('is refused where it has become shorter than what is known of it', async () => {
    await truncate(path, CONTENT.length - 1);
    await expect(appendText(path, meta, [await source()])).rejects.toThrow('are known');
    expect((await readFile(path)).length).toBe(CONTENT.length - 1);
  });

  test('is begun where nothing is known of it, and never over another file', async () => {
    const own = join(folder, 'own');
    expect(await appendText(own, undefined, [await source()])).toEqual(await sealText(own));
    await expect(appendText(own, undefined, [])).rejects.toMatchObject({ code: 'EEXIST' });
  });
});
