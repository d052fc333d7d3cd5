/** A second major version of the records as callers of the API see it (specification "Record versions"). */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { downloadText } from '../support/api/downloads.ts';
import { openApi, type TestApi } from '../support/api/open-api.ts';
import { recordsFrom } from '../support/pipeline/published.ts';
import { openTemporaryStore, type TemporaryStore } from '../support/pipeline/temporary-store.ts';
import { useFolder } from '../support/temporary-folder.ts';
import { AFTER, BEFORE, CUTOVER, DAYS, LAST, NOTICE, VERSIONS, writeVersionedDays } from '../worlds/versioned-days.ts';

const source = useFolder();
let store: TemporaryStore;
let api: TestApi;

async function publishThrough(last: string): Promise<void> {
  for (const day of DAYS.filter((candidate) => candidate <= last)) await store.night(source(), day);
  await api.follower.refresh();
  expect(api.follower.problem).toBeUndefined();
}

const snapshots = async (query = '') => {
  const { snapshots: listed } = await api.json(`/v1/snapshots${query}`);
  return (listed as { id: string; schema_version: string }[]).map(
    ({ id, schema_version }) => `${id} ${schema_version}`,
  );
};
const linesOf = async (path: string) => recordsFrom(await downloadText(api, path));

beforeAll(async () => {
  await writeVersionedDays(source());
  store = await openTemporaryStore({ versions: VERSIONS });
  await store.night(source(), BEFORE);
  api = await openApi({ store: store.url, versions: VERSIONS });
});
afterAll(async () => {
  await api.close();
  await store.dispose();
});

it('before the notice a version that is only planned is unknown', async () => {
  expect(await snapshots()).toEqual([`${BEFORE} 1.0`]);
  for (const path of ['/v1/snapshots?', `/v1/snapshots/${BEFORE}/download?dataset=models&`]) {
    const response = await api.get(`${path}schema_version=2`);
    expect(response.statusCode).toBe(422);
    expect(response.json().detail).toMatchObject([{ loc: ['query', 'schema_version'], input: '2' }]);
  }
});

describe('through the notice', () => {
  beforeAll(() => publishThrough(LAST));

  it('the list has both versions, the one in force first', async () => {
    expect(await snapshots()).toEqual([
      ...[`${LAST} 1.0`, `${LAST}-v2 2.0`, `${NOTICE} 1.0`, `${NOTICE}-v2 2.0`],
      `${BEFORE} 1.0`,
    ]);
  });

  it('schema_version selects one, by major or major.minor', async () => {
    expect(await snapshots('?schema_version=2')).toEqual([`${LAST}-v2 2.0`, `${NOTICE}-v2 2.0`]);
    expect(await snapshots('?schema_version=2.0')).toEqual(await snapshots('?schema_version=2'));
    expect(await snapshots('?schema_version=1')).toEqual([`${LAST} 1.0`, `${NOTICE} 1.0`, `${BEFORE} 1.0`]);
    expect((await api.get('/v1/snapshots?schema_version=3')).statusCode).toBe(422);
    expect((await api.get('/v1/snapshots?schema_version=2.1')).statusCode).toBe(422);
  });

  it('a download gives the version of the id, or the one that is asked for', async () => {
    const path = (id: string, more = '') => `/v1/snapshots/${id}/download?dataset=models${more}`;
    expect((await linesOf(path(LAST)))[0]).toHaveProperty('name');
    expect((await linesOf(path(`${LAST}-v2`)))[0]).toHaveProperty('display_name');
    expect(await linesOf(path(LAST, '&schema_version=2'))).toEqual(await linesOf(path(`${LAST}-v2`)));
    for (const missing of [
      path(`${LAST}-v2`, '&schema_version=1'),
      path(BEFORE, '&schema_version=2'),
      path(`${BEFORE}-v2`),
    ]) {
      const response = await api.get(missing);
      expect([response.statusCode, response.json().error.param]).toEqual([404, 'snapshot_id']);
    }
  });

  it('the live records and the feed stay in the version in force', async () => {
    const { models } = await api.json('/v1/models?limit=1');
    expect((models as object[])[0]).toHaveProperty('name');
    const { events } = await api.json('/v1/changes');
    expect(new Set((events as { schema_version: string }[]).map((event) => event.schema_version))).toEqual(
      new Set(['1.0']),
    );
  });
});

describe('from the cutover on', () => {
  let before: string;

  beforeAll(async () => {
    const { next_cursor: cursor } = await api.json('/v1/changes');
    before = String(cursor);
    await publishThrough(AFTER);
  });

  it('the feed sends every record anew, in the new version, on the day of the cutover', async () => {
    const { events } = await api.json(`/v1/changes?cursor=${before}`);
    const onCutover = (
      events as { occurred_on: string; op: string; entity_type: string; schema_version: string }[]
    ).filter((event) => event.occurred_on === CUTOVER);
    expect(new Set(onCutover.map((event) => event.schema_version))).toEqual(new Set(['2.0']));
    const upserts = onCutover.filter(({ op, entity_type: type }) => op === 'upsert' && type === 'model');
    expect(upserts).toHaveLength((await linesOf(`/v1/snapshots/${CUTOVER}/download?dataset=models`)).length);
  });

  it('snapshots and live records are in the new version, and equal', async () => {
    expect((await snapshots()).slice(0, 3)).toEqual([`${AFTER} 2.0`, `${CUTOVER} 2.0`, `${LAST} 1.0`]);
    const { models } = await api.json('/v1/models?limit=200');
    expect(models).toEqual(await linesOf(`/v1/snapshots/${AFTER}/download?dataset=models`));
    const { scores } = await api.json('/v1/scores?limit=500');
    expect(scores).toEqual(await linesOf(`/v1/snapshots/${AFTER}/download?dataset=scores`));
  });
});

it('a program that does not know the version in force keeps serving what it has, and says so', async () => {
  const old = await openApi({ store: store.url });
  try {
    expect((await old.get('/v1/models')).statusCode).toBe(503);
    expect((await old.get('/health/ready')).json().problem.message).toContain('version 2.0');
  } finally {
    await old.close();
  }
});
