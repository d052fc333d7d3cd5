/** What a view is proved by: its records are those of the newest release, byte for byte, and its events are without a gap. */
import { readdir, rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadCatalog } from '../../../storage/catalog.ts';
import { Database, sqlText } from '../../../storage/duckdb/database.ts';
import { dumpView } from '../../../test/support/api/dump-view.ts';
import { openTemporaryStore, type TemporaryStore } from '../../../test/support/pipeline/temporary-store.ts';
import { useFolder } from '../../../test/support/temporary-folder.ts';
import { SMALL_DAYS } from '../../../test/worlds/small-days.ts';
import { buildView, type ViewFile } from '../follow/build-view.ts';
import { type WriteInput, writeView } from './write-view.ts';

const DUCKDB = { memoryLimit: '300MB', threads: 1 };
const [FIRST = '', SECOND = ''] = Object.keys(SMALL_DAYS);
const place = useFolder();
let store: TemporaryStore;
/** Of the first night. */
let before: ViewFile;

beforeAll(async () => {
  store = await openTemporaryStore();
  await store.publish(FIRST, SMALL_DAYS[FIRST] ?? {});
  before = await build('before', undefined);
  await store.publish(SECOND, SMALL_DAYS[SECOND] ?? {});
});
afterAll(() => store.dispose());

async function build(name: string, previous: ViewFile | undefined, write = writeView) {
  const { catalog = expect.fail() } = await loadCatalog(store.deps.store);
  const paths = { path: place('views', `${name}.sqlite`), scratch: place('views', `${name}.parts`) };
  return buildView(
    { catalog, previous, ...paths },
    { store: store.deps.store, downloadsMax: 4, duckdb: DUCKDB, write },
  );
}

/** Which of a release's files is changed, and the rows that it has then; `r` are those that it had. */
interface Change {
  readonly of: (parts: WriteInput['parts']) => string | undefined;
  readonly sql: string;
}

/** Rebuilds the view with a file that isn't what its release says. */
function buildWith({ of, sql }: Change) {
  return build('changed', undefined, async (input) => {
    const path = of(input.parts) ?? expect.fail();
    const database = await Database.open(':memory:', { ...DUCKDB, tempFolder: place('spill') });
    await database.run(`CREATE TABLE r AS FROM read_parquet(${sqlText(path)})`);
    await database.run(`COPY (${sql}) TO ${sqlText(path)} (FORMAT parquet)`);
    database.close();
    return writeView(input);
  });
}

const models = ({ state }: WriteInput['parts']) => state.models;
const scores = ({ state }: WriteInput['parts']) => state.scores;
const events = ({ changes }: WriteInput['parts']) => changes[0];
const MORE_EVENTS = `SELECT * REPLACE (seq + 1 AS seq) FROM r WHERE seq = (SELECT max(seq) FROM r)`;

test.each<[string, Change]>([
  ['lacks a record', { of: models, sql: `FROM r WHERE id <> 'Case'` }],
  ['has another record', { of: models, sql: `SELECT * REPLACE (name || '!' AS name) FROM r` }],
  ['has another value', { of: scores, sql: `SELECT * REPLACE (value + 1e-9 AS value) FROM r` }],
  [
    'has a record more',
    { of: models, sql: `FROM r UNION ALL BY NAME SELECT * REPLACE ('z' AS id) FROM r WHERE id = 'a'` },
  ],
  ['has a record twice', { of: models, sql: `FROM r UNION ALL FROM r WHERE id = 'a'` }],
  ['lacks its first event', { of: events, sql: 'FROM r WHERE seq > 1' }],
  ['lacks an event', { of: events, sql: 'FROM r WHERE seq <> 3' }],
  ['has an event twice', { of: events, sql: 'FROM r UNION ALL FROM r WHERE seq = 3' }],
  ['has an event more', { of: ({ changes }) => changes.at(-1), sql: `FROM r UNION ALL BY NAME ${MORE_EVENTS}` }],
])('a view of a release that %s is refused as corrupt, and nothing is left of it', async (_, change) => {
  await expect(buildWith(change)).rejects.toMatchObject({ code: 'corrupt' });
  expect(await readdir(place('views'))).toEqual(['before.sqlite']);
});

test('records are in the order of their keys, whatever their order in a file', async () => {
  const expected = await build('expected', undefined);
  const dump = dumpView(expected.path);
  for (const of of [models, scores]) {
    const built = await buildWith({ of, sql: 'FROM r ORDER BY valid_from DESC, hash(r)' });
    expect(dumpView(built.path)).toEqual(dump);
    await rm(built.path);
  }
});

test('a view that follows is refused for the same reasons, so that one is built anew', async () => {
  const built = await build('followed', before, async (input) => {
    const newest = { ...input.parts.newest, manifest: { ...input.parts.newest.manifest, datasets: [] } };
    return writeView(input.base === undefined ? input : { ...input, parts: { ...input.parts, newest } });
  });
  expect(built.isExtended).toBe(false);
});
