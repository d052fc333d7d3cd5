/** A source's table of names in its nights and in what they publish (specification "Names of models"). */
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { mirror } from '../../pipeline/upkeep/mirror/mirror.ts';
import { republish } from '../../pipeline/upkeep/republish/republish.ts';
import { verify } from '../../pipeline/upkeep/verify/verify.ts';
import type { Day } from '../../schemas/day.ts';
import { sha256 } from '../../storage/hash.ts';
import { RELEASE_PATHS, releaseKey } from '../../storage/keys.ts';
import type { ObjectStore } from '../../storage/object-store.ts';
import { NAMING_SETTINGS, withNames } from '../support/pipeline/named-models.ts';
import { listReleases, readAliases, readRelease } from '../support/pipeline/published.ts';
import { DAMAGES, openStoreFiles } from '../support/pipeline/store-files.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { upkeepDeps, verifyDeps } from '../support/pipeline/upkeep.ts';

const MODELS = { models: [{ id: 'a', name: 'A' }] };
const [FIRST, SECOND, THIRD] = ['2026-06-01', '2026-06-02', '2026-06-03'] as const;

let store: TemporaryStore;
beforeEach(async () => {
  store = await openTemporaryStore();
  onTestFinished(store.dispose);
});

async function releaseOf(day: Day) {
  const entry = (await listReleases(store)).find((candidate) => candidate.day === day);
  if (entry === undefined) throw new Error(`no release of ${day}`);
  return { entry, release: await readRelease(store, entry) };
}

/** What a release says of its file of names; undefined where it has none. */
async function namesFileOf(day: Day) {
  const { release } = await releaseOf(day);
  return release.files.find(({ path }) => path === RELEASE_PATHS.aliases);
}

describe('a release', () => {
  test('keeps the names of its source, by upstream and id in the order of their bytes', async () => {
    const table = withNames('shop,\u{1F600},a', 'shop,\uFF21,a', 'shop,"A, B",gone', 'board,a,a');
    await store.publish(FIRST, MODELS, table);
    const { entry, release } = await releaseOf(FIRST);
    expect(await readAliases(store, entry)).toEqual([
      'board,a,a',
      'shop,A, B,gone',
      'shop,\uFF21,a',
      'shop,\u{1F600},a',
    ]);
    const text = table.aliases ?? '';
    expect(release.source_files).toContainEqual({
      name: 'aliases.csv',
      dataset: null,
      bytes: Buffer.byteLength(text),
      sha256: sha256(text),
    });
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
    await store.publish(
      SECOND,
      { models: [...MODELS.models, { id: 'b', name: 'B' }] },
      withNames('board,B,a', 'shop,A,a'),
    );
    await store.publish(THIRD, MODELS, withNames());
    expect(await namesFileOf(SECOND)).toEqual(await namesFileOf(FIRST));
    expect(await readAliases(store, (await releaseOf(THIRD)).entry)).toEqual([]);
  });

  test('is published where nothing but a name is new, with no event', async () => {
    await store.publish(FIRST, MODELS, withNames('shop,A,a'));
    const night = await store.publish(SECOND, MODELS, withNames('shop,A,a', 'board,B,a'));
    expect(night).toMatchObject({ status: 'published', events: { upsert: 0, delete: 0 } });
    expect(await readAliases(store, (await releaseOf(SECOND)).entry)).toHaveLength(2);
  });
});

