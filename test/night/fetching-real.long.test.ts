import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import * as faults from '../support/fetch/faults.ts';
import { makeZip } from '../support/fetch/make-zip.ts';
import { useFetch } from '../support/fetch/use-fetch.ts';
import { UPSTREAM_DATA } from '../support/real-data.ts';

/** What each upstream's file has to be, and how large it was at least. */
const EXPECTED: Readonly<Record<string, object>> = {
  'model_prices_and_context_window.json': { min_bytes: 1_000_000, min_rows: 1500 },
  'api.json': { json_path: '$', min_rows: 80 },
  'models.json': { json_path: '$.data', min_rows: 300 },
  'llms.json': { json_path: '$.data', min_rows: 350 },
};

describe.skipIf(UPSTREAM_DATA === undefined)('real files of public upstreams', () => {
  const data = UPSTREAM_DATA ?? '';

  test('are fetched byte for byte, day after day, and asked for again only where they have changed', async () => {
    for (const upstream of [
      'litellm',
      'openrouter',
      'models-dev',
      'artificial-analysis',
      'livebench',
      'genai-prices',
    ]) {
      const place = await useFetch();
      for (const day of (await readdir(join(data, upstream))).sort()) {
        const folder = join(data, upstream, day);
        const names = await readdir(folder);
        await place.server.serveFolder(`/${upstream}`, folder);
        const files = names.map((name) => name.replace(/\.gz$/, ''));
        await place.source(
          files.map((file) => ({ url: `/${upstream}/${file}`, file, expect: EXPECTED[file] ?? { min_rows: 3 } })),
        );
        const { problems, record } = await place.fetch({ day });
        expect({ upstream, day, problems }).toEqual({ upstream, day, problems: [] });
        expect(record.files.map(({ file }) => file)).toEqual(files);
        for (const name of names) {
          const bytes = await readFile(join(folder, name));
          const plain = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
          expect((await readFile(join(place.into, day, name.replace(/\.gz$/, '')))).equals(plain), name).toBe(true);
        }
        const again = await place.fetch({ day });
        expect(new Set(again.record.files.map(({ status }) => status))).toEqual(new Set(['unchanged']));
      }
    }
  });

  test('that are served as one zip file come out as they went in, names and all', async () => {
    const place = await useFetch();
    const folder = join(data, 'epoch', '2026-01-20');
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const contents = await Promise.all(
      files.map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        return { name: path.slice(folder.length + 1), content: await readFile(path) };
      }),
    );
    place.server.serve('/data.zip', makeZip(contents));
    await place.source([{ url: '/data.zip', file: 'epoch.zip', unzip: 'epoch/', expect: { min_rows: 40 } }]);
    const { problems, record } = await place.fetch();
    expect(problems).toEqual([]);
    expect(record.files[0]?.unzipped?.files).toBe(contents.length);
    for (const { name, content } of contents) expect(await place.read(`epoch/${name}`)).toBe(content.toString('utf8'));
  });

  test('a real error body is not taken for the data', async () => {
    const place = await useFetch();
    const body = await readFile(join(data, '_errors', 'artificial-analysis', 'llms.json'));
    place.server.breakForGood('/llms.json', faults.answerWith(body, { 'content-type': 'application/json' }));
    await place.source([{ url: '/llms.json', file: 'llms.json', expect: EXPECTED['llms.json'] }]);
    expect((await place.fetch()).record.files[0]).toMatchObject({
      status: 'failed',
      problem: '$.data is not there (3 attempts)',
    });
  });
});
