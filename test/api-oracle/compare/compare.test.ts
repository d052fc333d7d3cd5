/** The comparison finds nothing wrong with the oracle's own answers, and does find each kind of wrong answer. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { DATASET_NAMES } from '../../../schemas/datasets.ts';
import { addDays } from '../../../schemas/day.ts';
import { sha256 } from '../../night-oracle/canonical.ts';
import { loadDay } from '../../night-oracle/load-day.ts';
import { perDataset } from '../../night-oracle/state.ts';
import { createChooser } from '../../support/random.ts';
import { writeNastyDays } from '../../worlds/nasty-days.ts';
import type { ApiState } from '../api-state.ts';
import { checkApi } from '../check-api.ts';
import { createClient } from '../client.ts';
import { replayFeed } from '../feed-replay.ts';
import { type Spoiler, startOracleServer } from '../oracle-server.ts';
import type { Route } from '../request.ts';
import type { StoredSnapshot } from '../stored-snapshots.ts';
import { buildWorld } from '../world.ts';
import { describeDifference } from './difference.ts';

const files = new Map<string, Buffer>();
let state: ApiState;

beforeAll(async () => {
  const root = await mkdtemp(join(tmpdir(), 'modelstats-compare-'));
  const days = await writeNastyDays(root, 1);
  const stored = new Map<string, StoredSnapshot>();
  const world = buildWorld(
    days.map((day) => ({ ...loadDay(join(root, day)), accept: true })),
    (night) => {
      const kept = perDataset((dataset) => keepFile(night.lines[dataset].join('')));
      stored.set(night.state.day, { publishedAt: '2024-06-01T00:00:00Z', files: kept });
    },
  );
  state = { world, today: addDays(days.at(-1) ?? '', 2), retainedFrom: null, stored };
  await rm(root, { recursive: true, force: true });
});

function keepFile(text: string) {
  const [body, contentSha256] = [gzipSync(text), sha256(text)];
  files.set(contentSha256, body);
  return { path: '', bytes: body.length, sha256: createHash('sha256').update(body).digest('hex'), contentSha256 };
}

async function check(spoil: Spoiler, routes: readonly Route[] | undefined, count: number): Promise<readonly string[]> {
  const server = await startOracleServer(state, { spoil, files: (hash) => files.get(hash) });
  try {
    const options = { count, seed: 5, routes, differencesMax: 3 };
    const { differences } = await checkApi(createClient(server.url), state, options);
    return differences.map(describeDifference);
  } finally {
    await server.stop();
  }
}

async function replay(spoil: Spoiler) {
  const server = await startOracleServer(state, { spoil });
  try {
    return await replayFeed(createClient(server.url), state, createChooser(3));
  } finally {
    await server.stop();
  }
}

const asItIs: Spoiler = (text) => text;

test('the nasty days hold what makes answers hard', () => {
  const { world } = state;
  const captured = perDataset((dataset) => world.nights.filter((night) => night.captured.includes(dataset)).length);
  expect(Math.min(...DATASET_NAMES.map((name) => captured[name]))).toBeLessThan(world.nights.length);
  const [first, last] = [world.nights[0]?.day ?? '', world.nights.at(-1)?.day ?? ''];
  expect(addDays(first, world.nights.length - 1) < last).toBe(true);
  expect(world.series.models.size).toBeGreaterThan(world.current.models.length);
  expect(world.feed.filter(({ op }) => op === 'delete').length).toBeGreaterThan(20);
});

describe('the comparison', () => {
  test('finds nothing wrong with right answers', { timeout: 120_000 }, async () => {
    expect(await check(asItIs, undefined, 1500)).toEqual([]);
  });

  test.each<[string, Route, Spoiler]>([
    ['a value that is off by a little', 'scores', (text) => text.replace('"value":1.5', '"value":1.5000000001')],
    ['a number written in another way', 'scores', (text) => text.replace('"value":1,', '"value":1.0,')],
    ['keys in another order', 'models', (text) => text.replace(/("id":"[^"]*"),("name":"[^"]*")/, '$2,$1')],
    ['a row that is missing', 'models', (text) => text.replace(/\{"id":"plain"[^}]*\},/, '')],
    ['a list that never ends', 'models', (text) => text.replace('"next_cursor":null', '"next_cursor":"more"')],
    [
      'a null where a value is',
      'rankings-history',
      (text) => text.replace(/"trueskill_mu":1\b/, '"trueskill_mu":null'),
    ],
    ['a point too many', 'model-history', (text) => text.replace(/"points":\[(\{.*?\}),\{/, '"points":[$1,$1,{')],
    [
      'another window',
      'model-history',
      (text) => text.replace('"plan_limit_from":null', '"plan_limit_from":"2024-01-01"'),
    ],
    ['an event skipped', 'changes', (text) => text.replace(/"events":\[\{.*?\},\{"seq"/, '"events":[{"seq"')],
    ['an end that is not the end', 'changes', (text) => text.replace('"has_more":true', '"has_more":false')],
    ['another refusal', 'model', (text) => text.replace('"param":"id"', '"param":"model_id"')],
    ['a problem untold', 'models', (text) => text.replace(/"detail":\[\{.*?\}/, '"detail":[').replace('[,', '[')],
    [
      'another hash',
      'snapshots',
      (text) => text.replace(/"content_sha256":"."/, '"content_sha256":"x"').replace(/"sha256":"./, '"sha256":"0'),
    ],
    ['text that is not JSON', 'categories', (text) => text.slice(1)],
  ])('finds %s', async (_, route, spoil) => {
    expect(await check(spoil, [route], 300)).not.toEqual([]);
  });

  test('says where the first difference is', async () => {
    const [first] = await check((text) => text.replace('"model_count":', '"model_count":1'), ['categories'], 3);
    expect(first).toMatch(
      /^\/v1\/categories.*\n {2}at categories\[0\]\.model_count\n {2}expected \d+\n {2}actual {3}1\d+$/,
    );
  });
});

describe('the replay', () => {
  test('goes on from every snapshot and gives the next one back', async () => {
    const { difference, cursors } = await replay(asItIs);
    expect(difference).toBeUndefined();
    expect(cursors).toBe(state.world.nights.length);
  });

  test('finds an event that is wrong from one cursor alone', async () => {
    const cursor = Buffer.from(String(state.world.nights[2]?.lastSeq)).toString('base64url');
    const isThatPage = (target: string) => target.includes(`cursor=${cursor}&`) && !target.includes('entity_type');
    const { difference, cursors } = await replay((text, target) =>
      isThatPage(target) ? text.replace(/"updated_at":"(\d{4})-\d\d/, '"updated_at":"$1-11') : text,
    );
    expect(difference?.path).toMatch(/^events\[\d+\]\.data\.updated_at$/);
    expect(cursors).toBe(3);
  });
});
