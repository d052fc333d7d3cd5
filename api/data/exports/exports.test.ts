import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { plainPieces } from '../../../runtime/gzip-pieces.ts';
import type { Manifest } from '../../../schemas/manifest.ts';
import { sha256 } from '../../../storage/hash.ts';
import type { View } from '../../view/view.ts';
import { Exports, isTooLarge } from './exports.ts';
import { exportHandler } from './resolve-export.ts';

const LINES = {
  models: gzipSync(`{"id":"a","name":"A","updated_at":"2026-06-01T00:00:00Z"}\n`),
  pricing: gzipSync(
    '{"model_id":"a","provider":"p","input_per_million":1,"output_per_million":null,"currency":"USD","updated_at":"2026-06-01T00:00:00Z"}\n',
  ),
};

function snapshotOf(day: string, contentBytes = 100): Manifest {
  const file = (name: 'models' | 'pricing') => {
    const sizes = { records: 1, bytes: LINES[name].length, content_bytes: contentBytes };
    return {
      name,
      format: 'jsonl.gz' as const,
      ...sizes,
      sha256: sha256(LINES[name]),
      content_sha256: `${name} ${day}`,
    };
  };
  const at = `${day}T00:20:00Z`;
  const about = { id: day, published_at: at, data_as_of: at, schema_version: '1.0', change_cursor: '', prev_id: null };
  return { ...about, datasets: [file('models'), file('pricing')] };
}

/** What exports use of a view. */
const view = {
  names: { value: '', since: { published_at: '2026-06-01T00:00:00Z' } },
  rows: () => [],
  meta: { catalog: { releases: ['2026-06-01', '2026-06-02'].map((day) => ({ day, run: 'RUN' })) } },
} as unknown as View; // A whole one needs a database.

test('exports are made one at a time', async () => {
  let [open, most] = [0, 0];
  const exports = new Exports({
    stream: async (key) => {
      open += 1;
      most = Math.max(most, open);
      return Readable.from([key.includes('models') ? LINES.models : LINES.pricing]).on('close', () => {
        open -= 1;
      });
    },
  });
  const wanted = ['2026-06-01', '2026-06-02'].flatMap((day) =>
    (['litellm.json', 'prices.csv'] as const).map((name) => ({ name, snapshot: snapshotOf(day), without: [] })),
  );
  const texts = await Promise.all(wanted.map(async (one) => plainPieces(await exports.piecesOf(one, view)).join('')));
  expect(texts[0]).toContain('"p/a": {"litellm_provider":"p","input_cost_per_token":0.000001,');
  expect([most, new Set(texts).size]).toEqual([1, 2]);
});

test('too many that wait are refused', async () => {
  const exports = new Exports({ stream: () => new Promise(() => {}) });
  const wanted = Array.from({ length: 22 }, (_, n) => ({
    name: 'prices.csv' as const,
    snapshot: snapshotOf('2026-06-01'),
    without: [`s${n}`],
  }));
  const made = wanted.map((one) => exports.piecesOf(one, view));
  await expect(made.at(-1)).rejects.toMatchObject({ code: 'unavailable' });
});

test('a snapshot with more than 64 MiB of lines is not exported', () => {
  const largest = 32 * 1024 * 1024;
  expect([snapshotOf('2026-06-01', largest), snapshotOf('2026-06-01', largest + 1)].map(isTooLarge)).toEqual([
    false,
    true,
  ]);
  const handler = exportHandler({
    name: 'prices.csv',
    isRestrictedExcluded: false,
    snapshotOf: () => snapshotOf('2026-06-01', largest + 1),
    changedAt: () => new Date(0),
  });
  const context = { view, exports: new Exports({ stream: async () => Readable.from([]) }) };
  expect(() => handler.dependsOn(context)).toThrow('This day is too large to export');
});
