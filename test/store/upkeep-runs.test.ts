/** Every command that looks after a store works in a run: a folder of its own, a report, nothing else left. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { UpkeepEnd } from '../../pipeline/run/run.ts';
import { rebuildCatalog } from '../../pipeline/upkeep/catalog-rebuild.ts';
import { prune } from '../../pipeline/upkeep/prune.ts';
import { republish } from '../../pipeline/upkeep/republish/republish.ts';
import { verify } from '../../pipeline/upkeep/verify.ts';
import { AppError } from '../../runtime/errors.ts';
import { RETENTION } from '../../schemas/retention.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { publishFromFixture } from '../support/pipeline/sample-store.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { upkeepDeps, verifyDeps } from '../support/pipeline/upkeep.ts';

const DAY = '2026-06-01';
let nights: TemporaryStore;

beforeAll(async () => {
  nights = await openTemporaryStore();
  await publishFromFixture('days', nights, [DAY]);
});
afterAll(() => nights.dispose());

function goneStore(): ObjectStore {
  const gone = () => Promise.reject(new AppError('store_unavailable', 'the store is gone'));
  return new Proxy(nights.deps.store, { get: (store, name) => (name === 'url' ? store.url : gone) });
}

const COMMANDS: readonly [string, (store: ObjectStore, work: string) => Promise<UpkeepEnd>][] = [
  ['verify', (store, work) => verify('all', { ...verifyDeps(work), store })],
  ['republish', (origin, work) => republish(DAY, { ...upkeepDeps(work), origin, second: undefined, onFile: () => {} })],
  [
    'prune',
    (store, work) => {
      const told = { onPlan: () => {}, onRemoval: () => {} };
      return prune({ dryRun: false }, { ...upkeepDeps(work), ...told, store, retention: RETENTION });
    },
  ],
  ['catalog rebuild', (store, work) => rebuildCatalog({ force: true }, { ...upkeepDeps(work), store })],
];

describe.each(COMMANDS)('%s', (command, run) => {
  test('leaves its report and nothing else in the work folder', async () => {
    const work = join(nights.folder, '../work of', command);
    const { report } = await run(nights.deps.store, work);
    // Beside it the note of whose work folder it is.
    expect((await readdir(work)).filter((name) => name !== 'store.json')).toEqual(['runs']);
    expect((await readdir(report)).filter((name) => name !== 'issues.jsonl')).toEqual(['report.json']);
    expect(JSON.parse(await readFile(join(report, 'report.json'), 'utf8'))).toMatchObject({
      command,
      status: command === 'catalog rebuild' ? 'rebuilt' : 'ok',
      error: null,
      stages: [expect.objectContaining({ ms: expect.any(Number) }), ...(command === 'verify' ? [{}] : [])],
    });
  });

  test('that fails is reported all the same', async () => {
    const work = join(nights.folder, '../failed work of', command);
    await expect(run(goneStore(), work)).rejects.toThrow('the store is gone');
    const [folder = ''] = await readdir(join(work, 'runs'));
    expect(await readdir(join(work, 'runs', folder))).toEqual(['report.json']);
    expect(JSON.parse(await readFile(join(work, 'runs', folder, 'report.json'), 'utf8'))).toMatchObject({
      command,
      status: 'failed',
      error: 'the store is gone',
    });
  });
});
