/** A source's table of names in its nights and in what they publish (specification "Names of models"). */
import { rm, symlink } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { NightResult } from '../../pipeline/night/night-result.ts';
import { prune } from '../../pipeline/upkeep/prune.ts';
import { republish } from '../../pipeline/upkeep/republish/republish.ts';
import { verify } from '../../pipeline/upkeep/verify.ts';
import { addDays } from '../../runtime/day.ts';
import { sha256 } from '../../storage/hash.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { NAMING_SETTINGS, withNames } from '../support/pipeline/named-models.ts';
import { entryOfDay, newestOf, readAliases, readRelease } from '../support/pipeline/published.ts';
import { useStoreFiles } from '../support/pipeline/store-files.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { pruneDeps, upkeepDeps, verifyDeps } from '../support/pipeline/upkeep.ts';
import { sourceOf, useStore } from '../support/pipeline/use-store.ts';

const MODELS = { models: [{ id: 'a', name: 'A' }] };
const FIRST = '2026-06-01';
const NAMED = withNames('shop,A,a');
const MIXED = withNames('shop,\u{1F600},a', 'shop,\uFF21,a', 'shop,"A, B",gone', 'board,a,a');
/** Each night's table of names, and what it shows. */
const NIGHTS = {
  none: {},
  named: NAMED,
  namedAnew: withNames('shop,A,a', 'board,B,a'),
  inOtherOrder: withNames('board,B,a', 'shop,A,a'),
  notNamedInSettings: { ...NAMED, settings: { upstreams: NAMING_SETTINGS.upstreams } },
  withoutLines: withNames(),
  mixed: MIXED,
};
type Night = keyof typeof NIGHTS;
const dayOf = (night: Night) => addDays(FIRST, Object.keys(NIGHTS).indexOf(night));

/** A store with these nights, which no test changes. */
let nights: TemporaryStore;
const results: Partial<Record<Night, NightResult>> = {};
beforeAll(async () => {
  nights = await openTemporaryStore();
  for (const [name, source] of Object.entries(NIGHTS)) {
    const night = name as Night;
    const others = night === 'inOtherOrder' ? [{ id: 'b', name: 'B' }] : [];
    results[night] = await nights.publish(dayOf(night), { models: [...MODELS.models, ...others] }, source);
  }
});
afterAll(() => nights.dispose());

const releaseOf = async (night: Night) => readRelease(nights, await entryOfDay(nights, dayOf(night)));
const namesOf = async (night: Night) => readAliases(nights, await entryOfDay(nights, dayOf(night)));
const keyOf = async (night: Night) => releaseKey(await entryOfDay(nights, dayOf(night)), RELEASE_PATHS.aliases);
/** What a release says of its file of names; undefined where it has none. */
const namesFileOf = async (night: Night) =>
  (await releaseOf(night)).files.find(({ path }) => path === RELEASE_PATHS.aliases);

describe('a release', () => {
  test('keeps the names of its source, by upstream and id in the order of their bytes', async () => {
    expect(await namesOf('mixed')).toEqual(['board,a,a', 'shop,A, B,gone', 'shop,\uFF21,a', 'shop,\u{1F600},a']);
    const text = MIXED.aliases ?? '';
    const file = { name: 'aliases.csv', dataset: null, bytes: Buffer.byteLength(text), sha256: sha256(text) };
    expect((await releaseOf('mixed')).source_files).toContainEqual(file);
  });

  test('has no such file where its source keeps no names, or its settings name no table', async () => {
    expect(await namesFileOf('none')).toBeUndefined();
    expect(await namesFileOf('notNamedInSettings')).toBeUndefined();
  });

  test('of the same names has the same bytes, whatever the order of the lines, and of none has a file without rows', async () => {
    expect(await namesFileOf('inOtherOrder')).toEqual(await namesFileOf('namedAnew'));
    expect(await namesOf('withoutLines')).toEqual([]);
  });

  test('is published where nothing but a name is new, with no event', async () => {
    expect(results.namedAnew).toMatchObject({ status: 'published', events: { upsert: 0, delete: 0 } });
    expect(await namesOf('namedAnew')).toHaveLength(2);
  });
});

