import { mkdir, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Day } from '../../runtime/day.ts';
import { DATASET_NAMES } from '../../schemas/datasets.ts';
import { withNames } from '../../test/support/pipeline/named-models.ts';
import { newestOf, readSnapshot } from '../../test/support/pipeline/published.ts';
import { upkeepDeps } from '../../test/support/pipeline/upkeep.ts';
import { useStore } from '../../test/support/pipeline/use-store.ts';
import { useFolder } from '../../test/support/temporary-folder.ts';
import { correct } from './correct.ts';
import { verify } from './verify.ts';

const GOOD = {
  models: ['a', 'b', 'c'].map((id) => ({ id, name: id.toUpperCase() })),
  benchmarks: [{ id: 'x', name: 'X' }],
  scores: ['a', 'b'].map((model_id) => ({ model_id, benchmark_id: 'x', value: 0.1, n: 1200 })),
  pricing: [{ model_id: 'a', provider: 'p', input_per_million: 0.3 }],
};
/** A name that is wrong, a score that is missing, one that was never there, and a sample size that nobody publishes. */
const BAD = {
  ...GOOD,
  models: GOOD.models.map((model) => (model.id === 'b' ? { ...model, name: 'WRONG' } : model)),
  scores: [
    { model_id: 'b', benchmark_id: 'x', value: 0.1, n: 7 },
    { model_id: 'c', benchmark_id: 'x', value: 9 },
  ],
};

const store = useStore();
const scratch = useFolder({ perTest: true });
const into = () => scratch('before');

function ask(day: Day, { folder, today = '2026-06-03' }: { readonly folder?: string; readonly today?: Day } = {}) {
  const deps = { store: store.deps.store, duckdb: store.deps.duckdb, clock: () => new Date(`${today}T10:00:00Z`) };
  return correct({ day, into: folder }, deps);
}

async function newestLines(): Promise<readonly string[]> {
  const entry = await newestOf(store);
  const files = await Promise.all(DATASET_NAMES.map((name) => readSnapshot(store, entry, name)));
  return files
    .join('')
    .replaceAll(/,"updated_at":"[^"]*"/g, '')
    .split('\n');
}

/** Another bad day. */
const publishThird = () => store.publish('2026-06-03', { ...BAD, pricing: [] });

/** A good day and a bad one; the lines of the good one. */
async function publishGoodAndBad(): Promise<readonly string[]> {
  await store.publish('2026-06-01', GOOD);
  const good = await newestLines();
  await store.publish('2026-06-02', BAD);
  return good;
}

test('what a day changed is counted and shown, of every dataset', async () => {
  await publishGoodAndBad();
  const found = await ask('2026-06-02');
  expect(found).toMatchObject({
    day: '2026-06-02',
    before: '2026-06-01',
    into: null,
    next_command: null,
    warnings: [],
  });
  const none = { new: 0, changed: 0, gone: 0 };
  expect(found.datasets).toMatchObject({
    models: { ...none, before: 3, after: 3, changed: 1 },
    benchmarks: { ...none, before: 1, after: 1 },
    scores: { before: 2, after: 2, new: 1, changed: 1, gone: 1 },
    rankings: { ...none, before: 0, after: 0 },
    pricing: { ...none, before: 1, after: 1 },
  });
  expect(found.datasets.models.examples.changed).toEqual([
    { id: 'b', fields: [{ field: 'name', before: 'B', after: 'WRONG' }] },
  ]);
  const { examples } = found.datasets.scores;
  expect(examples).toMatchObject({ new: ['c:x'], gone: ['a:x'] });
  // What differs is its sample size, which is not published: only when it changed shows.
  expect(examples.changed).toMatchObject([{ id: 'b:x', fields: [{ field: 'updated_at' }] }]);
});

describe('the records before a bad day', () => {
  test('are a source from which the next night publishes them again, whatever came after', async () => {
    const good = await publishGoodAndBad();
    await publishThird();
    const { next_day, next_command } = await ask('2026-06-02', { folder: into() });
    expect({ next_day, next_command }).toEqual({
      next_day: '2026-06-04',
      next_command: `modelstats nightly --source ${into()} --day 2026-06-04 --dry-run`,
    });
    expect(await readdir(into())).toEqual([...DATASET_NAMES].map((name) => `${name}.jsonl`).toSorted());
    await store.night(into(), next_day, { accept: true });
    expect(await newestLines()).toEqual(good);
    const deps = { ...upkeepDeps(store.deps.workFolder), store: store.deps.store, clock: store.deps.clock };
    expect(await verify('all', { ...deps, duckdb: store.deps.duckdb, onPlan() {}, onSnapshot() {} })).toMatchObject({
      ok: true,
    });
    // The sample size came back, too: another night of the same records changes nothing.
    expect(await store.night(into(), '2026-06-05')).toMatchObject({ events: { upsert: 0, delete: 0 } });
  });

  test('come from the snapshot where the state is no longer kept, and a warning says what that lacks', async () => {
    const good = await publishGoodAndBad();
    await store.prune({ changesMonths: 13, snapshots: 90, states: 1 });
    const { warnings, next_day } = await ask('2026-06-02', { folder: into() });
    expect(warnings).toEqual([expect.stringContaining('sample sizes of scores are missing')]);
    expect(await readdir(into())).toEqual([...DATASET_NAMES].map((name) => `${name}.jsonl.gz`).toSorted());
    await store.night(into(), next_day, { accept: true });
    expect(await newestLines()).toEqual(good);
  });

  test('lack the names of models, and a warning says so', async () => {
    await store.publish('2026-06-01', GOOD, withNames('shop,A-1,a'));
    await store.publish('2026-06-02', BAD, withNames('shop,A-1,a'));
    expect((await ask('2026-06-02', { folder: into() })).warnings).toEqual([expect.stringContaining('model names')]);
    expect(await readFile(join(into(), 'models.jsonl'), 'utf8')).toContain('"name":"B"');
  });

  test('are all there or none: a folder that can not be written is refused and left without a part of them', async () => {
    await publishGoodAndBad();
    await symlink('nowhere', into());
    await expect(ask('2026-06-02', { folder: into() })).rejects.toMatchObject({ code: 'usage' });
    await rm(into());
    // In the way of the last file.
    await mkdir(join(into(), 'pricing.jsonl', 'x'), { recursive: true });
    await expect(ask('2026-06-02', { folder: into() })).rejects.toMatchObject({ code: 'usage' });
    expect(await readdir(into())).toEqual(['pricing.jsonl']);
  });

  test('go into() the night of today where the newest day has long gone by', async () => {
    await publishGoodAndBad();
    expect(await ask('2026-06-02', { today: '2026-07-09' })).toMatchObject({ next_day: '2026-07-09' });
  });
});

test('a day that is not there, is the first, or has lost the one before is refused', async () => {
  await publishGoodAndBad();
  await publishThird();
  const expectRefused = (day: string, message: string) => expect(ask(day, { folder: into() })).rejects.toThrow(message);
  await expectRefused('2026-06-05', 'there is no snapshot 2026-06-05');
  await expectRefused('nonsense', 'there is no snapshot nonsense');
  await expectRefused('2026-06-01', '2026-06-01 is the first day: there are no earlier records');
  await store.prune({ changesMonths: 13, snapshots: 1, states: 1 });
  await expectRefused('2026-06-02', 'the snapshot 2026-06-01 was removed by prune');
});