describe('a table of names', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'modelstats-names-'));
    onTestFinished(() => rm(root, { recursive: true }));
    await mkdir(join(root, FIRST));
    await writeFile(join(root, FIRST, 'models.jsonl'), '{"id":"a","name":"A"}\n');
    await writeFile(join(root, 'source.json'), JSON.stringify(NAMING_SETTINGS));
  });
  const night = async () => {
    const { status, problems } = await store.night(root, FIRST);
    return { status, problems };
  };

  test('may lie beside the days, and in a day, whose own comes first', async () => {
    await writeFile(join(root, 'aliases.csv'), 'upstream,id,model_id\nshop,above,a\n');
    await writeFile(join(root, FIRST, 'aliases.csv'), 'upstream,id,model_id\nshop,within,a\n');
    expect(await night()).toEqual({ status: 'published', problems: [] });
    const rows = await readAliases(store, (await releaseOf(FIRST)).entry);
    expect(rows).toEqual(['shop,within,a']);
  });

  test('with faults rejects the night before anything is captured, and every fault is told with file and line', async () => {
    await writeFile(join(root, 'aliases.csv'), 'upstream,id,model_id\nshop,A,a\nshop,A,b\nmall,B,a\n');
    await writeFile(join(root, FIRST, 'models.jsonl'), 'no JSON');
    expect(await night()).toEqual({
      status: 'rejected',
      problems: [
        `${root}/aliases.csv: line 3: "A" of shop stands in line 2 already`,
        `${root}/aliases.csv: line 4: "mall" is no id of upstreams`,
      ],
    });
  });

  test('of many faults tells the first', async () => {
    const lines = Array.from({ length: 30 }, (_, n) => `mall,${n},a`);
    await writeFile(join(root, 'aliases.csv'), ['upstream,id,model_id', ...lines].join('\n'));
    const { problems } = await night();
    expect(problems).toHaveLength(21);
    expect(problems.at(-1)).toBe(`${root}/aliases.csv: 10 more problems`);
  });

  test('that is not there, is no file of the source, too large or no text rejects the night', async () => {
    const path = join(root, 'aliases.csv');
    expect((await night()).problems[0]).toBe(
      `${root}/${FIRST}: aliases.csv, which source.json names as aliases, is not there`,
    );
    await symlink('/etc/hostname', path);
    expect((await night()).problems[0]).toContain('leads outside of the source');
    await rm(path);
    await writeFile(path, `upstream,id,model_id\n${'x'.repeat(16 << 20)}`);
    expect((await night()).problems[0]).toContain('is larger than 16777216 bytes');
    await writeFile(path, Buffer.from([0xff, 0xfe]));
    expect((await night()).problems[0]).toContain('is not UTF-8');
  });

  test('is named by a file name of its own', async () => {
    for (const aliases of ['../aliases.csv', 'a/b.csv', 'aliases.json', 'models.csv', '.names.csv']) {
      await writeFile(join(root, 'source.json'), JSON.stringify({ ...NAMING_SETTINGS, aliases }));
      expect((await night()).problems[0]).toContain('source.json: aliases: ');
    }
  });
});

describe('a file of names', () => {
  test.each(DAMAGES)('that is %s is found by verify, and comes back from the night before', async (kind) => {
    await store.publish(FIRST, MODELS, withNames('shop,A,a'));
    await store.publish(SECOND, MODELS, withNames('shop,A,a'));
    const damaged = await openStoreFiles(store.folder);
    onTestFinished(damaged.dispose);
    const before = await damaged.hashes();
    await damaged.damage(releaseKey((await releaseOf(SECOND)).entry, RELEASE_PATHS.aliases), kind);
    const checked = await verify('all', { ...verifyDeps(store.deps.workFolder), store: damaged.store });
    expect(checked.problems).toEqual([{ snapshot: SECOND, message: expect.stringContaining('state/aliases.parquet') }]);
    const mended = await republish(SECOND, {
      ...upkeepDeps(store.deps.workFolder),
      origin: damaged.store,
      second: undefined,
      onFile: () => {},
    });
    expect(mended.ok).toBe(true);
    expect(await damaged.hashes()).toEqual(before);
  });

  test('goes with the states: a mirror has it, and a prune takes old ones', async () => {
    for (const day of [FIRST, SECOND, THIRD]) await store.publish(day, MODELS, withNames('shop,A,a'));
    const second = await openStoreFiles();
    onTestFinished(second.dispose);
    await mirror({
      ...upkeepDeps(store.deps.workFolder),
      from: store.deps.store,
      to: second.store,
      copiesMax: 3,
      random: () => 0,
      onRelease: () => {},
    });
    await store.prune({ changesMonths: 13, snapshots: 90, states: 1 });
    const keys = async (from: ObjectStore) => {
      const found: string[] = [];
      for await (const { key } of from.list('releases/'))
        if (key.endsWith('aliases.parquet')) found.push(key.slice(9, 19));
      return found;
    };
    expect(await keys(second.store)).toEqual([FIRST, SECOND, THIRD]);
    expect(await keys(store.deps.store)).toEqual([THIRD]);
    const checked = await verify('all', { ...verifyDeps(store.deps.workFolder), store: store.deps.store });
    expect(checked.problems).toEqual([]);
  });

  test('is refused by republish where the night before had other names, or none', async () => {
    await store.publish(FIRST, MODELS);
    await store.publish(SECOND, MODELS, withNames('shop,A,a'));
    await store.publish(THIRD, MODELS, withNames('shop,A,a', 'shop,B,a'));
    const damaged = await openStoreFiles(store.folder);
    onTestFinished(damaged.dispose);
    for (const day of [SECOND, THIRD]) {
      await damaged.damage(releaseKey((await releaseOf(day)).entry, RELEASE_PATHS.aliases), 'lost');
      const { ok, files } = await republish(day, {
        ...upkeepDeps(store.deps.workFolder),
        origin: damaged.store,
        second: undefined,
        onFile: () => {},
      });
      expect(ok).toBe(false);
      const refused = files.filter(({ status }) => status === 'refused');
      expect(refused).toMatchObject([
        { path: RELEASE_PATHS.aliases, reason: expect.stringContaining('the night before had none, or another') },
      ]);
    }
  });
});