describe('a table of names', () => {
  const store = useStore();
  const source = sourceOf(store);
  const table = (...lines: readonly string[]) => ['upstream,id,model_id', ...lines, ''].join('\n');
  beforeEach(async () => {
    await source.write(`${FIRST}/models.jsonl`, MODELS.models);
    await source.write('source.json', JSON.stringify(NAMING_SETTINGS));
  });
  const night = async () => {
    const { status, problems } = await source.night(FIRST);
    return { status, problems };
  };

  test('may lie beside the days, and in a day, whose own comes first', async () => {
    await source.write('aliases.csv', table('shop,above,a'));
    await source.write(`${FIRST}/aliases.csv`, table('shop,within,a'));
    expect(await night()).toEqual({ status: 'published', problems: [] });
    expect(await readAliases(store, await newestOf(store))).toEqual(['shop,within,a']);
  });

  test('with faults rejects the night before anything is captured, and every fault is told with file and line', async () => {
    await source.write('aliases.csv', table('shop,A,a', 'shop,A,b', 'mall,B,a'));
    await source.write(`${FIRST}/models.jsonl`, 'no JSON');
    expect(await night()).toEqual({
      status: 'rejected',
      problems: [
        `${source.path()}/aliases.csv: line 3: "A" of shop is already in line 2`,
        `${source.path()}/aliases.csv: line 4: "mall" is not an id in upstreams`,
      ],
    });
  });

  test('of many faults tells the first', async () => {
    const lines = Array.from({ length: 30 }, (_, n) => `mall,${n},a`);
    await source.write('aliases.csv', table(...lines));
    const { problems } = await night();
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toBe(`${source.path()}/aliases.csv: 10 more problems`);
  });

  test('that is not there, is no file of the source, too large or no text rejects the night', async () => {
    const path = source.path('aliases.csv');
    expect((await night()).problems[0]).toBe(
      `${source.path(FIRST)}: source.json names aliases.csv as aliases, which does not exist`,
    );
    await symlink('/etc/hostname', path);
    expect((await night()).problems[0]).toContain('links outside the source');
    await rm(path);
    await source.write('aliases.csv', table('x'.repeat(16 << 20)));
    expect((await night()).problems[0]).toContain('is larger than 16777216 bytes');
    await source.write('aliases.csv', Buffer.from([0xff, 0xfe]));
    expect((await night()).problems[0]).toContain('is not UTF-8');
  });

  test('is named by a file name of its own', async () => {
    for (const aliases of ['../aliases.csv', 'a/b.csv', 'aliases.json', 'models.csv', '.names.csv']) {
      await source.write('source.json', JSON.stringify({ ...NAMING_SETTINGS, aliases }));
      expect((await night()).problems[0]).toContain('source.json: aliases: ');
    }
  });
});

describe('a file of names', () => {
  const repair = (origin: ObjectStore, night: Night) =>
    republish(dayOf(night), {
      ...upkeepDeps(nights.deps.workFolder),
      origin,
      second: undefined,
      onFile: () => {},
    });

  test.each(['lost', 'a bit flipped'] as const)(
    'that is %s is found by verify, and comes back from the night before',
    async (kind) => {
      const damaged = await useStoreFiles(nights.folder);
      const before = await damaged.hashes();
      await damaged.damage(await keyOf('inOtherOrder'), kind);
      const { problems } = await verify('all', { ...verifyDeps(nights.deps.workFolder), store: damaged.store });
      expect(problems).toEqual([
        { snapshot: dayOf('inOtherOrder'), message: expect.stringContaining('state/aliases.parquet') },
      ]);
      expect((await repair(damaged.store, 'inOtherOrder')).ok).toBe(true);
      expect(await damaged.hashes()).toEqual(before);
    },
  );

  test('is refused by republish where the night before had other names, or none', async () => {
    const damaged = await useStoreFiles(nights.folder);
    for (const night of ['named', 'namedAnew'] as const) {
      await damaged.damage(await keyOf(night), 'lost');
      const { ok, files } = await repair(damaged.store, night);
      expect(ok).toBe(false);
      expect(files.filter(({ status }) => status === 'refused')).toMatchObject([
        { path: RELEASE_PATHS.aliases, reason: expect.stringContaining('the previous night had none, or another') },
      ]);
    }
  });

  test('goes with the states: a prune takes old ones', async () => {
    const { store: objects } = await useStoreFiles(nights.folder);
    const retention = { changesMonths: 13, snapshots: 90, states: 1 };
    const { workFolder, clock } = nights.deps;
    await prune({ dryRun: false }, { ...pruneDeps(workFolder), store: objects, clock, retention });
    expect(await objects.head(await keyOf('withoutLines'))).toBeUndefined();
    expect(await objects.head(await keyOf('mixed'))).toBeDefined();
  });
});
