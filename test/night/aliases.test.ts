/** A source's table of names in its nights and in what they publish (specification "Names of models"). */
import { rm, symlink } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { republish } from '../../pipeline/upkeep/republish/republish.ts';
import { verify } from '../../pipeline/upkeep/verify.ts';
import type { Day } from '../../runtime/day.ts';
import { sha256 } from '../../storage/hash.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { NAMING_SETTINGS, withNames } from '../support/pipeline/named-models.ts';
import { entryOfDay, readAliases, readRelease } from '../support/pipeline/published.ts';
import { useStoreFiles } from '../support/pipeline/store-files.ts';
import { upkeepDeps, verifyDeps } from '../support/pipeline/upkeep.ts';
import { sourceOf, useStore } from '../support/pipeline/use-store.ts';

const MODELS = { models: [{ id: 'a', name: 'A' }] };
const [FIRST, SECOND, THIRD] = ['2026-06-01', '2026-06-02', '2026-06-03'] as const;

const store = useStore();
const source = sourceOf(store);

const releaseOf = async (day: Day) => readRelease(store, await entryOfDay(store, day));
const namesOf = async (day: Day) => readAliases(store, await entryOfDay(store, day));
const keyOf = async (day: Day) => releaseKey(await entryOfDay(store, day), RELEASE_PATHS.aliases);
/** What a release says of its file of names; undefined where it has none. */
const namesFileOf = async (day: Day) => (await releaseOf(day)).files.find(({ path }) => path === RELEASE_PATHS.aliases);

describe('a release', () => {
  test('keeps the names of its source, by upstream and id in the order of their bytes', async () => {
    const table = withNames('shop,\u{1F600},a', 'shop,\uFF21,a', 'shop,"A, B",gone', 'board,a,a');
    await store.publish(FIRST, MODELS, table);
    expect(await namesOf(FIRST)).toEqual(['board,a,a', 'shop,A, B,gone', 'shop,\uFF21,a', 'shop,\u{1F600},a']);
    const text = table.aliases ?? '';
    const file = { name: 'aliases.csv', dataset: null, bytes: Buffer.byteLength(text), sha256: sha256(text) };
    expect((await releaseOf(FIRST)).source_files).toContainEqual(file);
  });

  test('has no such file where its source keeps no names, or its settings name no table', async () => {
    await store.publish(FIRST, MODELS);
    const { aliases = '' } = withNames('shop,A,a');
    await store.publish(SECOND, MODELS, { settings: { upstreams: NAMING_SETTINGS.upstreams }, aliases });
    expect(await namesFileOf(FIRST)).toBeUndefined();
    expect(await namesFileOf(SECOND)).toBeUndefined();
  });

  test('of the same names has the same bytes, whatever the order of the lines, and of none has a file without rows', async () => {
    await store.publish(FIRST, MODELS, withNames('shop,A,a', 'board,B,a'));
    const others = { models: [...MODELS.models, { id: 'b', name: 'B' }] };
    await store.publish(SECOND, others, withNames('board,B,a', 'shop,A,a'));
    await store.publish(THIRD, MODELS, withNames());
    expect(await namesFileOf(SECOND)).toEqual(await namesFileOf(FIRST));
    expect(await namesOf(THIRD)).toEqual([]);
  });

  test('is published where nothing but a name is new, with no event', async () => {
    await store.publish(FIRST, MODELS, withNames('shop,A,a'));
    const night = await store.publish(SECOND, MODELS, withNames('shop,A,a', 'board,B,a'));
    expect(night).toMatchObject({ status: 'published', events: { upsert: 0, delete: 0 } });
    expect(await namesOf(SECOND)).toHaveLength(2);
  });
});

describe('a table of names', () => {
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
    expect(await namesOf(FIRST)).toEqual(['shop,within,a']);
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
  const repair = (origin: ObjectStore, day: Day) =>
    republish(day, { ...upkeepDeps(store.deps.workFolder), origin, second: undefined, onFile: () => {} });

  test.each(['lost', 'a bit flipped'] as const)(
    'that is %s is found by verify, and comes back from the night before',
    async (kind) => {
      await store.publish(FIRST, MODELS, withNames('shop,A,a'));
      await store.publish(SECOND, MODELS, withNames('shop,A,a'));
      const damaged = await useStoreFiles(store.folder);
      const before = await damaged.hashes();
      await damaged.damage(await keyOf(SECOND), kind);
      const { problems } = await verify('all', { ...verifyDeps(store.deps.workFolder), store: damaged.store });
      expect(problems).toEqual([{ snapshot: SECOND, message: expect.stringContaining('state/aliases.parquet') }]);
      expect((await repair(damaged.store, SECOND)).ok).toBe(true);
      expect(await damaged.hashes()).toEqual(before);
    },
  );

  test('is refused by republish where the night before had other names, or none', async () => {
    await store.publish(FIRST, MODELS);
    await store.publish(SECOND, MODELS, withNames('shop,A,a'));
    await store.publish(THIRD, MODELS, withNames('shop,A,a', 'shop,B,a'));
    const damaged = await useStoreFiles(store.folder);
    for (const day of [SECOND, THIRD]) {
      await damaged.damage(await keyOf(day), 'lost');
      const { ok, files } = await repair(damaged.store, day);
      expect(ok).toBe(false);
      expect(files.filter(({ status }) => status === 'refused')).toMatchObject([
        { path: RELEASE_PATHS.aliases, reason: expect.stringContaining('the previous night had none, or another') },
      ]);
    }
  });

  test('goes with the states: a prune takes old ones', async () => {
    for (const day of [FIRST, SECOND]) await store.publish(day, MODELS, withNames('shop,A,a'));
    await store.prune({ changesMonths: 13, snapshots: 90, states: 1 });
    const { store: objects } = store.deps;
    expect(await objects.head(await keyOf(FIRST))).toBeUndefined();
    expect(await objects.head(await keyOf(SECOND))).toBeDefined();
  });
});
